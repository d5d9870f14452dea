package trust

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// The halts by which a whole job stands still, single records included: what a system
// shows is not to be believed.
const (
	haltIdentity   = "identity"    // records that were linked are others, or not there
	HaltAccount    = "account"     // another account or database answers
	HaltEmpty      = "empty"       // nothing is there any more
	HaltShrink     = "shrink"      // much is not there any more
	haltRolledBack = "rolled_back" // the system was put back to an older copy
	HaltSchema     = "schema"      // a field that was shown is not shown any more
	haltForeign    = "foreign"     // another installation makes records there
	haltRenamed    = "renamed"     // links of a job that there is no more are of the same kinds
)

func WholeJob(cause record.Cause) bool {
	return slices.Contains([]record.Cause{haltIdentity, HaltAccount, HaltEmpty, HaltShrink, haltRolledBack, HaltSchema, haltForeign, haltRenamed}, cause)
}

// RecallHalts looks what the job stood before. A run that compares everything finds out
// whether that is over; one of single records, or one that may not look at the side,
// can't know, and leaves it at that.
func (r *Room) RecallHalts(ctx context.Context) error {
	var err error
	if r.OpenHalts, err = r.store.Halts(ctx, r.Job.Binding); err != nil {
		return fmt.Errorf("look what %s stands before: %w", r.Job.Binding, err)
	}
	single := r.Single()
	r.Examined = single
	for _, h := range r.OpenHalts {
		if !WholeJob(h.Cause) {
			continue
		}
		r.Options.Full = true // what was read from another account has moved the place where the next reading begins
		if err := r.recallRewrite(ctx, h); err != nil {
			return err
		}
		if r.pends(h) && (single || r.Options.Skip[h.Side]) {
			r.Report.Halts = append(r.Report.Halts, h)
		}
	}
	return r.StoppedBy()
}

// Single reports whether a run is of some records only, and compares no lists.
func (r *Room) Single() bool {
	return len(r.Options.Only)+len(r.Options.Find) > 0 || r.Options.Seen || r.Options.Undo != nil
}

// Stands reports whether the job stood still for something that nobody let go.
func (r *Room) Stands() bool {
	return slices.ContainsFunc(r.OpenHalts, func(h record.Question) bool { return WholeJob(h.Cause) && r.pends(h) })
}

// AnsweredHalt is the open halt of a name that a person let go on.
func (r *Room) AnsweredHalt(cause record.Cause, side record.Side) (record.Question, bool) {
	for _, h := range r.OpenHalts {
		if h.Cause == cause && h.Side == side && h.Choice == record.Accepted {
			return h, true
		}
	}
	return record.Question{}, false
}

// StoppedBy ends a run that has halts, before its first write. A dry run writes nothing
// anyway, and shows them.
func (r *Room) StoppedBy() error {
	if len(r.Report.Halts) > 0 && !r.Options.Dry {
		return run.ErrHalted
	}
	return nil
}

// Stand adds a halt to the report, in place of what was said of the same before.
func (r *Room) Stand(h record.Question) {
	r.Report.Halts = slices.DeleteFunc(r.Report.Halts, func(o record.Question) bool { return o.Cause == h.Cause && o.Side == h.Side })
	r.Report.Halts = append(r.Report.Halts, h)
}

// lookAgain and letGo are the commands that let a job go on: of what mends itself once
// the cause is mended, and of what is only a person's to say.
func (r *Room) LookAgainCommand() string { return fmt.Sprintf("nightporter sync %s", r.Job.Binding) }

func (r *Room) LetGoCommand() string {
	return fmt.Sprintf("nightporter resume %s --accept", r.Job.Binding)
}

// KeepHalts stores what the job stands before now that the run is over. A run that
// looked at everything and was not stopped ends all that is not so any more.
func (r *Room) KeepHalts(ctx context.Context, failed, halted bool) error {
	if r.Options.Dry {
		return nil
	}
	now := time.Now()
	if err := r.endRefound(ctx, now); err != nil {
		return err
	}
	if halted {
		fresh := make([]record.Question, len(r.Report.Halts))
		for i, h := range r.Report.Halts {
			fresh[i] = r.HaltOf(h)
		}
		for _, h := range fresh {
			if err := r.tellHalt(ctx, h); err != nil {
				return err
			}
		}
		return r.store.Stand(ctx, r.Lease, nil, fresh, now)
	}
	whole := !r.Single() && r.Options.Skip == [2]bool{}
	if failed || !whole {
		return nil
	}
	if err := r.endRewrite(ctx); err != nil || sameHalts(r.OpenHalts, r.KeptHalts) {
		return err
	}
	keep := make([]record.Question, len(r.KeptHalts))
	over := make([]record.Cause, len(r.OpenHalts))
	for i, h := range r.KeptHalts {
		keep[i] = r.HaltOf(h)
	}
	for i, h := range r.OpenHalts {
		over[i] = h.Cause
	}
	return r.store.Stand(ctx, r.Lease, over, keep, now)
}

// sameHalts reports whether the halts that are open are those that stay so. One may be over while another is
// not known yet: a run that stopped updates was killed before it told a person.
func sameHalts(open, kept []record.Question) bool {
	return len(open) == len(kept) && !slices.ContainsFunc(kept, func(k record.Question) bool {
		return !slices.ContainsFunc(open, func(o record.Question) bool { return o.Cause == k.Cause && o.Side == k.Side })
	})
}

// HaltOf is a halt as it is stored.
func (r *Room) HaltOf(h record.Question) record.Question {
	h.Next = cmp.Or(h.Next, r.LookAgainCommand())
	return h
}

// tellHalt alerts of a halt that was not there before.
func (r *Room) tellHalt(ctx context.Context, h record.Question) error {
	known := slices.ContainsFunc(r.OpenHalts, func(o record.Question) bool { return o.Cause == h.Cause && o.Side == h.Side })
	if known || !WholeJob(h.Cause) {
		return nil
	}
	return r.store.Alert(ctx, r.Lease, record.Alert{
		Run: r.Lease.Run, Binding: r.Job.Binding, Kind: "halted", At: time.Now(), // the report has the halt itself
		Text: fmt.Sprintf("%s stands still (%s): %s", r.Job.Binding, h.Cause, h.Why),
	})
}
