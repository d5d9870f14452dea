package decide

import (
	"context"
	"slices"

	"nightporter/sync/match"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// planStrangers pairs the records without a link, and decides which of them are made on the other side.
func (r *Room) planStrangers(ctx context.Context, d *run.Draft) error {
	return r.PlanStrangersOnly(ctx, d, nil)
}

// PlanStrangersOnly is planStrangers for one record, or for all if wanted is nil.
func (r *Room) PlanStrangersOnly(ctx context.Context, d *run.Draft, wanted *run.ToRead) error {
	if err := r.gone.LoadRevenants(ctx); err != nil {
		return err
	}
	if err := r.loadLeft(ctx); err != nil {
		return err
	}
	if err := r.loadSaidSame(ctx); err != nil {
		return err
	}
	// This is asked before any record is looked at: a job that runs beside this one may link the guest of a booking
	// while this plan still takes him for one without a link.
	var err error
	if r.door.Whole, err = r.match.Compared(ctx); err != nil {
		return err
	}
	if err := r.gone.LoadRevenants(ctx); err != nil {
		return err
	}
	var strangers [2][]run.Candidate
	for _, side := range record.Sides {
		var err error
		if strangers[side], err = r.match.Candidates(ctx, side); err != nil {
			return err
		}
	}
	for _, side := range record.Sides {
		if len(strangers[side.Other()]) == 0 {
			continue
		}
		if err := r.proof.ReadIllegible(ctx, side); err != nil {
			return err
		}
	}
	for _, side := range record.Sides {
		if err := r.recall(ctx, side, &strangers); err != nil {
			return err
		}
	}
	var represent func([]run.Candidate) int
	if r.Job.Represent {
		represent = match.StandFor(r.Job.By)
	}
	return r.planMatched(ctx, d, strangers, represent, wanted)
}

// planMatched decides the records without a link; if wanted is set, only those that concern it.
func (r *Room) planMatched(ctx context.Context, d *run.Draft, strangers [2][]run.Candidate, represent func([]run.Candidate) int, wanted *run.ToRead) error {
	if err := r.trust.NotTakenOver(ctx); err != nil {
		return err
	}
	if err := r.trust.AnotherAtWork(ctx, strangers); err != nil {
		return err
	}
	strangers, err := r.planByMark(ctx, d, strangers, wanted)
	if err != nil {
		return err
	}
	if strangers, err = r.planLate(ctx, d, strangers, wanted); err != nil {
		return err
	}
	fates, err := match.Match(r.RuleNames(), strangers, represent, r.UniqueRules(), r.match.Linked(ctx), r.match.Twins(ctx))
	if err != nil {
		return err
	}
	r.heedLeft(strangers, &fates)
	r.heedSaid(strangers, &fates)
	if err := r.heedGone(ctx, d, strangers, &fates); err != nil {
		return err
	}
	r.match.Facing = &run.Facing{Strangers: strangers}
	defer func() { r.match.Facing = nil }() // a first load has hundreds of thousands of them
	r.keepUnjoined(strangers, fates)
	if err := r.planJoins(ctx, d, strangers, r.same(d, strangers, fates[record.Left], wanted)); err != nil {
		return err
	}
	for _, side := range record.Sides {
		if err := r.planAllAlone(ctx, d, side, strangers[side], fates[side], wanted); err != nil {
			return err
		}
	}
	d.Untangle()
	return nil
}

// concerns reports whether a record is to be decided: it is the wanted one, or all are wanted.
func concerns(wanted *run.ToRead, side record.Side, s run.Candidate) bool {
	return wanted == nil || side == wanted.Side && s.Ref == wanted.Ref
}

// same returns the pairs of records that a rule joins, as indexes into strangers.
func (r *Room) same(d *run.Draft, strangers [2][]run.Candidate, fates []match.Fate, wanted *run.ToRead) (same [][2]int) {
	for i, f := range fates {
		if f.With < 0 {
			continue
		}
		l, rt := strangers[record.Left][i], strangers[record.Right][f.With]
		if r.inDoubt(d, record.Left, l) || r.inDoubt(d, record.Right, rt) {
			continue
		}
		if concerns(wanted, record.Left, l) || concerns(wanted, record.Right, rt) {
			same = append(same, [2]int{i, f.With})
		}
	}
	return same
}

// planAllAlone decides the records of a side that have no link, and that no rule joins.
func (r *Room) planAllAlone(ctx context.Context, d *run.Draft, side record.Side, strangers []run.Candidate, fates []match.Fate, wanted *run.ToRead) error {
	for i, f := range fates {
		s := strangers[i]
		if f.With >= 0 || !concerns(wanted, side, s) || r.inDoubt(d, side, s) {
			continue
		}
		if err := r.planAlone(ctx, d, side, s, f); err != nil {
			return err
		}
	}
	return nil
}

// keepUnjoined notes which records without a link no rule joins, except for those that were left out. Only jobs of
// bookings need that.
func (r *Room) keepUnjoined(strangers [2][]run.Candidate, fates [2][]match.Fate) {
	r.match.Unjoined, r.match.UnderNames = [2][]run.Candidate{}, [2]map[string][]run.Candidate{}
	if r.Job.Booking == nil || len(strangers[record.Left]) == 0 || len(strangers[record.Right]) == 0 {
		return
	}
	for _, side := range record.Sides {
		for i, f := range fates[side] {
			if s := strangers[side][i]; f.With < 0 && f.Why().Attached == "" && !s.IsLeftOut() {
				r.match.Unjoined[side] = append(r.match.Unjoined[side], s)
			}
		}
	}
}

// inDoubt reports whether nothing may be decided about a record: a create from it is not settled, a link will go on
// with it, or it may be what such a create made. In the last case the record is held.
func (r *Room) inDoubt(d *run.Draft, side record.Side, s run.Candidate) bool {
	if why := r.match.Doubtful[s.Num]; why != "" {
		d.Parks = append(d.Parks, run.Park{Side: side, Entry: s.Brief, State: record.Held, Why: why})
		return true
	}
	return r.match.Open[s.Num] || r.match.Promised[s.Num] != 0
}

// recall adds to a side the records that were put aside there and have a key of a record of the other side.
// Examples: a caller whom nobody had asked for, and whom the desk has entered since; a record that was refused, and
// that somebody has entered by hand. Without that the record would be made once more.
func (r *Room) recall(ctx context.Context, side record.Side, strangers *[2][]run.Candidate) error {
	if some, err := r.store.Parked(ctx, r.Place(side)); err != nil || !some {
		return err
	}
	have := map[int64]bool{}
	for _, c := range strangers[side] {
		have[c.Num] = true
	}
	if err := r.recallUndecided(ctx, side, have, strangers); err != nil {
		return err
	}
	for group := range slices.Chunk(strangers[side.Other()], run.Batch) {
		var keys []record.Key
		for _, c := range group {
			keys = append(keys, c.Keys...)
		}
		es, err := r.store.Matching(ctx, r.Place(side), keys)
		if err != nil {
			return err
		}
		for _, e := range es {
			aside := e.State == record.LeftOut || e.State == record.Quarantined
			if e.Link != 0 || !aside || have[e.Num] {
				continue
			}
			c, ok, err := r.match.Candidate(ctx, side, e)
			if err != nil {
				return err
			}
			if ok {
				have[e.Num] = true
				strangers[side] = append(strangers[side], c)
			}
		}
	}
	return r.recallLeft(ctx, side, have, strangers)
}

// recallLeft does the same for records that persons left out, by keys that name another record: the state does
// not hold such keys.
func (r *Room) recallLeft(ctx context.Context, side record.Side, have map[int64]bool, strangers *[2][]run.Candidate) error {
	if len(strangers[side.Other()]) == 0 || !slices.ContainsFunc(r.RuleNames(), r.Refers) {
		return nil
	}
	left, err := r.match.LeftThere(ctx, side)
	if err != nil || len(left) == 0 {
		return err
	}
	there := map[record.Key]bool{}
	for _, c := range strangers[side.Other()] {
		for _, k := range c.Keys {
			there[k] = true
		}
	}
	for _, c := range left {
		if !have[c.Num] && slices.ContainsFunc(c.Keys, func(k record.Key) bool { return there[k] }) {
			strangers[side] = append(strangers[side], c)
		}
	}
	return nil
}

// unlinkedPair is match.Unlinked for both records of a pair, with entries that were read before. It returns false
// if one of them was linked or is another record now.
func (r *Room) unlinkedPair(ctx context.Context, known map[int64]record.Entry, nums [2]int64, refs [2]record.Ref) (sides [2]run.SeenSide, ok bool, err error) {
	for _, side := range record.Sides {
		e, ok := known[nums[side]]
		if !ok || e.Ref != refs[side] || e.Link != 0 {
			return sides, false, nil
		}
		if sides[side], err = r.refer.SideOf(ctx, side, e); err != nil {
			return sides, false, err
		}
	}
	return sides, true, nil
}
