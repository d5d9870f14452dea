package proof

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/match"
	"nightporter/sync/observe"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// permitted reports whether a side is known well enough to say that it lacks a record. A list that was read once
// proves little: offset paging hides live rows when somebody writes meanwhile. A record that was entered on both
// sides in the same minute may be missing from a list that was begun before. So one of these must hold:
//
//   - the side itself refuses a second record with the same match key, for each rule by which it may know the record.
//     If it does so for some of these rules only, it must also have been read whole once, whenever that was;
//   - the side walks an order that no edit changes, and was read whole once since the record to be created was known;
//   - it was read whole twice since then, and neither list shows a match.
//     Lists of other days count only for what lies wholly inside them.
//     If a list does not show a record that is there, no list is trusted in the run that first discovers that: what
//     somebody entered since the other lists may be missing from it as well.
//     None of that counts unless this run read a list of the side, begun not long before it: since the lists of
//     earlier runs, somebody may have entered what waits. In a run that follows another one at once (Options.After),
//     the lists of that run count;
//   - it can be asked for the record by every rule that may know it, and asking was seen to work (at the time of the
//     create; see FindFirst and plan.ByEveryRule).
//
// If the lists of a side show records that nobody can read, they tell nothing: see illegible.go.
func (r *Room) permitted(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	if can, err := r.cantBeThere(ctx, to, a); err != nil || can {
		return can, err
	}
	if hidden, err := r.asksForIllegible(ctx, to, a); err != nil || hidden {
		return false, err
	}
	return r.ListsTell(ctx, to, a)
}

// cantBeThere reports whether a side can't have a second record of what is to be created, whatever its lists show.
// Either the side refuses a second one. Or creates there can't be taken back, and the record to be created came so
// lately that nobody can have asked for it yet.
func (r *Room) cantBeThere(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	if r.refusesDouble(to, a.Change) {
		if !slices.ContainsFunc(r.knownBy(a), func(rule plan.Rule) bool { return !rule.Tells }) {
			return true, nil
		}
		if listed, err := r.wasListed(ctx, to, a); err != nil || listed {
			return listed, err
		}
	}
	if r.Once(to) {
		return r.IsNew(ctx, to.Other(), r.FirstSeen[a.From])
	}
	return false, nil
}

// ListsTell reports whether the lists of a side are enough to say that it lacks a record. Records in them that
// nobody can read are not taken into account.
func (r *Room) ListsTell(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	if can, err := r.cantBeThere(ctx, to, a); err != nil || can {
		return can, err
	}
	if r.MayHide(to, a.Change) {
		return false, nil
	}
	ended, err := r.observe.EndedOn(ctx, to)
	if err != nil {
		return false, err
	}
	needed, fresh := 2, !r.observe.Begun[to].IsZero()
	if r.Side(to).Can.Stable {
		needed = 1
	}
	if r.belied(ended) {
		return false, nil
	}
	for _, s := range ended {
		if !r.Covers(to, s.Scan.Spec.Scope, a) {
			continue
		}
		known := !s.Scan.Started.Before(r.FirstSeen[a.From].Truncate(time.Millisecond))
		if s.Certificate.Complete && known && s.Scan.Spec.Mapping == r.Job.Mapping.Fingerprint(to) {
			needed--
			fresh = fresh || r.Options.After && r.Now.Sub(s.Scan.Started) <= observe.MaxCreateAge
		}
	}
	return needed <= 0 && fresh, nil
}

// belied reports whether a list of this run did not show a record that is there, and no list of an earlier run did
// so. Some systems never list what is archived: there every list lacks records. Elsewhere such a list has a page
// from an earlier time, and may lack what somebody entered since.
func (r *Room) belied(scans []record.EndedScan) bool {
	now, before := false, false
	for _, s := range scans {
		if s.Certificate.Complete && len(s.Certificate.Flaws) > 0 {
			mine := r.OfThisRun(s.Certificate.Ended)
			now, before = now || mine, before || !mine
		}
	}
	return now && !before
}

// MayHide reports whether somebody may have entered what is to be created without the last list of the side showing
// it. An earlier run began that list long ago, and this run went on with it: of what came since, the list shows
// only what lies on its later pages.
func (r *Room) MayHide(to record.Side, c record.Change) bool {
	return !r.observe.Begun[to].IsZero() && r.Now.Sub(r.observe.Begun[to]) > observe.MaxCreateAge && !r.refusesDouble(to, c)
}

