package decide

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// A record of a link is gone, and the one across was left as it is: that one goes its own way. A record that comes
// then with its key may be the one that is gone, entered again. No rule joins the two, because a person or a rule left
// the old one. A person is asked, and may say that they are the same.

// goesAlone returns the ended link of a record that goes its own way. It returns false for any other record, and while
// a person is asked about the link.
func (r *Room) goesAlone(ctx context.Context, e record.Entry) (record.Pair, bool, error) {
	if e.Link == 0 {
		return record.Pair{}, false, nil
	}
	p, ok, err := r.store.Pair(ctx, e.Link)
	if err != nil || !ok || !p.GoesAlone(e.Place.Side) {
		return p, false, err
	}
	asked, err := r.store.Choices(ctx, e.Link)
	if err != nil {
		return p, false, fmt.Errorf("look what persons are asked: %w", err)
	}
	_, open := asked[run.RecordField]
	return p, !open, nil
}

// mayBeAlone adds to a question that a record of side may be one that is gone, entered again: the record across of that
// link goes its own way. The answer counts as long as that record is who it was. The question stays as it is if the two
// have no key in common.
func (r *Room) mayBeAlone(ctx context.Context, side record.Side, s run.Stranger, p record.Pair, q question) (question, error) {
	gone, left := p.Sides[side], p.Sides[side.Other()]
	keys, err := r.match.KeysNow(ctx, side.Other(), left)
	if err != nil {
		return q, err
	}
	same := rulesOf(slices.DeleteFunc(slices.Clone(s.Keys), func(k record.Key) bool { return !slices.Contains(keys, k) }))
	if len(same) == 0 {
		return q, nil
	}
	why := fmt.Sprintf("%s of %s has the same %s and may be the same record: it was linked to %s of %s, which is gone, and it has had no partner since",
		left.Ref, r.Side(side.Other()).System, strings.Join(same, " and "), gone.Ref, r.Side(side).System)
	if len(q.beside) > 0 {
		why = q.why + "; " + why
	}
	q.why = why
	q.about = append(q.about, across(side, left.Ref)+" "+r.whoIs(side.Other(), left, keys))
	q.beside = append(q.beside, left.Ref)
	return q, nil
}

// aloneAcross is mayBeAlone for a record whose key is that of linked ones. It changes nothing unless all of those go
// their own way.
func (r *Room) aloneAcross(ctx context.Context, side record.Side, s run.Stranger, about []record.Ref, q question) (question, error) {
	var left []record.Pair
	for _, ref := range about {
		if here, ok, err := r.store.Entry(ctx, r.Place(side), ref); err != nil || ok && here.Link != 0 { // it is of its own side
			return q, err
		}
		e, ok, err := r.store.Entry(ctx, r.Place(side.Other()), ref)
		if err != nil || !ok {
			return q, err
		}
		p, alone, err := r.goesAlone(ctx, e)
		if err != nil || !alone {
			return q, err
		}
		left = append(left, p)
	}
	for _, p := range left {
		with, err := r.mayBeAlone(ctx, side, s, p, q)
		if err != nil {
			return q, err
		}
		q = with
	}
	return q, nil
}

// joinAlone joins a record of side with one across that goes its own way, as a person said. The old link goes on with
// the new record, and both are compared as at a first meeting. It returns false if the link has another record already.
func (r *Room) joinAlone(d *run.Draft, side record.Side, s run.Stranger, p record.Pair) bool {
	if r.gone.Absences[p.Link].Fate.Deed == away.Rewire {
		return false
	}
	a := run.Absence{Pair: p, Fate: away.Fate{Deed: away.Rewire, Side: side}, Joins: true}
	a.To[side] = s.Entry
	x := run.Decided{Link: p.Link, Entity: p.Entity, Gone: &a}
	for of, e := range p.Sides {
		x.Entries[of], x.Refs[of] = e.Num, e.Ref
	}
	r.gone.Absences[p.Link] = a
	d.Pairs = append(d.Pairs, x)
	return true
}
