package run

import (
	"fmt"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// ArrivesPending reports whether a booking that is entered on a side arrives there as pending.
func (r *Run) ArrivesPending(side record.Side) bool {
	b := r.Job.Booking
	return b != nil && !b.Asks && b.Pending != "" && side == b.Authority
}

// CanRefuse reports whether a side has a word for a booking that was refused.
func (r *Run) CanRefuse(side record.Side) bool {
	b := r.Job.Booking
	if b == nil || b.Refused == "" {
		return false
	}
	_, problems := r.Job.Mapping.Write(side, record.Fields{b.Status: record.OfText(b.Refused)}, nil)
	return len(problems) == 0
}

// decidedBy returns the fields that must be as they were when a change of status is sent. The side with authority takes
// a booking back because it has no room on these days, for this guest. Example: the desk moved the booking to other
// days meanwhile, and there is a room.
func (r *Run) decidedBy(side record.Side) []string {
	fields := []string{r.Job.Booking.Status}
	if side != r.Job.Booking.Authority {
		return fields
	}
	return append(fields, r.PlacedBy()...)
}

// PlacedBy returns the fields that say for whom a booking takes a room, and on which days.
func (r *Run) PlacedBy() []string {
	fields := []string{r.Job.Booking.First, r.Job.Booking.Last}
	for _, ref := range r.Job.References {
		fields = append(fields, ref.Field)
	}
	return slices.DeleteFunc(fields, func(f string) bool { return f == "" })
}

// StatusAction makes an action that changes a record's status and nothing else. It fails if the side
// can't write that word.
func (r *Run) StatusAction(side record.Side, s plan.Side, link record.LinkID, word, why string) (plan.Action, error) {
	b, m := r.Job.Booking, r.Job.Mapping
	value := record.OfText(word)
	native, problems := m.Write(side, record.Fields{b.Status: value}, s.Native)
	if len(problems) > 0 {
		return plan.Action{}, fmt.Errorf("write status %s to %s: %s", word, r.Side(side).System, problems[0].Text)
	}
	a := plan.Action{
		Side: side, Link: link, Source: s.Ref, Reason: why, Priority: r.Job.Rules.Urgent + 1, Day: s.Now[b.First].Text(),
		Change: record.Change{Op: record.Update, Ref: s.Ref, Version: s.Version, Fields: native, Before: record.Fields{}},
		Fields: []record.FieldReason{{Field: b.Status, Policy: "rules", Before: s.Now[b.Status], After: value, Reason: why}},
	}
	if link == 0 {
		a.From = s.Entry
	}
	if r.Side(side).Can.Status != "" {
		a.Change.Op = record.Action
	}
	for _, field := range r.decidedBy(side) {
		for _, p := range m.Inputs(side, field) {
			a.Change.Before[p] = s.Native[p]
		}
	}
	plan.SentAlong(r.Job.Rules.Kinds[side], s, a.Change)
	a.Risk = plan.RiskOf(b.Status, a.Change, a.Fields)
	return a, nil
}