// ReadAnew reads a side once more before a create is sent to it again, if its last list may
// hide what somebody has entered meanwhile.
func (r *Room) ReadAnew(ctx context.Context, in record.Intent) error {
	side := in.Place.Side
	if !r.AppliesOnce(side, in) || !r.MayHide(side, in.Change) {
		return nil
	}
	if held, err := r.trust.Held(ctx, side); err != nil || held {
		return err
	}
	if err := r.observe.PullWhole(ctx, side); err != nil {
		return fmt.Errorf("read %s of %s once more: %w", r.Side(side).Kind, r.Side(side).System, err)
	}
	return nil
}

// refusesDouble reports whether the side refuses a second record, because it keeps something unique that the create
// carries.
func (r *Room) refusesDouble(to record.Side, c record.Change) bool {
	return slices.ContainsFunc(r.Job.Match, func(rule []string) bool { return r.refusesAlike(to, rule, c) })
}

// refusesAlike reports whether the side refuses a create if it has a record already that agrees by this rule.
func (r *Room) refusesAlike(to record.Side, rule []string, c record.Change) bool {
	var have []string
	for _, f := range rule {
		have = append(have, r.Job.Mapping.Inputs(to, f)...)
	}
	return slices.ContainsFunc(r.Side(to).Can.Unique, func(set []string) bool {
		within := !slices.ContainsFunc(set, func(p string) bool { return !slices.Contains(have, p) })
		return len(set) > 0 && within && len(run.Pick(c.Fields, set)) == len(set)
	})
}

// wasListed reports whether the side was read whole once, as it is read now: what it had then is known. That is
// enough for the rules that a side does not keep unique, if it refuses a second record by another rule. So the side
// is not read whole again for each new record.
func (r *Room) wasListed(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	ended, err := r.observe.EndedOn(ctx, to)
	return slices.ContainsFunc(ended, func(s record.EndedScan) bool {
		return s.Certificate.Complete && s.Scan.Spec.Mapping == r.Job.Mapping.Fingerprint(to) && r.Covers(to, s.Scan.Spec.Scope, a)
	}), err
}

// MoreScans is how often a run reads a side once more for the sake of creates.
const MoreScans = 2

