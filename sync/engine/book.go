package engine

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// class is what a guard counts together.
type class struct {
	side record.Side
	risk plan.Risk
}

// book is what persons said of sets of changes, what waits for them, and what was let
// go so far.
type book struct {
	approved map[string]said // by the digest of the change
	rejected map[string]said
	redone   map[string]said   // rejected, and put back since: the same is a new edit
	after    map[string]string // changes that were done again, and the set that was rejected before
	waiting  map[class]waitingSet
	lapsed   map[string]bool // changes of sets that nobody decided in time: they are asked about anew
	decided  []record.Stage  // that are not over
	spent    plan.Spent      // before this run, and what this run let go
	counted  bool            // spent was read
	prints   map[string]string
	agreed   map[string]string                  // the prints as they were agreed to last
	remapped map[string]bool                    // fields of which nobody agreed to the change
	mended   map[string]bool                    // those of them that are mapped as was agreed to again, and were read in another way meanwhile
	asking   time.Time                          // since when a person is asked about the change of the fields as they are now
	settled  [2]bool                            // a person agreed to what the change of the fields asks of the side
	stood    map[record.LinkID][2]record.Fields // what stood where a person was asked about the change of the fields, as they were asked first
	did      map[string]bool                    // changes that this run made
	unlinked [2]map[record.Key][]entered        // records of a side without a link, by keys that name others; nil: not read yet
	moved    map[string]bool                    // approved changes whose records are not as they were
}

// said is a change that a person decided.
type said struct {
	stage record.Stage
	row   record.Staged
}

// waitingSet is a set that nobody decided.
type waitingSet struct {
	stage record.Stage
	rows  map[string]record.Staged
}

// openBook reads what persons said until now. It is read anew for each plan, so that a
// decision counts from the next one on.
func (r *run) openBook(ctx context.Context) error {
	b := &r.book
	b.approved, b.rejected = map[string]said{}, map[string]said{}
	b.unlinked = [2]map[record.Key][]entered{}
	b.redone, b.after = map[string]said{}, map[string]string{}
	b.waiting, b.decided, b.settled = map[class]waitingSet{}, nil, [2]bool{}
	if b.did == nil {
		b.did, b.moved, b.lapsed = map[string]bool{}, map[string]bool{}, map[string]bool{}
	}
	if b.prints == nil {
		var err error
		b.prints = r.job.Rules.Prints()
		if b.agreed, err = r.Store.Mapped(ctx, r.job.Binding); err != nil {
			return err
		}
		b.remapped = plan.Remapped(b.agreed, b.prints)
		b.mended = map[string]bool{}
		for f := range r.rereads {
			if b.agreed != nil && b.agreed[f] == b.prints[f] {
				b.remapped[f], b.mended[f] = true, true
			}
		}
	}
	stages, err := r.Store.Stages(ctx, r.job.Binding, len(b.remapped) > 0)
	if err != nil {
		return fmt.Errorf("look what waits for a person: %w", err)
	}
	if err := r.openAsked(ctx, stages); err != nil {
		return err
	}
	now := time.Now()
	for _, st := range stages {
		if st.Guard == r.mappingGuard() && st.Decision == record.Approved && !st.At.Before(b.asking) {
			b.settled[st.Side] = true
		}
		if !st.Ended.IsZero() {
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

// needBook opens the book unless this run has.
func (r *run) needBook(ctx context.Context) error {
	if r.book.waiting != nil {
		return nil
	}
	return r.openBook(ctx)
}

// expire ends a stage whose time is over. Records that a person did not want made have
// been left out, and are looked at again, though nobody has changed them.
func (r *run) expire(ctx context.Context, st record.Stage, now time.Time) error {
	rows, err := r.Store.StagedOf(ctx, st.Digest, 0)
	if err != nil {
		return fmt.Errorf("look what is in %s: %w", st.Digest, err)
	}
	if st.Decision == record.Undecided {
		r.book.asked(st, rows)
		for _, x := range rows {
			r.book.lapsed[x.Action] = true
		}
	}
	if r.opt.Dry {
		return nil
	}
	if st.Decision == record.Refusal {
		var nums []int64
		for _, x := range rows {
			if x.Entry != 0 {
				nums = append(nums, x.Entry)
			}
		}
		if err := r.Store.Touch(ctx, r.lease, nums); err != nil {
			return fmt.Errorf("have what %s was about looked at again: %w", st.Digest, err)
		}
	}
	return r.Store.EndStage(ctx, r.lease, st.Digest, now)
}

// enter puts one stage into the book.
func (r *run) enter(ctx context.Context, st record.Stage) error {
	b := &r.book
	rows, err := r.Store.StagedOf(ctx, st.Digest, 0)
	if err != nil {
		return fmt.Errorf("look what is in %s: %w", st.Digest, err)
	}
	if st.Decision == record.Undecided {
		b.asked(st, rows)
		set := waitingSet{stage: st, rows: make(map[string]record.Staged, len(rows))}
		for _, x := range rows {
			set.rows[x.Action] = x
		}
		b.waiting[class{st.Side, plan.Risk(st.Risk)}] = set
		return nil
	}
	b.decided = append(b.decided, st)
	into := b.approved
	if st.Decision == record.Refusal {
		into = b.rejected
	}
	for _, x := range rows {
		switch x.State {
		case "":
			into[x.Action] = said{st, x}
		case record.StagedBack:
			b.redone[x.Action] = said{st, x}
		}
	}
	return nil
}

// count reads, once a run, what was let go before it.
func (r *run) countSpent(ctx context.Context) error {
	b := &r.book
	if b.counted {
		return nil
	}
	found, err := r.Store.Spent(ctx, r.job.Binding, r.now)
	if err != nil {
		return fmt.Errorf("count what was written lately: %w", err)
	}
	b.spent = plan.SpentOf(found, r.now)
	b.counted = true
	return nil
}

// spend notes what is let go now.
func (b *book) spend(actions []plan.Action) {
	for _, a := range actions {
		if a.Let {
			continue
		}
		u := b.spent[a.Side][a.Risk]
		if u.Run == nil {
			u.Run = map[string]bool{}
		}
		u.Run[a.Name()] = true
		b.spent[a.Side][a.Risk] = u
	}
}

// waitsFor reports whether a change is in a set that nobody decided.
func (b *book) waitsFor(a plan.Action) bool {
	_, waits := b.waiting[class{a.Side, a.Risk}].rows[a.Digest()]
	return waits
}
