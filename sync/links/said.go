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

// What a person says of one record of a link holds for both. Until both records have it, or were seen to be there
// after that, the record that has it counts as edited: if its partner is found to be gone, it is neither deleted
// nor put aside unasked.

// SaidAlone reports whether only the record of this side has what a person said. Its partner may be gone.
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

// ChosenOf returns what persons chose for fields of a link and is not known to be on both sides yet.
func ChosenOf(asked map[string]record.Question) (chosen []record.Question) {
	for _, f := range slices.Sorted(maps.Keys(asked)) {
		if c := asked[f]; c.Choice != "" && f != run.RecordField {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// SaidStands makes sure, before a write of what a person said of both records, that the record across is there and
// is as it was. It is true for any other action.
func (r *Room) SaidStands(ctx context.Context, a plan.Action) (bool, error) {
	if !a.BySaid() {
		return true, nil
	}
	pair, ok, err := r.store.Pair(ctx, a.Link)
	if err != nil || !ok {
		return true, err
	}
	side := a.Side.Other()
	if e := pair.Sides[side]; r.OfThisRun(e.Acked) { // it has answered a write of this run
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

// standsAcross reports whether the record of a side still holds what it held when its link was decided. If it
// shows other values now, the link is planned anew.
func (r *Room) standsAcross(ctx context.Context, side record.Side, was record.Pair) (bool, error) {
	now, ok, err := r.store.Pair(ctx, was.Link)
	if err != nil || ok && now.Sides[side].Last().Equal(was.Sides[side].Last()) {
		return true, err
	}
	r.Count("stale", 1)
	r.observe.Strays = true
	return false, nil
}

// IsThere reads the record of a link by id, and reports whether it is there. It is always true on a side that has
// no reads by id: no record is ever proven gone there, and nothing is taken away because of that.
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

// MayGo reports whether a record is gone, or may still be proven gone.
func (r *Room) MayGo(side record.Side, e record.Entry) bool {
	return r.CanRead(side) && (e.State.Doubted() || e.State == record.Gone)
}
