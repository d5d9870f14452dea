package links

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// What a person says of a record of a link is said of both. Until both have it, or were seen to
// be there after it, the one that has it counts as edited: found without a partner it is neither
// deleted nor put aside unasked.

// SaidAlone reports whether what a person said stands on the record of a side alone, whose partner
// may be gone.
func (r *Room) SaidAlone(ctx context.Context, a *run.Absence, side record.Side) (bool, error) {
	if len(ChosenOf(a.Asked)) > 0 {
		return true, nil
	}
	made, err := r.store.Written(ctx, a.Pair.Link, a.Pair.Made)
	if err != nil {
		return true, fmt.Errorf("look what was written: %w", err)
	}
	gone := a.Pair.Sides[side.Other()]
	there := r.refer.Settled(side.Other(), gone.Base, r.observe.BaseOf(&gone, gone.Last()))
	w := plan.Word{Made: made}
	for _, f := range plan.SettledApart(r.Job.Rules, r.Job.Seal, a.Sides[side].Settled, there) {
		left, err := r.store.LeftSo(ctx, a.Pair.Link, f)
		if err != nil {
			return true, err
		}
		w.Left = w.Left || left
	}
	return w.StandsAlone(side, r.Job.Seal, there), nil
}

// ChosenOf is what persons chose of the fields of a link, and that is not known to be on both
// sides.
func ChosenOf(asked map[string]record.Question) (chosen []record.Question) {
	for _, f := range slices.Sorted(maps.Keys(asked)) {
		if c := asked[f]; c.Choice != "" && f != run.RecordField {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// SaidStands reports whether the record across is there, and as it was, where what is written is
// what a person said of both.
func (r *Room) SaidStands(ctx context.Context, a plan.Action) (bool, error) {
	if !a.BySaid() {
		return true, nil
	}
	pair, ok, err := r.store.Pair(ctx, a.Link)
	if err != nil || !ok {
		return true, err
	}
	side := a.Side.Other()
	if e := pair.Sides[side]; r.OfThisRun(e.Acked) { // it answered a write just now
		return true, nil
	}
	there, err := r.IsThere(ctx, side, pair.Link)
	if err != nil {
		return false, err
	}
	if there {
		return r.standsAcross(ctx, side, pair)
	}
	r.Count("postponed", 1)
	r.Note(a.Side, a.Change.Ref, record.Waiting,
		fmt.Sprintf("what a person said of it is not written before it is known whether %s still has the record across", r.Side(side).System))
	return false, nil
}

// standsAcross reports whether the record of a side is as it was when something was decided about
// its link. What shows other values now is planned anew.
func (r *Room) standsAcross(ctx context.Context, side record.Side, was record.Pair) (bool, error) {
	now, ok, err := r.store.Pair(ctx, was.Link)
	if err != nil || ok && now.Sides[side].Last().Equal(was.Sides[side].Last()) {
		return true, err
	}
	r.Count("stale", 1)
	r.observe.Strays = true
	return false, nil
}

// IsThere reports whether the record of a link is there, read by id. Where that can't be done
// nothing is ever proven gone, and nothing is taken away because of that.
func (r *Room) IsThere(ctx context.Context, side record.Side, link record.LinkID) (bool, error) {
	if !r.CanRead(side) {
		return true, nil
	}
	pair, ok, err := r.store.Pair(ctx, link)
	if err != nil || !ok {
		return false, err
	}
	if read, err := r.observe.ReadFirst(ctx, side, pair.Sides[side].Ref); err != nil || !read {
		return false, err
	}
	if pair, ok, err = r.store.Pair(ctx, link); err != nil || !ok {
		return false, err
	}
	return !r.MayGo(side, pair.Sides[side]), nil
}

// MayGo reports whether a record is gone, or may yet be proven to be.
func (r *Room) MayGo(side record.Side, e record.Entry) bool {
	return r.CanRead(side) && (e.State.Doubted() || e.State == record.Gone)
}
