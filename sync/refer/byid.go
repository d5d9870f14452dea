package refer

import (
	"context"
	"fmt"

	"nightporter/connectors"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// resolveID resolves a reference by id. A record that was merged into another one means that one.
func (r *Room) resolveID(ctx context.Context, place record.Place, ref record.Ref, to Target) (run.Resolution, error) {
	e, ok, err := r.Known(ctx, place, ref)
	switch {
	case err != nil:
		return run.Resolution{}, err
	case !ok:
		return r.unlisted(ctx, place, ref)
	}
	res, err := r.standingOf(ctx, place, e, to)
	if err != nil || e.State != record.Gone || res.Standing != LeftOut {
		return res, err
	}
	return r.mergedInto(ctx, place, e, to, res)
}

// Known returns what is known of the record that an id means. Where no record is known by just this id, the system
// is asked: a database takes '03' and 3 for one number, and the record that it shows is the one that is meant.
func (r *Room) Known(ctx context.Context, place record.Place, ref record.Ref) (record.Entry, bool, error) {
	e, ok, err := r.store.Entry(ctx, place, ref)
	if err != nil || ok {
		return e, ok, err
	}
	if listed, err := r.isListed(ctx, place); err != nil || !listed {
		return record.Entry{}, false, err
	}
	said, err := r.Ask(ctx, place, ref)
	if err != nil || !said.Respelt(ref) {
		return record.Entry{}, false, err
	}
	return r.store.Entry(ctx, place, said.Ref)
}

// isListed reports whether the last list of a place was complete.
func (r *Room) isListed(ctx context.Context, place record.Place) (bool, error) {
	scans, err := r.store.Ended(ctx, place, 1)
	return len(scans) > 0 && scans[0].Certificate.Complete, err
}

// unlisted returns what a reference means to a record that no list showed. That it is not there is not said while
// its system can't be asked for it.
func (r *Room) unlisted(ctx context.Context, place record.Place, ref record.Ref) (run.Resolution, error) {
	w := waitFor(place, ref)
	if listed, err := r.isListed(ctx, place); err != nil || !listed {
		return run.Resolution{Standing: Waiting, Wait: w, Why: fmt.Sprintf("%s was not seen yet", ref)}, err
	}
	said, err := r.Ask(ctx, place, ref)
	if err != nil {
		return run.Resolution{}, err
	}
	if said.later() {
		return run.Resolution{Standing: Waiting, Wait: w, State: record.Gone, Why: fmt.Sprintf("%s is in no list and can't be read now", ref)}, nil
	}
	return run.Resolution{
		Standing: LeftOut, Value: MarkLeftOut(ref.ID), Wait: w, State: record.Gone,
		Why: fmt.Sprintf("%s is not among what is read", ref),
	}, nil
}

// hops is how many merges are followed from one record, each into the next.
const hops = 5

// mergedInto returns what a reference means to a record that is gone: the record that it was merged into, as its
// tombstone says. away is what it means if it was merged into none that is known.
func (r *Room) mergedInto(ctx context.Context, place record.Place, e record.Entry, to Target, away run.Resolution) (run.Resolution, error) {
	for range hops {
		t, _, err := r.store.Tombstone(ctx, e.Num)
		if err != nil || t.Moved == "" {
			return away, err
		}
		away.State = record.Gone // its system is asked before anything is emptied for it
		next, ok, err := r.store.Entry(ctx, place, record.Ref{Kind: e.Ref.Kind, ID: t.Moved})
		if err != nil || !ok {
			return away, err
		}
		if e = next; e.State != record.Gone {
			return r.standingOf(ctx, place, e, to)
		}
	}
	return away, nil
}

// Said is what a system said when it was asked for one record by its id. The zero Said: it can't be asked.
type Said struct {
	Asked bool
	Ref   record.Ref // the record that came
	Err   error
}

// Respelt reports whether a record came under another id than it was asked for by: the system takes the two ids for
// one. An id of which the system says that it is another record's now is Moved, and none of these.
func (s Said) Respelt(ref record.Ref) bool {
	return s.Asked && s.Err == nil && s.Ref.ID != "" && s.Ref.ID != ref.ID
}

// ShowsLeftOut reports whether the system has just that record, outside of what is read.
func (s Said) ShowsLeftOut() bool { return connectors.ClassOf(s.Err) == connectors.OutOfScope }

// later reports whether the same question may be answered another time.
func (s Said) later() bool {
	class := connectors.ClassOf(s.Err)
	return class == connectors.Transient || class == connectors.Throttled
}

// Ask asks the system of a place for one record by its id, once a run. An error is that of a run that was ended.
func (r *Room) Ask(ctx context.Context, place record.Place, ref record.Ref) (Said, error) {
	job := r.Jobs[place.Binding]
	side := &job.Sides[place.Side]
	get, ok := side.Conn.(connectors.Getter)
	if !ok || !side.Can.Get {
		return Said{}, nil
	}
	w := waitFor(place, ref)
	if said, known := r.said[w]; known {
		return said, nil
	}
	rec, err := get.Get(ctx, ref, r.ScopeOf(job, place.Side))
	r.Count("reads", 1)
	if ctx.Err() != nil {
		return Said{}, fmt.Errorf("ask for %s: %w", ref, err)
	}
	said := Said{Asked: true, Ref: record.Ref{Kind: ref.Kind, ID: rec.Ref.ID}, Err: err}
	if r.said == nil {
		r.said = map[record.Wait]Said{}
	}
	r.said[w] = said
	return said, nil
}
