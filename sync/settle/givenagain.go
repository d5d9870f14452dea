package settle

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/record"
)

// A system that was put back to an older copy gives ids once more that it gave after the copy was made. Under such
// an id it has another record now than the one that was linked. Both answers to the halt would write over one of
// the two, so a person is asked about the record before anything is written.

// NoteGivenAgain notes which records of a link may be others by now, because their system was put back, or because
// a create without an answer may have got the id.
func (r *Room) NoteGivenAgain(ctx context.Context, p record.Pair) error {
	for _, side := range record.Sides {
		e := p.Sides[side]
		if _, taken := r.tookPlace(side, e); taken {
			r.observe.OtherNow[e.Num] = true
			continue
		}
		if _, back := r.trust.AnsweredBack(side); !back || e.Seen == nil || e.Base == nil {
			continue
		}
		another := !r.Job.VouchedFor(side, e) && r.hasNoKey(side, e)
		if !another {
			var err error
			if another, err = r.lacksMark(ctx, side, p.Entity, e); err != nil {
				return fmt.Errorf("look whether %s is what was made there: %w", e.Ref, err)
			}
		}
		if another {
			r.observe.OtherNow[e.Num] = true
		}
	}
	return nil
}

// MayBeBack reports whether a record may be the one of an ended link, put back, although it was made at another
// time. It may be if a field that it is matched by is as it was, if nothing else of it was ever settled, or if the
// record can't be read now.
func (r *Room) MayBeBack(ctx context.Context, side record.Side, e record.Entry) bool {
	if r.Job.BecameAnother(side, e) || e.Base == nil {
		return false
	}
	at := time.Now()
	rec, found, err := r.shown(ctx, side, e.Ref, at)
	if err != nil || !found || r.knownByKeysAlone(side, e) {
		return true
	}
	return !r.hasNoKey(side, asFound(e, rec, at))
}

// knownByKeysAlone reports whether nothing was settled of a record but what it is matched by. Example: a guest whose
// phone is the same on both sides, and whose name never was. If that phone is another one, nothing tells whether the
// guest is.
func (r *Room) knownByKeysAlone(side record.Side, e record.Entry) bool {
	var keys []string
	for _, f := range r.matchFields() {
		keys = append(keys, r.Job.Mapping.Inputs(side, f)...)
	}
	for path, was := range e.Base {
		plain, readable := was.Plain()
		empty := readable && plain.Empty()
		if was.Known() && !empty && !slices.Contains(keys, path) {
			return false
		}
	}
	return true
}

// hasNoKey reports whether none of the fields that a record is matched by is as it was settled. If only one such
// field is known, it is not enough that this one differs: less than half of what the record held must be left,
// too, for an older copy may well hold another phone.
func (r *Room) hasNoKey(side record.Side, e record.Entry) bool {
	return !slices.ContainsFunc(e.MayShow(), func(base record.Base) bool {
		e.Base = base
		return r.hasKey(side, e)
	})
}

// hasKey reports whether a record may have a field that it is matched by as its base has it.
func (r *Room) hasKey(side record.Side, e record.Entry) bool {
	was, _ := r.Job.Mapping.Read(side, e.Base.Fields())
	now, _ := r.Job.Mapping.Read(side, e.Seen.Fields)
	differ := 0
	for _, f := range r.matchFields() {
		if was[f].Observed() && now[f].Observed() && was[f].Equal(now[f]) {
			return true
		}
		known, same := false, true
		for _, p := range r.Job.Mapping.Inputs(side, f) {
			if v := e.Seen.Fields[p]; v.Observed() && e.Base[p].Known() {
				known, same = true, same && r.AsSettled(e.Base[p], v)
			}
		}
		switch {
		case known && same:
			return true
		case known:
			differ++
		}
	}
	return differ == 0 || differ == 1 && r.observe.Known(side, e, record.Record{Ref: e.Ref, Fields: e.Seen.Fields})
}

// matchFields is the fields that records are matched by, each once.
func (r *Room) matchFields() (out []string) {
	for _, rule := range r.Job.Match {
		out = append(out, rule...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// lacksMark reports whether a record that was made with our mark no longer bears it, while the list shows marks of
// ours on other records.
func (r *Room) lacksMark(ctx context.Context, side record.Side, entity string, e record.Entry) (bool, error) {
	if r.observe.LastList[side] == nil || !r.observe.LastList[side].Marked || e.Seen.View == "receipt" {
		return false, nil
	}
	mark := r.MarkOf(entity)
	if e.Seen.Stamp == mark {
		return false, nil
	}
	in, ok, err := r.store.Stamped(ctx, r.Place(side), mark)
	return ok && in.State == record.Settled && in.Link == e.Link, err
}
