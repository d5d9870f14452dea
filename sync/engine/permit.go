package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// permitted reports whether a side is known well enough to say that it lacks a
// record. A list that was read once proves little: offset paging hides live rows
// when somebody writes meanwhile, and a record entered on both sides in the same
// minute may be missing from a list that was begun before. One of these must hold:
//
//   - the side itself refuses a second record with the same match key;
//   - the side walks an order that no edit changes, and was read whole once, from
//     when the record to be created was known;
//   - it was read whole twice from then on, and neither list shows a match;
//     lists of other days count only for what lies wholly inside them;
//     none counts in a run that is the first to read one which did not show a record that is
//     there: what somebody entered since the others may be missing from it as well;
//     none of that counts if the last list was begun long before this run, or if this
//     run read none that is whole and the last one is as old;
//   - it can be asked for the record, and asking was seen to work (at the time of
//     the create; see findFirst).
//
// Where its lists show records that nobody can read they tell nothing: see illegible.go.
func (r *run) permitted(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	if can, err := r.cantBeThere(ctx, to, a); err != nil || can {
		return can, err
	}
	if hidden, err := r.asksForIllegible(ctx, to, a); err != nil || hidden {
		return false, err
	}
	return r.listsTell(ctx, to, a)
}

// cantBeThere reports whether a side can't have a second record of what is to be created,
// whatever its lists show: it refuses one, or nobody can have asked for it yet.
func (r *run) cantBeThere(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	if r.refusesDouble(to, a.Change) {
		return true, nil
	}
	if r.once(to) {
		return r.isNew(ctx, to.Other(), r.firstSeen[a.From])
	}
	return false, nil
}

// listsTell reports whether the lists of a side are enough to say that it lacks a record,
// as far as they can be read.
func (r *run) listsTell(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	if can, err := r.cantBeThere(ctx, to, a); err != nil || can {
		return can, err
	}
	if r.mayHide(to, a.Change) {
		return false, nil
	}
	if r.ended[to] == nil {
		scans, err := r.Store.Ended(ctx, r.place(to), 8)
		if err != nil {
			return false, err
		}
		r.ended[to] = append(scans, record.EndedScan{}) // never nil: it was asked
	}
	needed, fresh := 2, !r.begun[to].IsZero()
	if r.side(to).Can.Stable {
		needed = 1
	}
	if r.belied(r.ended[to]) {
		return false, nil
	}
	for _, s := range r.ended[to] {
		if !r.covers(to, s.Scan.Spec.Scope, a) {
			continue
		}
		known := !s.Scan.Started.Before(r.firstSeen[a.From].Truncate(time.Millisecond))
		if s.Certificate.Complete && known && s.Scan.Spec.Mapping == r.job.Mapping.Fingerprint(to) {
			needed--
			fresh = fresh || r.now.Sub(s.Scan.Started) <= maxCreateAge
		}
	}
	return needed <= 0 && fresh, nil
}

// belied reports whether a list of this run did not show a record that is there, and none of
// an earlier run did so: some systems never list what is archived, and there every list does;
// elsewhere its page was one from before, and may lack what somebody entered.
func (r *run) belied(scans []record.EndedScan) bool {
	now, before := false, false
	for _, s := range scans {
		if s.Certificate.Complete && len(s.Certificate.Flaws) > 0 {
			mine := r.ofThisRun(s.Certificate.Ended)
			now, before = now || mine, before || !mine
		}
	}
	return now && !before
}

// covers reports whether a list of a scope would show the record that is to be
// created: it is of the days of today, or of all, or of days between which the whole
// record lies. The window moves: yesterday's knows nothing of its last day of today.
func (r *run) covers(to record.Side, scope string, a plan.Action) bool {
	if scope == "" || scope == r.scope(to).String() {
		return true
	}
	first, last := r.days(to, a.Change.Fields)
	from, till, ok := strings.Cut(scope, "..")
	return ok && first != "" && last != "" && from <= first && last <= till
}

// mayHide reports whether somebody may have entered what is to be created without the last
// list of the side showing it: that list was begun long before this run, which went on
// with it, and of what came since it shows only what lies on its later pages.
func (r *run) mayHide(to record.Side, c record.Change) bool {
	return !r.begun[to].IsZero() && r.now.Sub(r.begun[to]) > maxCreateAge && !r.refusesDouble(to, c)
}

// readAnew reads a side once more before a create is sent to it again, if its last list may
// hide what somebody has entered meanwhile.
func (r *run) readAnew(ctx context.Context, in record.Intent) error {
	side := in.Place.Side
	if !r.appliesOnce(side, in) || !r.mayHide(side, in.Change) {
		return nil
	}
	if held, err := r.held(ctx, side); err != nil || held {
		return err
	}
	if err := r.pullWhole(ctx, side); err != nil {
		return fmt.Errorf("read %s of %s once more: %w", r.side(side).Kind, r.side(side).System, err)
	}
	return nil
}

