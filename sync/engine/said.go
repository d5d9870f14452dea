package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// What a person says of a record of a link is said of both. Until both have it, or were seen to
// be there after it, the one that has it counts as edited: found without a partner it is neither
// deleted nor put aside unasked.

// saidAlone reports whether what a person said stands on the record of a side alone, whose partner
// may be gone.
func (r *run) saidAlone(ctx context.Context, a *absence, side record.Side) (bool, error) {
	if len(chosenOf(a.asked)) > 0 {
		return true, nil
	}
	made, err := r.Store.Written(ctx, a.pair.Link, a.pair.Made)
	if err != nil {
		return true, fmt.Errorf("look what was written: %w", err)
	}
	gone := a.pair.Sides[side.Other()]
	there := r.settled(side.Other(), gone.Base, r.baseOf(&gone, gone.Last()))
	w := plan.Word{Made: made}
	for _, f := range plan.SettledApart(r.job.Rules, r.job.Seal, a.sides[side].Settled, there) {
		left, err := r.Store.LeftSo(ctx, a.pair.Link, f)
		if err != nil {
			return true, err
		}
		w.Left = w.Left || left
	}
	return w.StandsAlone(side, r.job.Seal, there), nil
}

// chosenOf is what persons chose of the fields of a link, and that is not known to be on both
// sides.
func chosenOf(asked map[string]record.Conflict) (chosen []record.Conflict) {
	for _, f := range slices.Sorted(maps.Keys(asked)) {
		if c := asked[f]; c.Choice != "" && f != RecordField {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// saidStands reports whether the record across is there, and as it was, where what is written is
// what a person said of both.
func (r *run) saidStands(ctx context.Context, a plan.Action) (bool, error) {
	if !a.BySaid() {
		return true, nil
	}
	pair, ok, err := r.Store.Pair(ctx, a.Link)
	if err != nil || !ok {
		return true, err
	}
	side := a.Side.Other()
	if e := pair.Sides[side]; r.ofThisRun(e.Acked) { // it answered a write just now
		return true, nil
	}
	there, err := r.isThere(ctx, side, pair.Link)
	if err != nil {
		return false, err
	}
	if there {
		return r.standsAcross(ctx, side, pair)
	}
	r.count("postponed", 1)
	r.note(a.Side, a.Change.Ref, record.Waiting,
		fmt.Sprintf("what a person said of it is not written before it is known whether %s still has the record across", r.side(side).System))
	return false, nil
}

// standsAcross reports whether the record of a side is as it was when something was decided about
// its link. What shows other values now is planned anew.
func (r *run) standsAcross(ctx context.Context, side record.Side, was record.Pair) (bool, error) {
	now, ok, err := r.Store.Pair(ctx, was.Link)
	if err != nil || ok && now.Sides[side].Last().Equal(was.Sides[side].Last()) {
		return true, err
	}
	r.count("stale", 1)
	r.strays = true
	return false, nil
}

// isThere reports whether the record of a link is there, read by id. Where that can't be done
// nothing is ever proven gone, and nothing is taken away because of that.
func (r *run) isThere(ctx context.Context, side record.Side, link record.LinkID) (bool, error) {
	if !r.canRead(side) {
		return true, nil
	}
	pair, ok, err := r.Store.Pair(ctx, link)
	if err != nil || !ok {
		return false, err
	}
	if read, err := r.readFirst(ctx, side, pair.Sides[side].Ref); err != nil || !read {
		return false, err
	}
	if pair, ok, err = r.Store.Pair(ctx, link); err != nil || !ok {
		return false, err
	}
	return !r.mayGo(side, pair.Sides[side]), nil
}

// mayGo reports whether a record is gone, or may yet be proven to be.
func (r *run) mayGo(side record.Side, e record.Entry) bool {
	return r.canRead(side) && (e.State.Doubted() || e.State == record.Gone)
}