// FindFirst asks the side for the record that is to be created, by every rule that may know it. It reports whether
// the create may go on: either the side is known well enough, or its answers are empty and are proven to mean
// something. What is found is stored, to be matched by the next plan.
func (r *Room) FindFirst(ctx context.Context, a plan.Action) (bool, error) {
	ok, err := r.permitted(ctx, a.Side, a)
	if err != nil || ok {
		return ok, err
	}
	s := r.Side(a.Side)
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

// noneBy asks the side in one way for the record that is to be created. It reports whether the answer says that
// there is none.
func (r *Room) noneBy(ctx context.Context, f connectors.Finder, a plan.Action, by []string) (bool, error) {
	ask, at := run.Pick(a.Change.Fields, by), time.Now()
	found, fault, err := r.observe.Find(ctx, a.Side, f, ask)
	if err != nil {
		return false, err
	}
	if fault != nil {
		r.Unfound[a.From] = fault
		r.observe.Strays = r.observe.Strays || observe.UnknownWay(fault) // the list is read instead, and the run plans again
		return false, nil
	}
	none := true
	for _, rec := range found {
		if !rec.Fields.Agrees(ask) { // it answers with others: the filter is ignored
			r.observe.Remember(a.Side, by, run.Finding{})
			return false, nil
		}
		if err := r.observe.SeeFound(ctx, a.Side, rec, at); err != nil {
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

// isOther reports whether a record that a look-up found is another one than what is to be created, as a list that
// shows it would tell. It is if it has a partner that is there, and no match rule knows the two as the same.
// Example: asked only by days, a side shows the bookings of other guests on the same days.
func (r *Room) isOther(ctx context.Context, a plan.Action, ref record.Ref) (bool, error) {
	ref.Kind = cmp.Or(ref.Kind, r.Side(a.Side).Kind)
	e, ok, err := r.store.Entry(ctx, r.Place(a.Side), ref)
	if err != nil || !ok || e.Link == 0 || e.State != record.InStep {
		return false, err
	}
	p, ok, err := r.store.Pair(ctx, e.Link)
	if partner := p.Sides[a.Side.Other()].State; err != nil || !ok || p.State.Ended() || partner.Doubted() || run.Aside(partner) {
		return false, err
	}
	known, err := r.store.Entries(ctx, []int64{a.From})
	if err != nil {
		return false, err
	}
	wanted, err := r.match.KeysNow(ctx, a.Side.Other(), known[a.From])
	if err != nil {
		return false, err
	}
	has, err := r.match.KeysNow(ctx, a.Side, e)
	return len(has) > 0 && len(wanted) > 0 && !match.SharesKey(has, wanted), err
}

// waysFor returns the ways of looking up that were seen to work and that together ask for a new record by every
// rule that may know it. It returns none if that can't be done. What stands in the way is kept in Unasked and
// Unfound, to be told.
func (r *Room) waysFor(ctx context.Context, a plan.Action) ([][]string, error) {
	f, is := r.Side(a.Side).Conn.(connectors.Finder)
	if !is {
		return nil, nil
	}
	delete(r.Unfound, a.From)
	all := r.asking(a)
	if r.Unasked[a.From] = unaskedOf(all); len(r.Unasked[a.From]) > 0 {
		return nil, nil
	}
	var ways [][]string
	for _, ask := range all {
		by, err := r.workingWay(ctx, a.Side, f, ask.Ways)
		if err != nil {
			return nil, err
		}
		if by == nil {
			if fault := r.observe.Finds[a.Side][observe.WayOf(ask.Ways[0])].Fault; fault != nil {
				r.Unfound[a.From] = fault
			}
			return nil, nil
		}
		if !slices.ContainsFunc(ways, func(w []string) bool { return observe.WayOf(w) == observe.WayOf(by) }) {
			ways = append(ways, by)
		}
	}
	return ways, nil
}

// workingWay returns the first of some ways of looking up that is seen to work, nil for none.
func (r *Room) workingWay(ctx context.Context, side record.Side, f connectors.Finder, ways [][]string) ([]string, error) {
	for _, by := range ways {
		if works, err := r.observe.FindWorks(ctx, side, f, by); err != nil || works {
			return by, err
		}
	}
	return nil, nil
}

// unaskedOf returns the names of the rules that nothing asks by.
func unaskedOf(all []plan.Asking) (names []string) {
	for _, ask := range all {
		if len(ask.Ways) == 0 {
			names = append(names, ask.Rule)
		}
	}
	return names
}

// asking returns how the side can be asked for a new record, for each rule that may know it, by values that the
// record carries.
func (r *Room) asking(a plan.Action) []plan.Asking {
	var sets [][]string
	for _, by := range r.Telling(a.Side) {
		if len(run.Pick(a.Change.Fields, by)) == len(by) {
			sets = append(sets, by)
		}
	}
	return plan.ByEveryRule(r.knownBy(a), sets)
}

// knownBy returns the match rules by which the record to be created may already be there: those for which its
// source has a key. Lists are searched by the same keys.
func (r *Room) knownBy(a plan.Action) []plan.Rule {
	var out []plan.Rule
	for _, fields := range r.Job.Match {
		name := run.JoinFields(fields)
		if slices.Contains(r.Bears[a.From], name) {
			out = append(out, plan.Rule{Name: name, Alike: r.AlikeAt(a.Side, fields), Tells: r.refusesAlike(a.Side, fields, a.Change)})
		}
	}
	return out
}

// asksForIllegible reports whether a create must be looked up whatever lists show: its side has records that nobody
// can read, and no person was asked about the create for that.
func (r *Room) asksForIllegible(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	if a.Risk == plan.RiskUnreadable {
		return false, nil
	}
	es, err := r.IllegibleOn(ctx, to)
	return len(es) > 0, err
}

// MayBeIllegible reports whether what is to be created may already be there as a record that nobody can read, and
// the side can't be asked for it either.
func (r *Room) MayBeIllegible(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	if can, err := r.cantBeThere(ctx, to, a); err != nil || can {
		return false, err
	}
	es, err := r.IllegibleOn(ctx, to)
	if err != nil || len(es) == 0 {
		return false, err
	}
	asks, err := r.CanAskFor(ctx, a)
	return !asks, err
}

// CanAskFor reports whether a side can be asked for what is to be created, by every rule that may know it and in
// ways that were seen to work. FindFirst goes by the same ways.
func (r *Room) CanAskFor(ctx context.Context, a plan.Action) (bool, error) {
	ways, err := r.waysFor(ctx, a)
	return len(ways) > 0, err
}