// refusesDouble reports whether the side keeps something unique that the create
// carries.
func (r *run) refusesDouble(to record.Side, c record.Change) bool {
	for _, fields := range r.job.Match {
		if !r.keptUnique(to, fields) {
			continue
		}
		for _, f := range fields {
			for _, p := range r.job.Mapping.Inputs(to, f) {
				if v := c.Fields[p]; v.Observed() && !v.Empty() {
					return true
				}
			}
		}
	}
	return false
}

// moreScans is how often a run reads a side once more for the sake of creates.
const moreScans = 2

// scanAgain reads a side once more where creates need another list of it, and
// plans anew. Where the few records can be asked for one by one it doesn't: then
// each create asks first.
func (r *run) scanAgain(ctx context.Context, d *draft) (*draft, error) {
	for range moreScans {
		again := false
		for _, side := range record.Sides {
			if held, err := r.held(ctx, side); err != nil {
				return d, err
			} else if held || d.missing[side] == 0 {
				continue
			}
			if cheaper, err := r.askingIsCheaper(ctx, side, d.missing[side]); err != nil {
				return d, fmt.Errorf("look up %s of %s: %w", r.side(side).Kind, r.side(side).System, err)
			} else if cheaper {
				continue
			}
			if err := r.pullWhole(ctx, side); err != nil {
				return d, fmt.Errorf("read %s of %s once more: %w", r.side(side).Kind, r.side(side).System, err)
			}
			again = true
		}
		if !again {
			return d, nil
		}
		var err error
		if d, err = r.planAnew(ctx); err != nil {
			return d, err
		}
	}
	return d, nil
}

// askingIsCheaper reports whether each new record is looked up instead, by a find
// that was seen to work.
func (r *run) askingIsCheaper(ctx context.Context, side record.Side, creates int) (bool, error) {
	s := r.side(side)
	pages := r.rep.Counts[side.String()+".pages"]
	f, is := s.Conn.(connectors.Finder)
	if !is || !canFind(s) || s.Can.FindAny || int64(creates) >= pages {
		return false, nil
	}
	for _, by := range r.telling(side) {
		if works, err := r.findWorks(ctx, side, f, by); err != nil || works {
			return works, err
		}
	}
	return false, nil
}

// findFirst asks the side for the record that is to be created. It reports whether
// the create may go on: the side is known well enough, or an answer that was proven
// to mean something was empty. What it finds is stored, to be matched by the next
// plan.
func (r *run) findFirst(ctx context.Context, a plan.Action) (bool, error) {
	ok, err := r.permitted(ctx, a.Side, a)
	if err != nil || ok {
		return ok, err
	}
	s := r.side(a.Side)
	f, is := s.Conn.(connectors.Finder)
	if !is {
		return false, nil
	}
	if fresh, err := r.freshIllegible(ctx, a.Side); err != nil || fresh {
		return false, err
	}
	for _, by := range r.telling(a.Side) {
		ask := pick(a.Change.Fields, by)
		if len(ask) != len(by) {
			continue
		}
		works, err := r.findWorks(ctx, a.Side, f, by)
		if err != nil || !works {
			r.unfound[a.From] = r.finds[a.Side][wayOf(by)].fault
			return false, err
		}
		at := time.Now()
		found, fault, err := r.find(ctx, a.Side, f, ask)
		if err != nil {
			return false, err
		}
		if fault != nil {
			r.unfound[a.From] = fault
			r.strays = r.strays || unknownWay(fault) // the list is read in its place, and planned anew
			return false, nil
		}
		for _, rec := range found {
			if !rec.Fields.Agrees(ask) { // it answers with others: the filter is ignored
				r.remember(a.Side, by, finding{})
				return false, nil
			}
			if err := r.seeFound(ctx, a.Side, rec, at); err != nil {
				return false, err
			}
		}
		return len(found) == 0, nil
	}
	return false, nil
}

// telling is the sets of paths by which a look-up tells whether a record is there.
// Where a system finds by any column, only a match rule counts whose values are
// spelt in one way alone: a phone or a name may be there and be spelt otherwise.
func (r *run) telling(side record.Side) [][]string {
	can := r.side(side).Can
	if !can.FindAny {
		return can.FindBy
	}
	exact := map[string]bool{}
	for _, f := range r.job.Mapping.Fields() {
		switch f.Type {
		case mapping.Date, mapping.Reference, mapping.Enum, mapping.Number, mapping.Instant:
			exact[f.Name] = true
		}
	}
	var sets [][]string
	for _, rule := range r.job.Match {
		var by []string
		for _, f := range rule {
			if exact[f] {
				by = append(by, r.job.Mapping.Inputs(side, f)...)
			}
		}
		if !slices.ContainsFunc(rule, func(f string) bool { return !exact[f] }) {
			sets = append(sets, by)
		}
	}
	return sets
}

func pick(f record.Fields, paths []string) record.Fields {
	out := record.Fields{}
	for _, p := range paths {
		if v := f[p]; v.Observed() && !v.Empty() {
			out[p] = v
		}
	}
	return out
}
