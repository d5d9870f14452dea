package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/pull"
	"nightporter/sync/record"
)

// A record that is listed and can't be read, since it is too large or makes no sense, may
// be any that its side seems to lack. It is read by its id, to be told by its keys and for
// nothing else: it stays aside. Where that fails no list of the side proves that it lacks
// anything: a create is looked up first, and where that can't be done all of them are one
// question to a person, and not one for each.

const (
	illegibleReads = 100       // such records that a run reads by id at most
	illegibleRetry = time.Hour // after a read by id that could make nothing of it
)

// illegibleOn is the unlinked records of a side that nobody could read, but for those that
// this run has told by their keys. One that the last whole list did not show counts for as
// long as a read by id can still tell.
func (r *run) illegibleOn(ctx context.Context, side record.Side) ([]record.Entry, error) {
	if known := r.illegibles[side]; known != nil { // nothing was read since
		return *known, nil
	}
	es, err := r.Store.Illegible(ctx, r.place(side), batch)
	if err != nil {
		return nil, err
	}
	es = slices.DeleteFunc(es, func(e record.Entry) bool {
		_, told := r.toldByKeys[e.Num]
		return told || e.State.Doubted() && !r.canRead(side)
	})
	r.illegibles[side] = &es
	return es, nil
}

// canRead reports whether single records of a side can be read by their id.
func (r *run) canRead(side record.Side) bool {
	_, ok := r.side(side).Conn.(connectors.Getter)
	return ok && r.side(side).Can.Get
}

// readIllegible reads by id, once a run, what a side's lists show and nobody could read.
// One that fails is left alone for a while.
func (r *run) readIllegible(ctx context.Context, side record.Side) error {
	if r.triedIllegible[side] || r.opt.Skip[side] || !r.canRead(side) {
		return nil
	}
	r.triedIllegible[side] = true
	es, err := r.illegibleOn(ctx, side)
	if err != nil {
		return err
	}
	defer func() { r.illegibles[side] = nil }()
	reads, failed := 0, 0
	for _, e := range es {
		if at, tried := r.illegibleAt.Load(e.Num); tried && r.now.Sub(at.(time.Time)) < illegibleRetry || reads == illegibleReads {
			continue
		}
		reads++
		if err := r.tellByKeys(ctx, side, e); err != nil {
			if stop := r.passOver(side, err, &failed); stop != nil {
				return fmt.Errorf("read %s, which a list shows: %w", e.Ref, stop)
			}
			r.illegibleAt.Store(e.Num, r.now)
		}
	}
	return nil
}

// tellByKeys reads one record by id for its keys.
func (r *run) tellByKeys(ctx context.Context, side record.Side, e record.Entry) error {
	at := time.Now()
	rec, err := r.get(ctx, side, r.side(side).Conn.(connectors.Getter), e.Ref)
	r.count(side.String()+".reads", 1)
	switch class := connectors.ClassOf(err); {
	case class == connectors.NotFound:
		return r.notThere(ctx, side, e, at)
	case class == connectors.Moved:
		return r.moved(ctx, side, e, err)
	case class == connectors.OutOfScope:
		return r.judge(ctx, e, record.OutOfScope, "it is outside of what is to be read")
	case err != nil:
		return err
	}
	o := pull.Look(r.job.Mapping, side, rec, at, "get", r.refs, "").Observation
	s, err := r.sideOf(ctx, side, record.Entry{Num: e.Num, Place: e.Place, Ref: e.Ref, Since: e.Since, Seen: &o})
	if err != nil {
		return err
	}
	r.toldByKeys[e.Num] = told{ref: e.Ref, side: side, keys: r.job.Mapping.Keys(side, s.Native, resolvedOnly(s.Now))}
	return nil
}

// told is a record that is put aside, and by what it is known.
type told struct {
	ref  record.Ref
	side record.Side
	keys []record.Key
	left bool // a person left it alone
}

// shares reports whether it has one of the keys.
func (t told) shares(keys []record.Key) bool {
	return slices.ContainsFunc(keys, func(k record.Key) bool { return slices.Contains(t.keys, k) })
}

// isAside says that a side has a record with one of the keys that could only be told by
// them: nothing is made of it before it can be read.
func (r *run) isAside(side record.Side, keys []record.Key) string {
	for _, num := range slices.Sorted(maps.Keys(r.toldByKeys)) {
		if t := r.toldByKeys[num]; t.side == side && t.shares(keys) {
			return fmt.Sprintf("%s of %s has the same key and is put aside: nightporter quarantine says why", t.ref, r.side(side).System)
		}
	}
	return ""
}

// mayBeIllegible reports whether what is to be created may be there as a record that nobody
// can read, and the side can't be asked for it either.
func (r *run) mayBeIllegible(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	if can, err := r.cantBeThere(ctx, to, a); err != nil || can {
		return false, err
	}
	es, err := r.illegibleOn(ctx, to)
	if err != nil || len(es) == 0 {
		return false, err
	}
	asks, err := r.canAskFor(ctx, a)
	return !asks, err
}

// asksForIllegible reports whether a create is to be looked up whatever lists show: its side
// has records that nobody can read, and no person was asked about them.
func (r *run) asksForIllegible(ctx context.Context, to record.Side, a plan.Action) (bool, error) {
	if a.Risk == plan.RiskUnreadable {
		return false, nil
	}
	es, err := r.illegibleOn(ctx, to)
	return len(es) > 0, err
}

// freshIllegible reports whether a record that nobody can read came to a side so lately that a
// question for it may not find it yet.
func (r *run) freshIllegible(ctx context.Context, side record.Side) (bool, error) {
	es, err := r.illegibleOn(ctx, side)
	return slices.ContainsFunc(es, func(e record.Entry) bool { return time.Since(e.Since) <= r.side(side).Settle }), err
}

// canAskFor reports whether a side can be asked for what is to be created, by every rule that
// may know it and in ways that were seen to work: findFirst goes by these, too.
func (r *run) canAskFor(ctx context.Context, a plan.Action) (bool, error) {
	ways, err := r.waysFor(ctx, a)
	return len(ways) > 0, err
}

// mayHaveMade reports whether a record that came since a create was sent, and that is put
// aside because nobody can read it, may be what it made: one that has other keys is not.
func (r *run) mayHaveMade(ctx context.Context, in record.Intent) (bool, error) {
	side, m := in.Place.Side, r.job.Mapping
	es, err := r.Store.Illegible(ctx, r.place(side), batch)
	if err != nil {
		return false, err
	}
	canonical, _ := m.Read(side, in.Change.Fields)
	sent := m.Keys(side, in.Change.Fields, resolvedOnly(canonical))
	return slices.ContainsFunc(es, func(e record.Entry) bool {
		t, is := r.toldByKeys[e.Num]
		other := is && len(t.keys) > 0 && len(sent) > 0 && !t.shares(sent)
		return r.cameAfter(in, e) && !other
	}), nil
}
