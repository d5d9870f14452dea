package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// recheckAtOnce is how many records are read one by one before approved changes are written. If there are more, the
// whole list is read.
const recheckAtOnce = 200

// recheck reads the records again that approved changes come from: between the question and the answer somebody may
// have taken back the edit.
func (r *Room) recheck(ctx context.Context) error {
	if r.Options.Plan == nil {
		return nil
	}
	if err := r.guards.OpenBook(ctx); err != nil {
		return err
	}
	var from [2]map[record.Ref]bool
	for action, x := range r.Book.Approved {
		if !r.Options.Plan[action] {
			continue
		}
		side := x.Stage.Side.Other()
		ref, ok, err := r.SourceOf(ctx, side, x.Row)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if from[side] == nil {
			from[side] = map[record.Ref]bool{}
		}
		from[side][ref] = true
	}
	for _, side := range record.Sides {
		if err := r.readAgain(ctx, side, from[side]); err != nil {
			return fmt.Errorf("read %s of %s again: %w", r.Side(side).Kind, r.Side(side).System, err)
		}
	}
	return nil
}

func (r *Room) readAgain(ctx context.Context, side record.Side, refs map[record.Ref]bool) error {
	_, can := r.Side(side).Conn.(connectors.Getter)
	if len(refs) > recheckAtOnce || len(refs) > 0 && (!can || !r.Side(side).Can.Get) {
		return r.observe.PullWhole(ctx, side) // a list of changes does not show that a record is gone
	}
	for _, ref := range slices.SortedFunc(maps.Keys(refs), func(a, b record.Ref) int { return cmp.Compare(a.ID, b.ID) }) {
		if _, err := r.observe.ReadFirst(ctx, side, ref); err != nil {
			return err
		}
	}
	return nil
}
