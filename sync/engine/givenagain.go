package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/sync/record"
)

// A system that was put back to an older copy gives ids again that it gave since the copy. What
// it has under such an id now is another record than was linked. Both answers to the halt would
// write over one of the two, so a person is asked about it before anything is written.

// noteGivenAgain notes which records of a link are in doubt since their system was put back, or since
// a create was not answered.
func (r *run) noteGivenAgain(ctx context.Context, p record.Pair) error {
	for _, side := range record.Sides {
		e := p.Sides[side]
		if _, taken := r.tookPlace(side, e); taken {
			r.otherNow[e.Num] = true
			continue
		}
		if _, back := r.answeredBack(side); !back || e.Seen == nil || e.Base == nil {
			continue
		}
		another := !r.job.vouchedFor(side, e) && r.hasNoKey(side, e)
		if !another {
			var err error
			if another, err = r.lacksMark(ctx, side, p.Entity, e); err != nil {
				return fmt.Errorf("look whether %s is what was made there: %w", e.Ref, err)
			}
		}
		if another {
			r.otherNow[e.Num] = true
		}
	}
	return nil
}

// vouchedFor reports whether a record is known to be the one that was linked: it was made when that
// was, or has the key that it had first, as in a copy from before that was changed.
func (j *Job) vouchedFor(side record.Side, e record.Entry) bool {
	if strings.HasPrefix(e.Witness, record.BornWitness) { // what was made at another time is a stranger by now
		return !e.Seen.Created.IsZero()
	}
	return j.witnessed(e, j.keysNow(side, e))
}

// isAnother reports whether a record is another one than was linked under its id.
func (r *run) isAnother(job *Job, side record.Side, e record.Entry) bool {
	return e.State == record.Stranger || job.becameAnother(side, e) || job == r.job && r.otherNow[e.Num]
}

// mayBeBack reports whether a record that was made at another time than the one of an ended link may
// be that one, put back: something that it is matched by is as it was, or can't be read now.
func (r *run) mayBeBack(ctx context.Context, side record.Side, e record.Entry) bool {
	if r.job.becameAnother(side, e) || e.Base == nil {
		return false
	}
	at := time.Now()
	rec, found, err := r.shown(ctx, side, e.Ref, at)
	if err != nil || !found {
		return true
	}
	return !r.hasNoKey(side, asFound(e, rec, at))
}

// hasNoKey reports whether of all that a record is told by nothing is as it was settled. Where
// that is one field alone, less than half of what it held must be left too: an older copy may well
// hold another phone.
func (r *run) hasNoKey(side record.Side, e record.Entry) bool {
	was, _ := r.job.Mapping.Read(side, e.Base.Fields())
	now, _ := r.job.Mapping.Read(side, e.Seen.Fields)
	differ := 0
	for _, f := range r.matchFields() {
		if was[f].Observed() && now[f].Observed() && was[f].Equal(now[f]) {
			return false
		}
		known, same := false, true
		for _, p := range r.job.Mapping.Inputs(side, f) {
			if v := e.Seen.Fields[p]; v.Observed() && e.Base[p].Known() {
				known, same = true, same && r.asSettled(e.Base[p], v)
			}
		}
		switch {
		case known && same:
			return false
		case known:
			differ++
		}
	}
	return differ > 1 || differ == 1 && !r.known(side, e, record.Record{Ref: e.Ref, Fields: e.Seen.Fields})
}

// matchFields is the fields that records are matched by, each once.
func (r *run) matchFields() (out []string) {
	for _, rule := range r.job.Match {
		out = append(out, rule...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// lacksMark reports whether a record that was made with our mark bears it no more, while the list
// shows the marks of others.
func (r *run) lacksMark(ctx context.Context, side record.Side, entity string, e record.Entry) (bool, error) {
	if r.lastList[side] == nil || !r.lastList[side].marked || e.Seen.View == "receipt" {
		return false, nil
	}
	mark := "np:" + r.Install + ":" + entity
	if e.Seen.Stamp == mark {
		return false, nil
	}
	in, ok, err := r.Store.Stamped(ctx, r.place(side), mark)
	return ok && in.State == record.Settled && in.Link == e.Link, err
}

// watchesMarks reports whether a list of a side is to tell which records bear our mark.
func (r *run) watchesMarks(side record.Side) bool {
	_, back := r.answeredBack(side)
	return back && r.side(side).Can.Stamp.Path != ""
}
