package observe

import (
	"context"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
	"nightporter/sync/run"
	"nightporter/sync/trust"
)

// Remember keeps what was learnt of one way of looking records up, for the rest of the run. by is the paths that it
// asks for.
func (r *Room) Remember(side record.Side, by []string, f run.Finding) {
	if r.Finds[side] == nil {
		r.Finds[side] = map[string]run.Finding{}
	}
	f.Tried = true
	r.Finds[side][WayOf(by)] = f
}

// WayOf names a way of looking records up. The order of its paths makes no difference.
func WayOf(by []string) string { return run.JoinFields(slices.Sorted(slices.Values(by))) }

// Find asks a side for the records that hold the values of ask. fault is an error about this question, or about
// this way of asking: such a way is not used again in this run. err is an error of the system.
func (r *Room) Find(ctx context.Context, side record.Side, f connectors.Finder, ask record.Fields) (found []record.Record, fault, err error) {
	found, err = f.Find(ctx, r.Side(side).Kind, ask, connectors.Scope{})
	r.Count(side.String()+".finds", 1)
	switch {
	case err == nil:
		return found, nil, nil
	case UnknownWay(err):
		r.Remember(side, ask.Names(), run.Finding{Fault: err})
		return nil, err, nil
	case ofQuestion(connectors.ClassOf(err)):
		return nil, err, nil
	}
	return nil, nil, err
}

// UnknownWay reports whether an error says that the system can't be asked in this way, or not with our key.
func UnknownWay(err error) bool {
	class := connectors.ClassOf(err)
	return class == connectors.Unsupported || class == connectors.Forbidden
}

// ofQuestion reports whether an error of this class is about what was asked. Such an error says nothing about the
// system that answered.
func ofQuestion(class connectors.ErrorClass) bool {
	switch class {
	case connectors.Rejected, connectors.Malformed, connectors.Unsupported, connectors.Refused, connectors.Stale,
		connectors.NotFound, connectors.OutOfScope, connectors.Moved, connectors.Exists:
		return true
	case connectors.Transient, connectors.Throttled, connectors.Unauthorized, connectors.Forbidden, connectors.Ambiguous:
	}
	return false
}

// FindWorks reports whether a way of looking records up works. Once in each run it asks for records that are known
// to be there. Only if one of them is found does an empty answer mean that there is no such record.
func (r *Room) FindWorks(ctx context.Context, side record.Side, f connectors.Finder, by []string) (bool, error) {
	if r.Side(side).Can.FindAny {
		return true, nil
	}
	if known := r.Finds[side][WayOf(by)]; known.Tried {
		return known.Works, nil
	}
	r.Remember(side, by, run.Finding{}) // until it is seen to work
	controls, err := r.controls(ctx, side, by)
	if err != nil {
		return false, err
	}
	works, err := r.showsOne(ctx, side, f, controls)
	if works {
		r.Remember(side, by, run.Finding{Works: true})
	}
	return works, err
}

// showsOne reports whether a look-up shows one of the records that it is tried on. It reports false as soon as an
// answer has a record that was not asked for.
func (r *Room) showsOne(ctx context.Context, side record.Side, f connectors.Finder, controls []run.Control) (bool, error) {
	for _, c := range controls {
		found, fault, err := r.Find(ctx, side, f, c.Ask)
		if err != nil || UnknownWay(fault) {
			return false, err
		}
		for _, rec := range found {
			if !r.Answers(side, rec, c.Ask) {
				return false, nil // the filter is ignored
			}
			if rec.Ref.ID == c.ID {
				return true, nil
			}
		}
	}
	return false, nil
}

// SeeNew stores those of the found records that are what was asked for and that nobody knew yet. It reports whether
// there are any.
func (r *Room) SeeNew(ctx context.Context, side record.Side, found []record.Record, ask record.Fields, at time.Time) (some bool, err error) {
	for _, rec := range found {
		if !r.Answers(side, rec, ask) {
			continue // the filter is ignored
		}
		_, known, err := r.store.Entry(ctx, r.Place(side), rec.Ref)
		if err != nil {
			return false, err
		}
		if known {
			continue
		}
		if err := r.See(ctx, side, rec, at, "find"); err != nil {
			return false, err
		}
		some = true
	}
	return some, nil
}

// Answers reports whether a record is one that was asked for: it holds the values of ask, or bears the mark that
// was asked for.
func (r *Room) Answers(side record.Side, rec record.Record, ask record.Fields) bool {
	stamped := rec.Stamp != "" && ask[r.Side(side).Can.Stamp.Path].Text() == rec.Stamp
	return stamped || rec.Fields.Agrees(ask)
}

// controls returns a few linked records on which a way of looking records up is tried.
func (r *Room) controls(ctx context.Context, side record.Side, by []string) ([]run.Control, error) {
	sample, err := r.store.Sample(ctx, r.Place(side), 5)
	if err != nil {
		return nil, err
	}
	var out []run.Control
	if path := r.Side(side).Can.Stamp.Path; path != "" && len(by) == 1 && by[0] == path {
		if out, err = r.stamped(ctx, side, sample); err != nil {
			return nil, err
		}
	} else {
		for _, e := range sample {
			if ask := run.Pick(e.Last(), by); len(ask) == len(by) {
				out = append(out, run.Control{ID: e.Ref.ID, Ask: ask})
			}
		}
	}
	return out[:min(len(out), trust.Witnesses)], nil
}

// stampedFor is how far back creates are searched for one that carries our mark.
const stampedFor = 30 * 24 * time.Hour

// stamped returns linked records that carry a mark of ours, each with the question that asks for it. The path of
// the mark is no mapped field. So we know the mark only if a read showed it beside the fields, or if we made the
// record.
func (r *Room) stamped(ctx context.Context, side record.Side, sample []record.Entry) ([]run.Control, error) {
	path := r.Side(side).Can.Stamp.Path
	var out []run.Control
	for _, e := range sample {
		if e.Seen != nil && e.Seen.Stamp != "" {
			out = append(out, run.Control{ID: e.Ref.ID, Ask: record.Fields{path: record.OfText(e.Seen.Stamp)}})
		}
	}
	made, err := r.store.Created(ctx, r.Place(side), time.Now().Add(-stampedFor))
	if err != nil {
		return nil, err
	}
	settled := time.Now().Add(-r.Side(side).Settle) // a find may lag
	for i := len(made) - 1; i >= 0 && len(out) < trust.Witnesses; i-- {
		in := made[i]
		if in.Change.Stamp == "" || in.EndedAt.After(settled) {
			continue
		}
		pair, ok, err := r.store.Pair(ctx, in.Link)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, run.Control{ID: pair.Sides[side].Ref.ID, Ask: record.Fields{path: record.OfText(in.Change.Stamp)}})
		}
	}
	return out, nil
}
