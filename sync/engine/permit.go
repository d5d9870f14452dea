package engine

import (
	"cmp"
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
//   - the side itself refuses a second record with the same match key, for each rule that may
//     know the record; where it does so for some of them, it was read whole once, whenever;
//   - the side walks an order that no edit changes, and was read whole once, from
//     when the record to be created was known;
//   - it was read whole twice from then on, and neither list shows a match;
//     lists of other days count only for what lies wholly inside them;
//     none counts in a run that is the first to read one which did not show a record that is
//     there: what somebody entered since the others may be missing from it as well;
//     none of that counts if the last list was begun long before this run, or if this
//     run read none that is whole and the last one is as old;
//   - it can be asked for the record by every rule that may know it, and asking was seen to
//     work (at the time of the create; see findFirst and plan.ByEveryRule).
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
		if !slices.ContainsFunc(r.knownBy(a), func(rule plan.Rule) bool { return !rule.Tells }) {
			return true, nil
		}
		if listed, err := r.wasListed(ctx, to, a); err != nil || listed {
			return listed, err
		}
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
	ended, err := r.endedOn(ctx, to)
	if err != nil {
		return false, err
	}
	needed, fresh := 2, !r.begun[to].IsZero()
	if r.side(to).Can.Stable {
		needed = 1
	}
	if r.belied(ended) {
		return false, nil
	}
	for _, s := range ended {
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
	return slices.ContainsFunc(r.job.Match, func(rule []string) bool { return r.refusesAlike(to, rule, c) })
}

// refusesAlike reports whether the side refuses a create where it has a record already that
// agrees by a rule.
func (r *run) refusesAlike(to record.Side, rule []string, c record.Change) bool {
	var have []string
	for _, f := range rule {
		have = append(have, r.job.Mapping.Inputs(to, f)...)
	}
	return slices.ContainsFunc(r.side(to).Can.Unique, func(set []string) bool {
		within := !slices.ContainsFunc(set, func(p string) bool { return !slices.Contains(have, p) })
		return len(set) > 0 && within && len(pick(c.Fields, set)) == len(set)
	})
}

// wasListed reports whether the side was read whole once, as it is read now: what it had then
// is known. That is enough for the rules of which a side does not tell that refuses a second
// record by another one: it is not read whole again for each new record.
func (r *run) wasListed(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	ended, err := r.endedOn(ctx, to)
	return slices.ContainsFunc(ended, func(s record.EndedScan) bool {
		return s.Certificate.Complete && s.Scan.Spec.Mapping == r.job.Mapping.Fingerprint(to) && r.covers(to, s.Scan.Spec.Scope, a)
	}), err
}

// endedOn is the last lists of a side, of this run and of others.
func (r *run) endedOn(ctx context.Context, side record.Side) ([]record.EndedScan, error) {
	if r.ended[side] == nil {
		scans, err := r.Store.Ended(ctx, r.place(side), 8)
		if err != nil {
			return nil, err
		}
		r.ended[side] = append(scans, record.EndedScan{}) // never nil: it was asked
	}
	return r.ended[side], nil
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
			if cheaper, err := r.askingIsCheaper(ctx, side, d); err != nil {
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

// askingIsCheaper reports whether each new record is looked up instead, by finds that were
// seen to work: of those that need a list, no one may be known by a rule that nothing asks by.
func (r *run) askingIsCheaper(ctx context.Context, side record.Side, d *draft) (bool, error) {
	s := r.side(side)
	pages := r.rep.Counts[side.String()+".pages"]
	if !canFind(s) || s.Can.FindAny || int64(d.missing[side]) >= pages {
		return false, nil
	}
	for _, a := range d.news {
		if a.Side != side {
			continue
		}
		if lacks, err := r.lacksAList(ctx, a); err != nil {
			return false, err
		} else if !lacks {
			continue
		}
		if can, err := r.canAskFor(ctx, a); err != nil || !can {
			return false, err
		}
	}
	return true, nil
}

// findFirst asks the side for the record that is to be created, by every rule that may know
// it. It reports whether the create may go on: the side is known well enough, or answers
// that were proven to mean something were empty. What it finds is stored, to be matched by
// the next plan.
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
	ways, err := r.waysFor(ctx, a)
	if err != nil || len(ways) == 0 {
		return false, err
	}
	for _, by := range ways {
		if none, err := r.noneBy(ctx, f, a, by); err != nil || !none {
			return false, err
		}
	}
	return true, nil
}

// noneBy asks the side in one way for the record that is to be created, and reports whether
// the answer is that there is none.
func (r *run) noneBy(ctx context.Context, f connectors.Finder, a plan.Action, by []string) (bool, error) {
	ask, at := pick(a.Change.Fields, by), time.Now()
	found, fault, err := r.find(ctx, a.Side, f, ask)
	if err != nil {
		return false, err
	}
	if fault != nil {
		r.unfound[a.From] = fault
		r.strays = r.strays || unknownWay(fault) // the list is read in its place, and planned anew
		return false, nil
	}
	none := true
	for _, rec := range found {
		if !rec.Fields.Agrees(ask) { // it answers with others: the filter is ignored
			r.remember(a.Side, by, finding{})
			return false, nil
		}
		if err := r.seeFound(ctx, a.Side, rec, at); err != nil {
			return false, err
		}
		if none {
			if none, err = r.isOther(ctx, a, rec.Ref); err != nil {
				return false, err
			}
		}
	}
	return none, nil
}

// isOther reports whether a record that a look-up found is another one than what is to be created, as a list
// that shows it would tell: it has a partner that is there, and no match rule knows the two as the same.
// Example: asked for by its days alone, a side shows the bookings of other guests with the same days.
func (r *run) isOther(ctx context.Context, a plan.Action, ref record.Ref) (bool, error) {
	ref.Kind = cmp.Or(ref.Kind, r.side(a.Side).Kind)
	e, ok, err := r.Store.Entry(ctx, r.place(a.Side), ref)
	if err != nil || !ok || e.Link == 0 || e.State != record.InStep {
		return false, err
	}
	p, ok, err := r.Store.Pair(ctx, e.Link)
	if partner := p.Sides[a.Side.Other()].State; err != nil || !ok || p.State.Ended() || partner.Doubted() || aside(partner) {
		return false, err
	}
	known, err := r.Store.Entries(ctx, []int64{a.From})
	if err != nil {
		return false, err
	}
	wanted, err := r.keysNow(ctx, a.Side.Other(), known[a.From])
	if err != nil {
		return false, err
	}
	has, err := r.keysNow(ctx, a.Side, e)
	return len(has) > 0 && len(wanted) > 0 && !sharesKey(has, wanted), err
}

// waysFor is the ways that were seen to work, and that together ask for a new record by every
// rule that may know it; none where that can't be done. What stands in the way is kept, to
// be told.
func (r *run) waysFor(ctx context.Context, a plan.Action) ([][]string, error) {
	f, is := r.side(a.Side).Conn.(connectors.Finder)
	if !is {
		return nil, nil
	}
	delete(r.unfound, a.From)
	all := r.asking(a)
	if r.unasked[a.From] = unaskedOf(all); len(r.unasked[a.From]) > 0 {
		return nil, nil
	}
	var ways [][]string
	for _, ask := range all {
		by, err := r.workingWay(ctx, a.Side, f, ask.Ways)
		if err != nil {
			return nil, err
		}
		if by == nil {
			if fault := r.finds[a.Side][wayOf(ask.Ways[0])].fault; fault != nil {
				r.unfound[a.From] = fault
			}
			return nil, nil
		}
		if !slices.ContainsFunc(ways, func(w []string) bool { return wayOf(w) == wayOf(by) }) {
			ways = append(ways, by)
		}
	}
	return ways, nil
}

// workingWay is the first of some ways of finding that is seen to work.
func (r *run) workingWay(ctx context.Context, side record.Side, f connectors.Finder, ways [][]string) ([]string, error) {
	for _, by := range ways {
		if works, err := r.findWorks(ctx, side, f, by); err != nil || works {
			return by, err
		}
	}
	return nil, nil
}

// unaskedOf is the names of the rules that nothing asks by.
func unaskedOf(all []plan.Asking) (names []string) {
	for _, ask := range all {
		if len(ask.Ways) == 0 {
			names = append(names, ask.Rule)
		}
	}
	return names
}

// asking is how its side can be asked for a new record by each rule that may know it, by
// values that the record carries.
func (r *run) asking(a plan.Action) []plan.Asking {
	var sets [][]string
	for _, by := range r.telling(a.Side) {
		if len(pick(a.Change.Fields, by)) == len(by) {
			sets = append(sets, by)
		}
	}
	return plan.ByEveryRule(r.knownBy(a), sets)
}

// knownBy is the match rules by which a record may be there that is to be created: those of
// which what it is made from has a key, as lists would be gone through for it.
func (r *run) knownBy(a plan.Action) []plan.Rule {
	var out []plan.Rule
	for _, fields := range r.job.Match {
		name := joinFields(fields)
		if slices.Contains(r.bears[a.From], name) {
			out = append(out, plan.Rule{Name: name, Alike: r.alikeAt(a.Side, fields), Tells: r.refusesAlike(a.Side, fields, a.Change)})
		}
	}
	return out
}

// alikeAt is the paths at which records of a side show the same that agree by a rule; nil
// where none are known.
func (r *run) alikeAt(side record.Side, rule []string) (out []string) {
	for _, f := range rule {
		paths, ok := r.job.Mapping.Alike(side, f)
		if !ok {
			return nil
		}
		out = append(out, paths...)
	}
	return out
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
		case mapping.Date, mapping.Enum, mapping.Number, mapping.Instant:
			exact[f.Name] = true
		case mapping.Reference:
			exact[f.Name] = r.job.Mapping.PartPath(side, f.Name, mapping.PartID) != ""
		}
	}
	var sets [][]string
	for _, rule := range r.job.Match {
		by := r.alikeAt(side, rule)
		if len(by) > 0 && !slices.ContainsFunc(rule, func(f string) bool { return !exact[f] }) {
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
