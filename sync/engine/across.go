package engine

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// target is the side of a job whose records a reference would be written as.
type target struct {
	side record.Side
	byID bool // it is written as an id: the record has to be there
}

// targetOf is where a reference that a side shows would be written.
func (r *run) targetOf(side record.Side, ref Reference) target {
	to := side.Other()
	return target{side: ref.Sides[to], byID: r.job.Mapping.PartPath(to, ref.Field, mapping.PartID) != ""}
}

// pairOf is what a linked record means to one that names it: its entity, for as long as the
// link leads to the record that was linked. A link that is broken leads to a stranger, and one
// of which the record across is gone leads to nobody: until a person has said what becomes of
// it, nobody is named across. Of one that is only remembered the record has no partner.
func (r *run) pairOf(ctx context.Context, place record.Place, ref record.Ref, to target) (resolution, error) {
	pair, ok, err := r.Store.PairOf(ctx, place, ref)
	w := waitFor(place, ref)
	if err != nil || !ok {
		return resolution{standing: waiting, wait: w}, err
	}
	job, across := r.Jobs[place.Binding], pair.Sides[to.side]
	partner := r.named(record.Place{Binding: place.Binding, Side: to.side}, across.Ref)
	res := resolution{standing: known, value: record.OfText(pair.Entity), wait: w}
	switch {
	case pair.State == record.LinkParted || pair.State == record.LinkGone:
		return r.noPartner(place, ref, across.Ref, partner), nil
	case r.leadsAstray(job, pair):
		res.standing, res.state, res.partner, res.value = held, record.Held, across.Ref, markLeftOut(ref.ID)
		res.why = fmt.Sprintf("a person is asked whether %s is still %s: decide with nightporter conflicts", partner, r.named(place, ref))
	case !to.byID && across.State != record.Gone: // its texts are written, and they are known
	case !to.byID:
		other, err := r.namesAnother(ctx, job, record.Place{Binding: place.Binding, Side: to.side}, across)
		if err != nil || !other {
			return res, err
		}
		gone, err := r.partnerGone(ctx, place, ref, across, partner, res)
		if gone.standing != leftOut { // by rule it goes on alone, and is known by its texts
			res = gone
		}
		return res, err
	case across.State == record.Gone:
		return r.partnerGone(ctx, place, ref, across, partner, res)
	case across.State.Doubted():
		res.standing, res.why = waiting, fmt.Sprintf("%s may be gone, as whom %s is known there", partner, r.named(place, ref))
	}
	return res, nil
}

// namesAnother reports whether the phone by which a record that is gone was known means another
// record of its side by now: who was entered anew, or has the number since.
func (r *run) namesAnother(ctx context.Context, job *Job, place record.Place, e record.Entry) (bool, error) {
	had, _ := job.Mapping.Read(place.Side, e.Last())
	phone := had["phone"].Text()
	if phone == "" {
		return false, nil
	}
	es, err := r.Store.Matching(ctx, place, []record.Key{{Name: "phone", Text: phone}})
	return slices.ContainsFunc(es, func(o record.Entry) bool { return o.Num != e.Num && o.State != record.Gone }), err
}

// leadsThere reports whether a link leads to a record that may be written as a reference.
func (r *run) leadsThere(job *Job, pair record.Pair, to target) bool {
	e := pair.Sides[to.side]
	absent := pair.State.Ended() || e.State == record.Gone || e.State.Doubted()
	return !r.leadsAstray(job, pair) && (!to.byID || !absent)
}

// leadsAstray reports whether an id of a link may name another record than was linked.
func (r *run) leadsAstray(job *Job, pair record.Pair) bool {
	if pair.State == record.LinkBroken {
		return true
	}
	for _, side := range record.Sides {
		if e := pair.Sides[side]; r.isAnother(job, side, e) {
			return true
		}
	}
	return false
}

// partnerGone is what a linked record means of which the one across is gone: a person is
// asked about it, or it goes on alone by rule.
func (r *run) partnerGone(ctx context.Context, place record.Place, ref record.Ref, across record.Entry, partner string, res resolution) (resolution, error) {
	t, _, err := r.Store.Tombstone(ctx, across.Num)
	if t.Done == record.AfterIgnored {
		return r.noPartner(place, ref, across.Ref, partner), err
	}
	res.standing, res.state, res.partner = held, record.Held, across.Ref
	gone := fmt.Sprintf("%s is gone, as whom %s is known there: ", partner, r.named(place, ref))
	if err != nil {
		return res, err
	}
	asked, err := r.Store.Choices(ctx, across.Link)
	if _, is := asked[RecordField]; !is {
		res.unasked, res.why = true, gone+"it waits until it is known what becomes of the latter"
		return res, err
	}
	res.why = gone + "decide with nightporter conflicts"
	return res, err
}

// noPartner is what a record means that goes its own way.
func (r *run) noPartner(place record.Place, ref, across record.Ref, partner string) resolution {
	return resolution{
		standing: leftOut, value: markLeftOut(ref.ID), wait: waitFor(place, ref), state: record.LeftOut, partner: across,
		why: fmt.Sprintf("%s goes its own way: its link to %s was ended", r.named(place, ref), partner),
	}
}

func (r *run) named(place record.Place, ref record.Ref) string {
	return fmt.Sprintf("%s of %s", ref, r.Jobs[place.Binding].Sides[place.Side].System)
}
