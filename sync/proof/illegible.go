package proof

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/pull"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// A record that is listed and can't be read, because it is too large or makes no sense, may be any record that its
// side seems to lack. It is read by its id to learn its keys, and for nothing else: it stays aside. If that fails,
// no list of the side proves that the side lacks anything. Then a create is looked up first. Where that can't be
// done, all creates are one question to a person, and not one question each.

const (
	illegibleReads = 100       // a run reads at most so many such records by id
	illegibleRetry = time.Hour // so long after a read by id that could make nothing of a record
)

// IllegibleOn returns the records of a side without a link that nobody could read. Those with keys that this run
// has learnt are left out. A record that the last whole list did not show counts as long as a read by id can still
// tell.
func (r *Room) IllegibleOn(ctx context.Context, side record.Side) ([]record.Entry, error) {
	if known := r.Illegibles[side]; known != nil { // nothing was read since
		return *known, nil
	}
	es, err := r.store.Illegible(ctx, r.Place(side), run.Batch)
	if err != nil {
		return nil, err
	}
	es = slices.DeleteFunc(es, func(e record.Entry) bool {
		_, told := r.ToldByKeys[e.Num]
		return told || e.State.Doubted() && !r.CanRead(side)
	})
	r.Illegibles[side] = &es
	return es, nil
}

// ReadIllegible reads by id, once a run, the records that the lists of a side show and nobody could read. A record
// that fails is left alone for a while.
func (r *Room) ReadIllegible(ctx context.Context, side record.Side) error {
	if r.triedIllegible[side] || r.Options.Skip[side] || !r.CanRead(side) {
		return nil
	}
	r.triedIllegible[side] = true
	es, err := r.IllegibleOn(ctx, side)
	if err != nil {
		return err
	}
	defer func() { r.Illegibles[side] = nil }()
	reads, failed := 0, 0
	for _, e := range es {
		if at, tried := r.IllegibleAt.Load(e.Num); tried && r.Now.Sub(at.(time.Time)) < illegibleRetry || reads == illegibleReads {
			continue
		}
		reads++
		if err := r.tellByKeys(ctx, side, e); err != nil {
			if stop := r.observe.PassOver(side, err, &failed); stop != nil {
				return fmt.Errorf("read %s, which a list shows: %w", e.Ref, stop)
			}
			r.IllegibleAt.Store(e.Num, r.Now)
		}
	}
	return nil
}

// tellByKeys reads one record by id to learn its keys.
func (r *Room) tellByKeys(ctx context.Context, side record.Side, e record.Entry) error {
	at := time.Now()
	rec, err := r.Get(ctx, side, r.Side(side).Conn.(connectors.Getter), e.Ref)
	r.Count(side.String()+".reads", 1)
	switch class := connectors.ClassOf(err); {
	case class == connectors.NotFound:
		return r.NotThere(ctx, side, e, at)
	case class == connectors.Moved:
		return r.observe.Moved(ctx, side, e, err)
	case class == connectors.OutOfScope:
		return r.Judge(ctx, e, record.OutOfScope, "it is outside of what is to be read")
	case err != nil:
		return err
	}
	o := pull.Look(r.Job.Mapping, side, rec, at, "get", r.Refs, "").Observation
	s, err := r.refer.SideOf(ctx, side, record.Entry{Num: e.Num, Place: e.Place, Ref: e.Ref, Since: e.Since, Seen: &o})
	if err != nil {
		return err
	}
	r.ToldByKeys[e.Num] = run.Told{Ref: e.Ref, Side: side, Keys: r.Job.Mapping.Keys(side, s.Native, run.ResolvedOnly(s.Now))}
	return nil
}

// IsAside says that a side has a record with one of these keys that could only be read for its keys, "" if it has
// none. Nothing is created beside such a record before it can be read.
func (r *Room) IsAside(side record.Side, keys []record.Key) string {
	for _, num := range slices.Sorted(maps.Keys(r.ToldByKeys)) {
		if t := r.ToldByKeys[num]; t.Side == side && t.Shares(keys) {
			return fmt.Sprintf("%s of %s has the same key and is put aside: nightporter quarantine says why", t.Ref, r.Side(side).System)
		}
	}
	return ""
}

// freshIllegible reports whether a record that nobody can read came to a side so lately that a look-up may not find
// it yet.
func (r *Room) freshIllegible(ctx context.Context, side record.Side) (bool, error) {
	es, err := r.IllegibleOn(ctx, side)
	return slices.ContainsFunc(es, func(e record.Entry) bool { return time.Since(e.Since) <= r.Side(side).Settle }), err
}

// MayHaveMade reports whether a create may have made a record that came since it was sent, and that is put aside
// because nobody can read it. A record with other keys does not count.
func (r *Room) MayHaveMade(ctx context.Context, in record.Intent) (bool, error) {
	side, m := in.Place.Side, r.Job.Mapping
	es, err := r.store.Illegible(ctx, r.Place(side), run.Batch)
	if err != nil {
		return false, err
	}
	canonical, _ := m.Read(side, in.Change.Fields)
	sent := m.Keys(side, in.Change.Fields, run.ResolvedOnly(canonical))
	return slices.ContainsFunc(es, func(e record.Entry) bool {
		t, is := r.ToldByKeys[e.Num]
		other := is && len(t.Keys) > 0 && len(sent) > 0 && !t.Shares(sent)
		return r.CameAfter(in, e) && !other
	}), nil
}
