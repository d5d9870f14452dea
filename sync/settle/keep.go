package settle

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/guards"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Unlike notes in which fields one of two records that are to be linked shows another value than was sent. A create
// from the one got no answer, and the other has its key: either the create made it, or somebody entered it.
func (r *Room) Unlike(ctx context.Context, sides *[2]run.SeenSide) error {
	if r.match.Meeting[sides[record.Left].Entry] == "" && r.match.Meeting[sides[record.Right].Entry] == "" {
		return nil
	}
	open, err := r.store.Unsettled(ctx, r.Job.Binding)
	if err != nil {
		return fmt.Errorf("look up what was sent: %w", err)
	}
	for _, in := range open {
		side := in.Place.Side
		if from := sides[side.Other()].Entry; in.From == from && r.match.Meeting[from] == in.ID {
			sides[side].Unlike = r.unlike(in, sides[side])
		}
	}
	return nil
}

// unlike returns the canonical fields in which a record shows another value than a create sent. It is empty if the
// record's own times tell that nobody changed it since it was made.
func (r *Room) unlike(in record.Intent, s run.SeenSide) map[string]bool {
	out := map[string]bool{}
	if rec := s.Since.LastRecord(); record.AsMade(rec.Created, rec.Changed) {
		return out
	}
	for _, f := range r.Job.Mapping.Fields() {
		out[f.Name] = slices.ContainsFunc(r.Job.Mapping.Inputs(in.Place.Side, f.Name), func(p string) bool {
			sent, now := in.Change.Fields[p], s.Native[p]
			return sent.Observed() && now.Observed() && !now.Equal(sent) && (!now.Empty() || !sent.Empty()) && !now.Respells(sent)
		})
	}
	return out
}

// EndUnmet ends a create without an answer if its source is not linked with the record that came: the source is
// held, left out or waits, or another link takes it over. What came is then a record without a link like any
// other. num is the source.
func (r *Room) EndUnmet(ctx context.Context, num int64) error {
	id := r.match.Meeting[num]
	if id == "" {
		return nil
	}
	delete(r.match.Meeting, num)
	return r.store.FailIntent(ctx, r.Lease, id, record.Cancelled, "", guards.KeyHeld, time.Now())
}
