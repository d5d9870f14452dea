package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"nightporter/sync/record"
)

// A person says that two records are the same, and before the next run one of them is moved, cancelled or
// corrected. Then no rule asks about the two any more, and each would be made once more across. What they
// said stands in the way of that: they are asked once more.

// saidMark begins what a question rests on that is put because a person answered another one: the id of the
// record across follows.
const saidMark = "said "

// saidID is the id of the record across that a person said a record is, "" if they did not: what they said, or
// what they are asked once more because of it.
func saidID(c record.Conflict) string {
	if rest, is := strings.CutPrefix(c.Facts, saidMark); is {
		id, err := strconv.Unquote(rest[:strings.LastIndexByte(rest, ' ')])
		if err != nil {
			return ""
		}
		return id
	}
	if id := c.Value.Text(); c.Choice == "value" && id != "create" && id != "leave" {
		return id
	}
	return ""
}

// loadSaidSame reads of which records a person said that they are the same, and that was not done yet.
func (r *run) loadSaidSame(ctx context.Context) error {
	r.saidSame, r.saidBy = [2]map[record.Ref]record.Ref{{}, {}}, [2]map[record.Ref]record.Ref{{}, {}}
	cs, err := r.Store.Conflicts(ctx, r.job.Binding, true)
	if err != nil {
		return fmt.Errorf("look what a person said: %w", err)
	}
	said := map[int64]string{}
	var nums []int64
	for _, c := range cs {
		if id := saidID(c); id != "" && c.Link == 0 && c.Entry != 0 {
			said[c.Entry] = id
			nums = append(nums, c.Entry)
		}
	}
	es, err := r.Store.Entries(ctx, nums)
	if err != nil {
		return fmt.Errorf("look of whom a person said something: %w", err)
	}
	for num, e := range es {
		if e.Link != 0 || e.State == record.Gone {
			continue
		}
		side := e.Place.Side
		with := record.Ref{Kind: r.side(side.Other()).Kind, ID: said[num]}
		r.saidSame[side][e.Ref], r.saidBy[side.Other()][with] = with, e.Ref
	}
	return nil
}

// planSaid keeps a record from being made across of which a person said that it is there, or that it is
// the one that stands there. It reports whether that is so.
func (r *run) planSaid(ctx context.Context, d *draft, side record.Side, s stranger) (bool, error) {
	with, is := r.saidSame[side][s.Ref]
	if from, chosen := r.saidBy[side][s.Ref]; chosen && !is { // of the two one is asked about
		d.waits = append(d.waits, waits{side: side, entry: s.brief, why: fmt.Sprintf("a person said that %s of %s is the same", from, r.side(side.Other()).System)})
		return true, nil
	}
	if !is {
		return false, nil
	}
	e, ok, err := r.Store.Entry(ctx, r.place(side.Other()), with)
	if err != nil || !ok || e.Link != 0 {
		return false, err
	}
	return true, r.planHeld(ctx, d, side, s, question{
		cause: saidBefore, said: with.ID,
		why:   fmt.Sprintf("a person said that it is %s of %s, and one of the two is no longer as it was then", with, r.side(side.Other()).System),
		about: []string{"it " + r.whoIs(side, s.since, s.keys), across(side, with) + " " + r.whoIs(side.Other(), e, e.Keys), string(stateOf(e))},
	})
}

// stateOf is whether a record is gone, as far as is known.
func stateOf(e record.Entry) record.EntryState {
	if e.State == record.Gone {
		return record.Gone
	}
	return record.InStep
}
