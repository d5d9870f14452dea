package guards

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// OpenBook reads into the book which sets of changes wait for a person, and what persons said of sets so far. It
// ends sets whose time is over. It is called anew for each plan, so that an answer counts from the next plan on.
func (r *Room) OpenBook(ctx context.Context) error {
	b := &r.Book
	b.Approved, b.Rejected = map[string]run.Said{}, map[string]run.Said{}
	b.Redone, b.After = map[string]run.Said{}, map[string]string{}
	b.Waiting, b.Decided, b.Settled = map[run.Class]run.WaitingSet{}, nil, [2]bool{}
	if b.Did == nil {
		b.Did, b.Moved, b.Lapsed = map[string]bool{}, map[string]bool{}, map[string]bool{}
	}
	if err := r.readPrints(ctx); err != nil {
		return err
	}
	stages, err := r.store.Stages(ctx, r.Job.Binding, len(b.Remapped) > 0)
	if err != nil {
		return fmt.Errorf("look what waits for a person: %w", err)
	}
	if err := r.openAsked(ctx, stages); err != nil {
		return err
	}
	now := time.Now()
	for _, st := range stages {
		if asksOfFields(st, r.fieldsPrint()) && st.Choice == record.Approved && !st.Opened.Before(b.Asking) {
			b.Settled[st.Side] = true
		}
		if !st.Closed.IsZero() {
			continue
		}
		if !st.Expires.After(now) {
			if err := r.expire(ctx, st, now); err != nil {
				return err
			}
			continue
		}
		if err := r.enter(ctx, st); err != nil {
			return err
		}
	}
	return nil
}

// readPrints notes, once a run, which fields are mapped or merged in another way than was agreed to. A field that
// is mapped as was agreed to again, and was read in another way meanwhile, is noted as well: as remapped, and as
// mended.
func (r *Room) readPrints(ctx context.Context) (err error) {
	b := &r.Book
	if b.Prints != nil {
		return nil
	}
	b.Prints = r.Job.Rules.Prints()
	if b.Agreed, err = r.store.Mapped(ctx, r.Job.Binding); err != nil {
		return err
	}
	b.Remapped = plan.Remapped(b.Agreed, b.Prints)
	b.Mended = map[string]bool{}
	for f := range r.Rereads {
		if b.Agreed != nil && b.Agreed[f] == b.Prints[f] {
			b.Remapped[f], b.Mended[f] = true, true
		}
	}
	return nil
}

// asksOfFields reports whether a guard holds a set because the fields were changed to what they are now. fields is
// the print of that.
func asksOfFields(st record.Stage, fields string) bool {
	return st.Risk == string(plan.RiskMapping) && st.Rests.IsOn(fields)
}

// NeedBook opens the book unless this run has.
func (r *Room) NeedBook(ctx context.Context) error {
	if r.Book.Waiting != nil {
		return nil
	}
	return r.OpenBook(ctx)
}

// expire ends a set whose time is over. Where a person rejected creates, their sources were left out: they are
// looked at again now, though nobody has changed them. The changes of a set that nobody decided are noted as
// lapsed.
func (r *Room) expire(ctx context.Context, st record.Stage, now time.Time) error {
	rows, err := r.store.StagedOf(ctx, st.Set, 0)
	if err != nil {
		return fmt.Errorf("look what is in %s: %w", st.Set, err)
	}
	if st.Choice == record.Undecided {
		r.Book.Asked(st, rows)
		for _, x := range rows {
			r.Book.Lapsed[x.Action] = true
		}
	}
	if r.Options.Dry {
		return nil
	}
	if st.Choice == record.Refusal {
		var nums []int64
		for _, x := range rows {
			if x.Entry != 0 {
				nums = append(nums, x.Entry)
			}
		}
		if err := r.store.Touch(ctx, r.Lease, nums); err != nil {
			return fmt.Errorf("have what %s was about looked at again: %w", st.Set, err)
		}
	}
	return r.store.EndStage(ctx, r.Lease, st.Set, now)
}

// enter puts one set into the book: a set that nobody decided among those that wait, and the changes of any other
// among the approved, the rejected or the redone ones.
func (r *Room) enter(ctx context.Context, st record.Stage) error {
	b := &r.Book
	rows, err := r.store.StagedOf(ctx, st.Set, 0)
	if err != nil {
		return fmt.Errorf("look what is in %s: %w", st.Set, err)
	}
	if st.Choice == record.Undecided {
		b.Asked(st, rows)
		set := run.WaitingSet{Stage: st, Rows: make(map[string]record.Staged, len(rows))}
		for _, x := range rows {
			set.Rows[x.Action] = x
		}
		b.Waiting[run.Class{Side: st.Side, Risk: plan.Risk(st.Risk)}] = set
		return nil
	}
	b.Decided = append(b.Decided, st)
	into := b.Approved
	if st.Choice == record.Refusal {
		into = b.Rejected
	}
	for _, x := range rows {
		switch x.State {
		case "":
			into[x.Action] = run.Said{Stage: st, Row: x}
		case record.StagedBack:
			b.Redone[x.Action] = run.Said{Stage: st, Row: x}
		}
	}
	return nil
}

// countSpent reads, once a run, what earlier runs have let go. Guards count that, too.
func (r *Room) countSpent(ctx context.Context) error {
	b := &r.Book
	if b.Counted {
		return nil
	}
	found, err := r.store.Spent(ctx, r.Job.Binding, r.Now)
	if err != nil {
		return fmt.Errorf("count what was written lately: %w", err)
	}
	b.Spent = guard.SpentOf(found, r.Now)
	b.Counted = true
	return nil
}
