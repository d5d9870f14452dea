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

// WholeJob reports whether a halt stops the whole job, runs of single records too: what a system shows can't be believed.
func WholeJob(cause record.Cause) bool {
	return slices.Contains([]record.Cause{record.HaltIdentity, record.HaltAccount, record.HaltEmpty, record.HaltShrink, record.HaltRolledBack, record.HaltSchema, record.HaltForeign, record.HaltRenamed, record.HaltIDs}, cause)
}

// RecallHalts reads the open halts of the job. A run that compares everything finds out by itself
// whether a halt is over. A run of single records, or one that skips the side of a halt, can't find
// that out: it returns run.ErrHalted if the halt still stops the job.
func (r *Room) RecallHalts(ctx context.Context) error {
	var err error
	if r.OpenHalts, err = r.store.Halts(ctx, r.Job.Binding); err != nil {
		return fmt.Errorf("look what %s stands before: %w", r.Job.Binding, err)
	}
	for _, side := range record.Sides {
		if err := r.recallRewrite(ctx, side); err != nil {
			return err
		}
	}
	single := r.Single()
	r.Examined = single
	for _, h := range r.OpenHalts {
		if !WholeJob(h.Cause) {
			continue
		}
		r.Options.Full = true // lists of another account may have moved the cursor that the next list starts from
		if r.pends(h) && (single || r.Options.Skip[h.Side]) {
			r.Report.Halts = append(r.Report.Halts, h)
		}
	}
	return r.StoppedBy()
}

// Single reports whether the run compares no lists: it is for some records only, or for what is known already.
func (r *Room) Single() bool {
	return len(r.Options.Only)+len(r.Options.Find) > 0 || r.Options.Seen || r.Options.Undo != nil
}

// Stands reports whether the job stood still when this run began, because of a halt that still stops it.
func (r *Room) Stands() bool {
	return slices.ContainsFunc(r.OpenHalts, func(h record.Question) bool { return WholeJob(h.Cause) && r.pends(h) })
}

// AnsweredHalt returns the open halt of a cause and a side if a person has accepted it; false if there is none.
func (r *Room) AnsweredHalt(cause record.Cause, side record.Side) (record.Question, bool) {
	for _, h := range r.OpenHalts {
		if h.Cause == cause && h.Side == side && h.Choice == record.Accepted {
			return h, true
		}
	}
	return record.Question{}, false
}

// StoppedBy returns run.ErrHalted if the run has halts, so that it ends before its first write. In a
// dry run it returns nil: a dry run writes nothing anyway, and shows its halts.
func (r *Room) StoppedBy() error {
	if len(r.Report.Halts) > 0 && !r.Options.Dry {
		return run.ErrHalted
	}
	return nil
}

// Stand adds a halt to the report, in place of an earlier one of the same cause and side.
func (r *Room) Stand(h record.Question) {
	r.Report.Halts = slices.DeleteFunc(r.Report.Halts, func(o record.Question) bool { return o.Cause == h.Cause && o.Side == h.Side })
	r.Report.Halts = append(r.Report.Halts, h)
}

// LookAgainCommand is the command after which a job looks again. It is for a halt that ends by itself
// once its cause is mended.
func (r *Room) LookAgainCommand() string { return fmt.Sprintf("nightporter sync %s", r.Job.Binding) }

// LetGoCommand is the command by which a person accepts a halt. It is for a halt that only a person can end.
func (r *Room) LetGoCommand() string {
	return fmt.Sprintf("nightporter resume %s --accept", r.Job.Binding)
}

// AgainCommand is the command by which a person says that a system was put back to an older copy, and is to get once
// more what the other side holds.
func (r *Room) AgainCommand() string {
	return fmt.Sprintf("nightporter resume %s --again", r.Job.Binding)
}

// KeepHalts stores at the end of a run which halts the job stands before. If the run looked at
// everything, and neither failed nor halted, all open halts are over that it did not keep.
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

// sameHalts reports whether the open halts are just those that are kept. Their number alone does not tell: one may
// be over while another is not stored yet, as where a run that stopped updates was killed before it told a person.
func sameHalts(open, kept []record.Question) bool {
	return len(open) == len(kept) && !slices.ContainsFunc(kept, func(k record.Question) bool {
		return !slices.ContainsFunc(open, func(o record.Question) bool { return o.Cause == k.Cause && o.Side == k.Side })
	})
}

// HaltOf is a halt as it is stored: if it names no next step, that is to look again.
func (r *Room) HaltOf(h record.Question) record.Question {
	h.Next = cmp.Or(h.Next, r.LookAgainCommand())
	return h
}

// tellHalt keeps an alert about a halt of the whole job that was not open before.
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
