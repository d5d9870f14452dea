package engine

import (
	"context"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// askTried asks a person about what holds another value since a trial, or none, and may be a user's doing
// as well as the system's.
func (r *run) askTried(ctx context.Context, t *record.Trial, changed []string, now record.Fields) error {
	if t.Op != record.Update {
		return nil
	}
	return r.askChanged(ctx, t.Place, t.Ref, changed, now, plan.Tried)
}

// askUnanswered asks a person about what an update without an answer was to write, and what may be a user's
// doing since. What is empty was emptied before the update arrived, or after: the first gives way to the
// value across, the second does not. What stands as before was never written, or was put back: it is asked
// about where another version, which no other edit explains, or what else was sent, shows that the update
// may have arrived. What holds what was sent is our own doing, or a user's: it is asked about where the
// record across shows something else, as after an undo.
func (r *run) askUnanswered(ctx context.Context, in record.Intent, now record.Record) error {
	var paths []string
	e, _, err := r.Store.Entry(ctx, in.Place, in.Change.Ref)
	if err != nil {
		return err
	}
	moved := in.Change.Version != "" && now.Version != "" && now.Version != in.Change.Version
	arrived := moved && !r.editedBeside(in, e, now.Fields)
	holds := func(p string, sent record.Value) bool {
		return r.holdsSent(in.Place.Side, record.Fields{p: sent}, now.Fields)
	}
	for p, sent := range in.Change.Fields {
		was := in.Change.Before[p]
		arrived = arrived || was.Observed() && !was.Equal(sent) && holds(p, sent)
	}
	for p, sent := range in.Change.Fields {
		was, is := in.Change.Before[p], now.Fields[p]
		emptied := !was.Empty() && !sent.Empty() && is.Empty()
		back, ours := arrived && is.Equal(was), !is.Equal(was) && holds(p, sent)
		if was.Observed() && is.Observed() && (ours || (emptied || back) && !holds(p, sent)) {
			paths = append(paths, p)
		}
	}
	return r.askChanged(ctx, in.Place, in.Change.Ref, paths, now.Fields, plan.Unanswered)
}

// editedBeside reports whether a record holds something else than was settled, besides what a change was
// to write.
func (r *run) editedBeside(in record.Intent, e record.Entry, now record.Fields) bool {
	return slices.ContainsFunc(r.job.Mapping.Paths(in.Place.Side), func(p string) bool {
		_, sent := in.Change.Fields[p]
		return !sent && e.Base[p].Known() && now[p].Observed() && !r.asSettled(e.Base[p], now[p])
	})
}

// askChanged asks a person about paths of a record that were changed, and nobody can tell by whom, or when.
// Until that is answered they are neither brought across nor written over.
func (r *run) askChanged(ctx context.Context, place record.Place, ref record.Ref, changed []string, now record.Fields, policy string) error {
	if len(changed) == 0 {
		return nil
	}
	pair, ok, err := r.Store.PairOf(ctx, place, ref)
	if err != nil || !ok {
		return err
	}
	open, err := r.Store.Choices(ctx, pair.Link)
	if err != nil {
		return err
	}
	side := place.Side
	var shown [2]record.Fields
	shown[side], _ = r.job.Mapping.Read(side, now)
	shown[side.Other()], _ = r.job.Mapping.Read(side.Other(), pair.Sides[side.Other()].Last())
	var all []record.Conflict
	for _, f := range r.job.Mapping.Fields() {
		c, asked := open[f.Name]
		same := shown[record.Left][f.Name].Equal(shown[record.Right][f.Name])
		if inputs := r.job.Mapping.Inputs(side, f.Name); !same && slices.ContainsFunc(inputs, func(p string) bool { return slices.Contains(changed, p) }) {
			c = record.Conflict{
				Field: f.Name, Left: shown[record.Left][f.Name], Right: shown[record.Right][f.Name], Policy: policy,
				Why: plan.WhyChanged(policy),
			}
			asked = true
		}
		if asked {
			all = append(all, c)
		}
	}
	return r.keepConflicts(ctx, pair.Link, all)
}

// askedSinceTrial is the fields about which a person is asked because of what our own updates may have
// done, with the policy of the question.
func askedSinceTrial(open map[string]record.Conflict) map[string]string {
	out := map[string]string{}
	for f, c := range open {
		if c.Policy == plan.Tried || c.Policy == plan.Emptied || c.Policy == plan.Unanswered {
			out[f] = c.Policy
		}
	}
	return out
}

// knownOfTrial is what is known of the record of a trial, besides what is sent: what is edited meanwhile
// would be emptied with all else, and what stood there before put back.
func (r *run) knownOfTrial(ctx context.Context, in record.Intent) (record.Fields, error) {
	e, ok, err := r.Store.Entry(ctx, in.Place, in.Change.Ref)
	if err != nil || !ok {
		return nil, err
	}
	known, last := record.Fields{}, e.Last()
	for _, p := range r.job.Mapping.Paths(in.Place.Side) {
		if _, sent := in.Change.Fields[p]; !sent && last[p].Observed() && !r.side(in.Place.Side).Can.ComesLater(p) {
			known[p] = last[p]
		}
	}
	return known, nil
}
