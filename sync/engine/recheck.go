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
// have taken back the edit. If a record can't be read, or its read can't be believed yet, its changes wait for a later
// run. They stay approved.
func (r *Room) recheck(ctx context.Context) error {
	if r.Options.Plan == nil {
		return nil
	}
	if err := r.guards.OpenBook(ctx); err != nil {
		return err
	}
	var from [2]map[record.Ref][]string // actions by the records that they come from
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
			from[side] = map[record.Ref][]string{}
		}
		from[side][ref] = append(from[side][ref], action)
	}
	r.Options.Plan = maps.Clone(r.Options.Plan)
	for _, side := range record.Sides {
		unread, err := r.readAgain(ctx, side, slices.SortedFunc(maps.Keys(from[side]), byID))
		if err != nil {
			return fmt.Errorf("read %s of %s again: %w", r.Side(side).Kind, r.Side(side).System, err)
		}
		for _, ref := range unread {
			for _, action := range from[side][ref] {
				delete(r.Options.Plan, action)
			}
		}
	}
	return nil
}

// readAgain reads records once more, and returns those of which no read counts.
func (r *Room) readAgain(ctx context.Context, side record.Side, refs []record.Ref) (unread []record.Ref, err error) {
	_, can := r.Side(side).Conn.(connectors.Getter)
	if len(refs) > recheckAtOnce || len(refs) > 0 && (!can || !r.Side(side).Can.Get) {
		return nil, r.observe.PullWhole(ctx, side) // a list of changes does not show that a record is gone
	}
	for _, ref := range refs {
		read, err := r.observe.ReadFirst(ctx, side, ref)
		if err != nil {
			return nil, err
		}
		if !read {
			unread = append(unread, ref)
		}
	}
	return unread, nil
}

func byID(a, b record.Ref) int { return cmp.Compare(a.ID, b.ID) }
