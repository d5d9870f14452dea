package refer

import (
	"context"
	"fmt"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// standsAlone returns whom a record names by its id, if that is no longer the entity that the reference was settled
// on. It reports true if another record stood for the named one then (`if_several: represent`) and does so no more:
// the named one has a link of its own, or waits for one or for a person. Only the reference waits in that case. It
// reports false if the id may have gone to another record since, or if the named record was left out: then what was
// agreed upon stays.
func (r *Room) standsAlone(ctx context.Context, side record.Side, ref run.Reference, e record.Entry, was, parts record.Value) (run.Resolution, bool, error) {
	id := parts.Map()[mapping.PartID].Text()
	if id == "" || e.Link == 0 {
		return run.Resolution{}, false, nil
	}
	there := ref.Sides[side]
	job, place := r.Jobs[ref.Binding], record.Place{Binding: ref.Binding, Side: there}
	named, known, err := r.Known(ctx, place, record.Ref{Kind: job.Sides[there].Kind, ID: id})
	if err != nil || !known || named.State == record.Attached || r.observe.IsAnother(job, there, named) {
		return run.Resolution{}, false, err
	}
	stands, linked, err := r.store.ByEntity(ctx, ref.Binding, was.Text())
	if err != nil || !linked || stands.Sides[there].Num == named.Num {
		return run.Resolution{}, false, err
	}
	if then, err := r.HadIDThen(ctx, e.Link, named); err != nil || !then {
		return run.Resolution{}, false, err
	}
	res, err := r.standingOf(ctx, place, named, r.targetOf(side, ref))
	if err != nil {
		return res, false, fmt.Errorf("look who stands for %s: %w", named.Ref, err)
	}
	return res, res.Standing != LeftOut, nil
}

// HadIDThen reports whether a record has had its id since before the records of a link were joined. A reference of
// theirs that was settled by this id means this very record, and not one that was given the id later.
func (r *Room) HadIDThen(ctx context.Context, link record.LinkID, named record.Entry) (bool, error) {
	pair, ok, err := r.store.Pair(ctx, link)
	return ok && !named.Since.After(pair.Made), err
}
