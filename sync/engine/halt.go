package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/pull"
	"nightporter/sync/record"
)

// The halts by which a whole job stands still, single records included: what a system
// shows is not to be believed.
const (
	haltIdentity   = "identity"    // records that were linked are others, or not there
	haltAccount    = "account"     // another account or database answers
	haltEmpty      = "empty"       // nothing is there any more
	haltShrink     = "shrink"      // much is not there any more
	haltRolledBack = "rolled_back" // the system was put back to an older copy
	haltSchema     = "schema"      // a field that was shown is not shown any more
	haltForeign    = "foreign"     // another installation makes records there
	haltRenamed    = "renamed"     // links of a job that there is no more are of the same kinds
)

func wholeJob(name string) bool {
	return slices.Contains([]string{haltIdentity, haltAccount, haltEmpty, haltShrink, haltRolledBack, haltSchema, haltForeign, haltRenamed}, name)
}

// trust is what a run knows of whether its systems can be believed.
type trust struct {
	openHalts    []record.Halt      // that were open when it began
	keptHalts    []plan.Halt        // answered, and still so: they stay open and stop nothing
	unnamed      [2]error           // why a side could not be asked which account it is
	rows         [2]int             // how many records its list showed
	noticed      [2]pull.Noticed    // what the rows of its list say of the list
	earlierParts [2]partsSeen       // what those of it say that earlier runs had read
	newest       [2][]record.Newest // those of them that were changed last
	shownBy      [2]bool            // the list showed the records that we know
	orphaned     [2]time.Time       // when the last record of it was first seen that carries our mark and is unknown
	rewrite      [2]time.Time       // since when the side, which was put back, gets once more what the other holds; zero for not
	noted        [2]bool            // what the copy shows that it was put back to was noted
	refound      [2]bool            // its linked records were read by id, and are the ones we know
	examined     bool               // what the lists show was looked at, or no list is read
	lately       [2]*lately         // nil: not asked yet
}

// recallHalts looks what the job stood before. A run that compares everything finds out
// whether that is over; one of single records, or one that may not look at the side,
// can't know, and leaves it at that.
func (r *run) recallHalts(ctx context.Context) error {
	var err error
	if r.openHalts, err = r.Store.Halts(ctx, r.job.Binding); err != nil {
		return fmt.Errorf("look what %s stands before: %w", r.job.Binding, err)
	}
	single := r.single()
	r.examined = single
	for _, h := range r.openHalts {
		if !wholeJob(h.Name) {
			continue
		}
		r.opt.Full = true // what was read from another account has moved the place where the next reading begins
		if err := r.recallRewrite(ctx, h); err != nil {
			return err
		}
		if r.pends(h) && (single || r.opt.Skip[h.Side]) {
			r.rep.Halts = append(r.rep.Halts, planHalt(h))
		}
	}
	return r.stoppedBy()
}

// single reports whether a run is of some records only, and compares no lists.
func (r *run) single() bool {
	return len(r.opt.Only)+len(r.opt.Find) > 0 || r.opt.Seen || r.opt.Undo != nil
}

// stands reports whether the job stood still for something that nobody let go.
func (r *run) stands() bool {
	return slices.ContainsFunc(r.openHalts, func(h record.Halt) bool { return wholeJob(h.Name) && r.pends(h) })
}

func planHalt(h record.Halt) plan.Halt {
	return plan.Halt{Name: h.Name, Side: h.Side, Text: h.Text, Resume: h.Resume, Detail: h.Detail}
}

// answeredHalt is the open halt of a name that a person let go on.
func (r *run) answeredHalt(name string, side record.Side) (record.Halt, bool) {
	for _, h := range r.openHalts {
		if h.Name == name && h.Side == side && h.Answer == record.Accepted {
			return h, true
		}
	}
	return record.Halt{}, false
}

// stoppedBy ends a run that has halts, before its first write. A dry run writes nothing
// anyway, and shows them.
func (r *run) stoppedBy() error {
	if len(r.rep.Halts) > 0 && !r.opt.Dry {
		return ErrHalted
	}
	return nil
}

// stand adds a halt to the report, in place of what was said of the same before.
func (r *run) stand(h plan.Halt) {
	r.rep.Halts = slices.DeleteFunc(r.rep.Halts, func(o plan.Halt) bool { return o.Name == h.Name && o.Side == h.Side })
	r.rep.Halts = append(r.rep.Halts, h)
}

// lookAgain and letGo are the commands that let a job go on: of what mends itself once
// the cause is mended, and of what is only a person's to say.
func (r *run) lookAgainCommand() string { return fmt.Sprintf("nightporter sync %s", r.job.Binding) }

func (r *run) letGoCommand() string {
	return fmt.Sprintf("nightporter resume %s --accept", r.job.Binding)
}

// keepHalts stores what the job stands before now that the run is over. A run that
// looked at everything and was not stopped ends all that is not so any more.
func (r *run) keepHalts(ctx context.Context, failed, halted bool) error {
	if r.opt.Dry {
		return nil
	}
	now := time.Now()
	if err := r.endRefound(ctx, now); err != nil {
		return err
	}
	if halted {
		fresh := make([]record.Halt, len(r.rep.Halts))
		for i, h := range r.rep.Halts {
			fresh[i] = r.haltOf(h)
		}
		for _, h := range fresh {
			if err := r.tellHalt(ctx, h); err != nil {
				return err
			}
		}
		return r.Store.Halt(ctx, r.lease, nil, fresh, now)
	}
	whole := !r.single() && r.opt.Skip == [2]bool{}
	if failed || !whole {
		return nil
	}
	if err := r.endRewrite(ctx); err != nil || sameHalts(r.openHalts, r.keptHalts) {
		return err
	}
	keep := make([]record.Halt, len(r.keptHalts))
	over := make([]string, len(r.openHalts))
	for i, h := range r.keptHalts {
		keep[i] = r.haltOf(h)
	}
	for i, h := range r.openHalts {
		over[i] = h.Name
	}
	return r.Store.Halt(ctx, r.lease, over, keep, now)
}

// sameHalts reports whether the halts that are open are those that stay so. One may be over while another is
// not known yet: a run that stopped updates was killed before it told a person.
func sameHalts(open []record.Halt, kept []plan.Halt) bool {
	return len(open) == len(kept) && !slices.ContainsFunc(kept, func(k plan.Halt) bool {
		return !slices.ContainsFunc(open, func(o record.Halt) bool { return o.Name == k.Name && o.Side == k.Side })
	})
}

func (r *run) haltOf(h plan.Halt) record.Halt {
	if h.Resume == "" {
		h.Resume = r.lookAgainCommand()
	}
	return record.Halt{Binding: r.job.Binding, Side: h.Side, Name: h.Name, Text: h.Text, Resume: h.Resume, Detail: h.Detail}
}

// tellHalt alerts of a halt that was not there before.
func (r *run) tellHalt(ctx context.Context, h record.Halt) error {
	known := slices.ContainsFunc(r.openHalts, func(o record.Halt) bool { return o.Name == h.Name && o.Side == h.Side })
	if known || !wholeJob(h.Name) {
		return nil
	}
	return r.Store.Alert(ctx, r.lease, record.Alert{
		Run: r.lease.Run, Binding: r.job.Binding, Kind: "halted", At: time.Now(), // the report has the halt itself
		Text: fmt.Sprintf("%s stands still (%s): %s", r.job.Binding, h.Name, h.Text),
	})
}
