package decide

import (
	"context"
	"slices"

	"nightporter/sync/match"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// planStrangers pairs what has no link, and decides what is created.
func (r *Room) planStrangers(ctx context.Context, d *run.Draft) error {
	return r.PlanStrangersOnly(ctx, d, nil)
}

// PlanStrangersOnly does so for one record, or for all where none is named.
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
	// Asked before a record is looked at: a job that runs beside this one may link the
	// guest of a booking while this plan still takes it for a stranger's.
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
		if err := r.proof.LookForUnknown(ctx, side); err != nil {
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

// planMatched decides strangers; with a wanted reference, only those it concerns.
func (r *Room) planMatched(ctx context.Context, d *run.Draft, strangers [2][]run.Candidate, represent func([]run.Candidate) int, wanted *run.ToRead) error {
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
	defer func() { r.match.Facing = nil }() // a first load has hundreds of thousands
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

// concerns reports whether a stranger is one that is to be decided.
func concerns(wanted *run.ToRead, side record.Side, s run.Candidate) bool {
	return wanted == nil || side == wanted.Side && s.Ref == wanted.Ref
}

// same is the pairs of strangers that a rule joins, by where they stand.
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

// planAllAlone decides the strangers of a side that no rule joins.
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

// keepUnjoined notes which strangers no rule joins with another one, but for those that were left out.
func (r *Room) keepUnjoined(strangers [2][]run.Candidate, fates [2][]match.Fate) {
	r.match.Unjoined, r.match.UnderNames = [2][]run.Candidate{}, [2]map[string][]run.Candidate{}
	if r.Job.Booking == nil || len(strangers[record.Left]) == 0 || len(strangers[record.Right]) == 0 {
		return
	}
	for _, side := range record.Sides {
		for i, f := range fates[side] {
			if s := strangers[side][i]; f.With < 0 && f.Attached == "" && !s.IsLeftOut() {
				r.match.Unjoined[side] = append(r.match.Unjoined[side], s)
			}
		}
	}
}

// inDoubt keeps everything off a record with a create that is not settled, and off
// one that may be what such a create made.
func (r *Room) inDoubt(d *run.Draft, side record.Side, s run.Candidate) bool {
	if why := r.match.Doubtful[s.Num]; why != "" {
		d.Parks = append(d.Parks, run.Park{Side: side, Entry: s.Brief, State: record.Held, Why: why})
		return true
	}
	return r.match.Open[s.Num] || r.match.Promised[s.Num] != 0
}

// recall adds to a side what was put aside there and has the key of a record of the
// other side: a caller whom nobody had asked for, and the desk has entered since; a
// record that was refused, and somebody has entered it by hand. Passed over it would be
// made once more.
func (r *Room) recall(ctx context.Context, side record.Side, strangers *[2][]run.Candidate) error {
	if some, err := r.store.Parked(ctx, r.Place(side)); err != nil || !some {
		return err
	}
	have := map[int64]bool{}
	for _, c := range strangers[side] {
		have[c.Num] = true
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

// recallLeft does so with what persons left out, by keys that name another record: the state does not hold those.
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

// unlinkedPair is unlinked for two candidates among entries that were read.
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
