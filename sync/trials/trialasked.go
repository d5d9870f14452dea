package trials

import (
	"context"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// askTried asks a person about paths that hold another value, or none, since a trial. A user may have done that as
// well as the system.
func (r *Room) askTried(ctx context.Context, t *record.Trial, changed []string, now record.Fields) error {
	if t.Op != record.Update {
		return nil
	}
	return r.AskChanged(ctx, t.Place, t.Ref, changed, now, plan.Tried)
}

// AskChanged asks a person about paths of a record that were changed, if nobody can tell by whom, or when. Until
// the person answers, their fields are neither brought across nor written over.
func (r *Room) AskChanged(ctx context.Context, place record.Place, ref record.Ref, changed []string, now record.Fields, cause record.Cause) error {
	if len(changed) == 0 {
		return nil
	}
	pair, ok, err := r.store.PairOf(ctx, place, ref)
	if err != nil || !ok {
		return err
	}
	open, err := r.store.Choices(ctx, pair.Link)
	if err != nil {
		return err
	}
	side := place.Side
	var shown [2]record.Fields
	shown[side], _ = r.Job.Mapping.Read(side, now)
	shown[side.Other()], _ = r.Job.Mapping.Read(side.Other(), pair.Sides[side.Other()].Last())
	var all []record.Question
	for _, f := range r.Job.Mapping.Fields() {
		c, asked := open[f.Name]
		same := shown[record.Left][f.Name].Equal(shown[record.Right][f.Name])
		if inputs := r.Job.Mapping.Inputs(side, f.Name); !same && slices.ContainsFunc(inputs, func(p string) bool { return slices.Contains(changed, p) }) {
			c = record.Question{
				Subject: record.Subject{Field: f.Name}, Left: shown[record.Left][f.Name], Right: shown[record.Right][f.Name], Cause: cause,
				Why: plan.WhyChanged(cause),
			}
			asked = true
		}
		if asked {
			all = append(all, c)
		}
	}
	return r.KeepConflicts(ctx, pair.Link, all)
}

// knownOfTrial returns the known values of the record of a trial that the write does not send. The read right
// before the write must still show them. Otherwise a value that was edited meanwhile would be emptied with all
// else, and the older value would be put back.
func (r *Room) knownOfTrial(ctx context.Context, in record.Intent) (record.Fields, error) {
	e, ok, err := r.store.Entry(ctx, in.Place, in.Change.Ref)
	if err != nil || !ok {
		return nil, err
	}
	known, last := record.Fields{}, e.Last()
	for _, p := range r.Job.Mapping.Paths(in.Place.Side) {
		if _, sent := in.Change.Fields[p]; !sent && last[p].Observed() && !r.Side(in.Place.Side).Can.ComesLater(p) {
			known[p] = last[p]
		}
	}
	return known, nil
}

// fixed tells which paths no update of a side changes: what the system keeps for itself, such as the time of the
// change, and what has a request of its own.
func (r *Room) fixed(side record.Side) func(path string) bool {
	can, status := r.Side(side).Can, r.Job.Rules.Kinds[side].Status
	return func(p string) bool {
		return can.Unwritable(p) != "" || p == status || slices.Contains(can.Keeps, p)
	}
}
