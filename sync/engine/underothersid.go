package engine

import (
	"context"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/pull"
	"nightporter/sync/record"
)

// A system gives the id of a record that is gone to another one. Until a person has said which record has the id now,
// the id stays linked to the one that is gone, and no rule matches the new one. A create of the same record would make
// it twice.
// Example: guests 11 and 12 are removed, and guest 12 is entered again and gets the id 11. The contact of guest 12
// waits until the question about the id 11 is answered.

// strangeReads is how many records that took an id of another one are read for their keys in a run.
const strangeReads = 20

// underOthersID says that a side has a record with one of the keys under an id that was linked to another record, or
// that this can't be told now; "" where it has none.
func (r *run) underOthersID(ctx context.Context, side record.Side, keys []record.Key) (string, error) {
	system := r.side(side).System
	if ref := r.unknownNow[side]; ref.ID != "" {
		return fmt.Sprintf("%s of %s is another record than was linked under its id: it may be this one, and is read first", ref, system), nil
	}
	const first = "%s of %s has the same key, and its id was linked to another record: a person says first which one it is (nightporter conflicts)"
	if ref, err := r.anotherNow(ctx, side, keys); err != nil || ref.ID != "" {
		return fmt.Sprintf(first, ref, system), err
	}
	strange, err := r.strangeOn(ctx, side)
	if err != nil {
		return "", err
	}
	for _, t := range strange {
		switch {
		case t.left:
		case t.keys == nil:
			return fmt.Sprintf("%s of %s is another record than was linked under its id: it may be this one, and can't be read now", t.ref, system), nil
		case t.shares(keys):
			return fmt.Sprintf(first, t.ref, system), nil
		}
	}
	return "", nil
}

// anotherNow is a record of a side that has one of the keys, and of which this plan has found that it is another one
// than was linked: that is not stored yet. The zero Ref is none.
func (r *run) anotherNow(ctx context.Context, side record.Side, keys []record.Key) (record.Ref, error) {
	if len(r.absences) == 0 {
		return record.Ref{}, nil
	}
	found, err := r.Store.Matching(ctx, r.place(side), keys)
	if err != nil {
		return record.Ref{}, fmt.Errorf("look for records with the same keys: %w", err)
	}
	for _, e := range found {
		if e.Link == 0 || !r.isAnother(r.job, side, e) {
			continue
		}
		if p, ok, err := r.Store.Pair(ctx, e.Link); err != nil || ok && isAskable(p) {
			return e.Ref, err
		}
	}
	return record.Ref{}, nil
}

// leftUnderOthersID says that a side has a record with one of the keys under an id that was linked to another record, and
// that a person has left it alone; "" where it has none.
func (r *run) leftUnderOthersID(ctx context.Context, side record.Side, keys []record.Key) (string, record.Ref, error) {
	strange, err := r.strangeOn(ctx, side)
	if err != nil {
		return "", record.Ref{}, err
	}
	for _, t := range strange {
		if t.left && t.shares(keys) {
			return fmt.Sprintf("%s of %s has the same key, and a person left it alone when they were asked which record it is", t.ref, r.side(side).System), t.ref, nil
		}
	}
	return "", record.Ref{}, nil
}

// isAskable reports whether a person is still asked, or may be, which record an id of a link names. A link that is only
// remembered was answered.
func isAskable(p record.Pair) bool { return p.State != record.LinkGone && p.State != record.LinkParted }

// strangeOn is the records of a side that took an id of another one and of which a person is asked, or was, each with
// its keys, or nil where it could not be read. What a list shows of them is not kept, so they are read by id, once a
// run. A side whose records can't be read by id has none.
func (r *run) strangeOn(ctx context.Context, side record.Side) ([]told, error) {
	if r.strange[side] != nil || !r.canRead(side) {
		return r.strange[side], nil
	}
	pairs, err := r.Store.Strange(ctx, r.place(side))
	if err != nil {
		return nil, fmt.Errorf("look for records that took the id of another one: %w", err)
	}
	out, failed := []told{}, 0
	for _, p := range pairs {
		e := p.Sides[side]
		if p.State == record.LinkGone {
			continue
		}
		t, there := told{ref: e.Ref, side: side, left: !isAskable(p)}, true
		if len(out) < strangeReads {
			if t.keys, there, err = r.keysOfStrange(ctx, side, e); r.passOver(side, err, &failed) != nil {
				return nil, fmt.Errorf("read %s, which took the id of another one: %w", e.Ref, err)
			}
		}
		if there || err != nil {
			out = append(out, t)
		}
	}
	r.strange[side] = out
	return out, nil
}

// keysOfStrange reads a record that took the id of another one for its keys, which are not nil. It reports false
// where there is no such record any more.
func (r *run) keysOfStrange(ctx context.Context, side record.Side, e record.Entry) ([]record.Key, bool, error) {
	at := time.Now()
	rec, err := r.get(ctx, side, r.side(side).Conn.(connectors.Getter), e.Ref)
	r.count(side.String()+".reads", 1)
	switch class := connectors.ClassOf(err); {
	case class == connectors.NotFound, class == connectors.Moved, class == connectors.OutOfScope:
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	o := pull.Look(r.job.Mapping, side, rec, at, "get", r.refs, "").Observation
	s, err := r.sideOf(ctx, side, record.Entry{Num: e.Num, Place: e.Place, Ref: e.Ref, Since: e.Since, Seen: &o})
	if err != nil {
		return nil, false, err
	}
	return append([]record.Key{}, r.job.Mapping.Keys(side, s.Native, resolvedOnly(s.Now))...), true, nil
}
