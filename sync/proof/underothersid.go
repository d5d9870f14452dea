package proof

import (
	"context"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/pull"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// A system may give the id of a record that is gone to another record. Until a person has said which record that
// is, the id stays linked to the one that is gone, and no rule matches the other. If its partner were created
// beside it, the record would be there twice. Example: guests 11 and 12 are removed, and guest 12 is entered again
// and gets the id 11. The contact of guest 12 waits until the question about the id 11 is answered.

// strangeReads is how many records that took the id of another one a run reads for their keys.
const strangeReads = 20

// UnderOthersID says that a side has a record with one of the keys under an id that was linked to another record,
// or that this can't be told now; "" if it has none. absences says that this plan decided links with a record that
// is gone, or that is another one.
func (r *Room) UnderOthersID(ctx context.Context, side record.Side, keys []record.Key, absences bool) (string, error) {
	system := r.Side(side).System
	const first = "%s of %s has the same key, and its id was linked to another record: a person says first which one it is (nightporter conflicts)"
	if ref, err := r.anotherNow(ctx, side, keys, absences); err != nil || ref.ID != "" {
		return fmt.Sprintf(first, ref, system), err
	}
	strange, err := r.strangeOn(ctx, side)
	if err != nil {
		return "", err
	}
	for _, t := range strange {
		switch {
		case t.Left:
		case t.Keys == nil:
			return fmt.Sprintf("%s of %s is another record than was linked under its id: it may be this one, and can't be read now", t.Ref, system), nil
		case t.Shares(keys):
			return fmt.Sprintf(first, t.Ref, system), nil
		}
	}
	return "", nil
}

// anotherNow returns a record of a side that has one of the keys and that this plan has found to be another one
// than was linked. The store does not know that yet. It is the zero Ref for none.
func (r *Room) anotherNow(ctx context.Context, side record.Side, keys []record.Key, absences bool) (record.Ref, error) {
	if !absences {
		return record.Ref{}, nil
	}
	found, err := r.store.Matching(ctx, r.Place(side), keys)
	if err != nil {
		return record.Ref{}, fmt.Errorf("look for records with the same keys: %w", err)
	}
	for _, e := range found {
		if e.Link == 0 || !r.observe.IsAnother(r.Job, side, e) {
			continue
		}
		if p, ok, err := r.store.Pair(ctx, e.Link); err != nil || ok && run.IsAskable(p) {
			return e.Ref, err
		}
	}
	return record.Ref{}, nil
}

// LeftUnderOthersID says that a side has a record with one of the keys under an id that was linked to another
// record, and that a person has left this record alone; "" if it has none.
func (r *Room) LeftUnderOthersID(ctx context.Context, side record.Side, keys []record.Key) (string, record.Ref, error) {
	strange, err := r.strangeOn(ctx, side)
	if err != nil {
		return "", record.Ref{}, err
	}
	for _, t := range strange {
		if t.Left && t.Shares(keys) {
			return fmt.Sprintf("%s of %s has the same key, and a person left it alone when they were asked which record it is", t.Ref, r.Side(side).System), t.Ref, nil
		}
	}
	return "", record.Ref{}, nil
}

// strangeOn returns the records of a side that took the id of another one, if a person is asked about them or was.
// Each has its keys, or nil if it could not be read. What a list shows of such a record is not kept, so it is read
// by id, once a run. For a side without reads by id there are none.
func (r *Room) strangeOn(ctx context.Context, side record.Side) ([]run.Told, error) {
	if r.strange[side] != nil || !r.CanRead(side) {
		return r.strange[side], nil
	}
	pairs, err := r.store.Strange(ctx, r.Place(side))
	if err != nil {
		return nil, fmt.Errorf("look for records that took the id of another one: %w", err)
	}
	out, failed := []run.Told{}, 0
	for _, p := range pairs {
		e := p.Sides[side]
		if p.State == record.LinkGone {
			continue
		}
		t, there := run.Told{Ref: e.Ref, Side: side, Left: !run.IsAskable(p)}, true
		if len(out) < strangeReads {
			if t.Keys, there, err = r.keysOfStrange(ctx, side, e); r.observe.PassOver(side, err, &failed) != nil {
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

// keysOfStrange reads a record that took the id of another one, and returns its keys, which are not nil. It reports
// false if there is no such record any more.
func (r *Room) keysOfStrange(ctx context.Context, side record.Side, e record.Entry) ([]record.Key, bool, error) {
	at := time.Now()
	rec, err := r.Get(ctx, side, r.Side(side).Conn.(connectors.Getter), e.Ref)
	r.Count(side.String()+".reads", 1)
	switch class := connectors.ClassOf(err); {
	case class == connectors.NotFound, class == connectors.Moved, class == connectors.OutOfScope:
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	o := pull.Look(r.Job.Mapping, side, rec, at, "get", r.Refs, "").Observation
	s, err := r.refer.SideOf(ctx, side, record.Entry{Num: e.Num, Place: e.Place, Ref: e.Ref, Since: e.Since, Seen: &o})
	if err != nil {
		return nil, false, err
	}
	return append([]record.Key{}, r.Job.Mapping.Keys(side, s.Native, run.ResolvedOnly(s.Now))...), true, nil
}
