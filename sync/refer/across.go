package refer

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Target says how a reference is written: as a record of this side of the job that it refers to.
type Target struct {
	Side record.Side
	ByID bool // the reference is written as an id, so the record has to be there
}

// targetOf returns how a reference that one side shows would be written on the other side.
func (r *Room) targetOf(side record.Side, ref run.Reference) Target {
	to := side.Other()
	return Target{Side: ref.Sides[to], ByID: r.Job.Mapping.PartPath(to, ref.Field, mapping.PartID) != ""}
}

// pairOf returns what a linked record means to a record that names it. It means the entity of its link, as long as
// the link leads to the record that was linked. An id of a broken link names another record, and a link with a
// record across that is gone leads to nobody: until a person has said what becomes of it, nobody is named across.
// If the link is only remembered, the record has no partner.
func (r *Room) pairOf(ctx context.Context, place record.Place, ref record.Ref, to Target) (run.Resolution, error) {
	pair, ok, err := r.store.PairOf(ctx, place, ref)
	w := waitFor(place, ref)
	if err != nil || !ok {
		return run.Resolution{Standing: Waiting, Wait: w}, err
	}
	job, across := r.Jobs[place.Binding], pair.Sides[to.Side]
	partner := r.Named(record.Place{Binding: place.Binding, Side: to.Side}, across.Ref)
	res := run.Resolution{Standing: Known, Value: record.OfText(pair.Entity), Wait: w}
	switch {
	case pair.State == record.LinkParted || pair.State == record.LinkGone:
		none := r.noPartner(place, ref, across.Ref, partner)
		if pair.GoesAlone(place.Side) {
			none.Why += fmt.Sprintf("; enter it in %s again, and nightporter conflicts asks whether the two are the same", job.Sides[to.Side].System)
		}
		return none, nil
	case r.LeadsAstray(job, pair):
		res.Standing, res.State, res.Partner, res.Value = Held, record.Held, across.Ref, MarkLeftOut(ref.ID)
		res.Why = fmt.Sprintf("a person is asked whether %s is still %s: decide with nightporter conflicts", partner, r.Named(place, ref))
	case !to.ByID && across.State != record.Gone: // its texts are written, and they are known
	case !to.ByID:
		other, err := r.namesAnother(ctx, job, record.Place{Binding: place.Binding, Side: to.Side}, across)
		if err != nil || !other {
			return res, err
		}
		gone, err := r.partnerGone(ctx, place, ref, across, partner, res)
		if gone.Standing != LeftOut { // by rule the record goes on alone, and is known by its texts
			res = gone
		}
		return res, err
	case across.State == record.Gone:
		return r.partnerGone(ctx, place, ref, across, partner, res)
	case across.State.Doubted():
		res.Standing, res.Why = Waiting, fmt.Sprintf("%s may be gone, as whom %s is known there", partner, r.Named(place, ref))
	}
	return res, nil
}

// namesAnother reports whether the phone of a record that is gone now belongs to another record of its side. That
// may be the same person, entered anew, or somebody else who has the number since.
func (r *Room) namesAnother(ctx context.Context, job *run.Job, place record.Place, e record.Entry) (bool, error) {
	had, _ := job.Mapping.Read(place.Side, e.Last())
	phone := had["phone"].Text()
	if phone == "" {
		return false, nil
	}
	es, err := r.store.Matching(ctx, place, []record.Key{{Name: "phone", Text: phone}})
	return slices.ContainsFunc(es, func(o record.Entry) bool { return o.Num != e.Num && o.State != record.Gone }), err
}

// LeadsThere reports whether a link leads to a record that may be written as a reference.
func (r *Room) LeadsThere(job *run.Job, pair record.Pair, to Target) bool {
	e := pair.Sides[to.Side]
	absent := pair.State.Ended() || e.State == record.Gone || e.State.Doubted()
	return !r.LeadsAstray(job, pair) && (!to.ByID || !absent)
}

// LeadsAstray reports whether an id of a link may now name another record than the one that was linked.
func (r *Room) LeadsAstray(job *run.Job, pair record.Pair) bool {
	if pair.State == record.LinkBroken {
		return true
	}
	for _, side := range record.Sides {
		if e := pair.Sides[side]; r.observe.IsAnother(job, side, e) {
			return true
		}
	}
	return false
}

// partnerGone returns what a linked record means if its partner across is gone. Either a person is asked about it,
// or is to be asked: then it is held. Or the record goes on alone by rule: then it is left out.
func (r *Room) partnerGone(ctx context.Context, place record.Place, ref record.Ref, across record.Entry, partner string, res run.Resolution) (run.Resolution, error) {
	t, _, err := r.store.Tombstone(ctx, across.Num)
	if t.Done == record.AfterIgnored {
		return r.noPartner(place, ref, across.Ref, partner), err
	}
	res.Standing, res.State, res.Partner = Held, record.Held, across.Ref
	gone := fmt.Sprintf("%s is gone, as whom %s is known there: ", partner, r.Named(place, ref))
	if err != nil {
		return res, err
	}
	asked, err := r.store.Choices(ctx, across.Link)
	if _, is := asked[run.RecordField]; !is {
		res.Unasked, res.Why = true, gone+"it waits until it is known what becomes of the latter"
		return res, err
	}
	res.Why = gone + "decide with nightporter conflicts"
	return res, err
}

// noPartner returns what a record means that goes its own way, because its link was ended.
func (r *Room) noPartner(place record.Place, ref, across record.Ref, partner string) run.Resolution {
	return run.Resolution{
		Standing: LeftOut, Value: MarkLeftOut(ref.ID), Wait: waitFor(place, ref), State: record.LeftOut, Partner: across,
		Why: fmt.Sprintf("%s goes its own way: its link to %s was ended", r.Named(place, ref), partner),
	}
}

// Named is how a message names a record of another job: the record and its system.
func (r *Room) Named(place record.Place, ref record.Ref) string {
	return fmt.Sprintf("%s of %s", ref, r.Jobs[place.Binding].Sides[place.Side].System)
}
