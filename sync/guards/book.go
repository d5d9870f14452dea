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

// OpenBook reads what persons said until now. It is read anew for each plan, so that a
// decision counts from the next one on.
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

// readPrints reads once a run which fields are mapped otherwise than was agreed to.
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

// asksOfFields reports whether a set is what a change of the fields asks for, as they are now.
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

// expire ends a stage whose time is over. Records that a person did not want made have
// been left out, and are looked at again, though nobody has changed them.
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

// enter puts one stage into the book.
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

// count reads, once a run, what was let go before it.
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
