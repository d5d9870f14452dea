package observe

import (
	"fmt"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// StillCounting returns the actions of a link without those that carry over an edit which may not count any more. The
// record was edited, and may be gone since: it may have been edited once more before it went. Example: a stay was
// completed, then cancelled, and then removed. If nobody can read the record, that becomes a finding. What ends a
// booking goes, whether the record is gone or not, and so does what a person said.
func (r *Room) StillCounting(p record.Pair, c plan.Case, actions []plan.Action) []plan.Action {
	return slices.DeleteFunc(actions, func(a plan.Action) bool {
		from := a.Side.Other()
		e := p.Sides[from]
		if !e.State.Doubted() || e.Seen == nil || r.isOver(c.Sides[from]) || saidAll(c, a) {
			return false
		}
		if r.CanRead(from) { // it is read again soon
			r.Count("postponed", 1)
			r.Note(a.Side, a.Change.Ref, record.Waiting, fmt.Sprintf("nothing is written to it: %s of %s was edited, and may be gone since", e.Ref, r.Side(from).System))
			return true
		}
		f := run.FindingOf(record.FindUnseen, a)
		f.Text = fmt.Sprintf("%s of %s was edited, its list does not show it any more, and it can't be read by its id: whether the edit still counts is not known",
			e.Ref, r.Side(from).System)
		r.NoteFinding(f)
		r.Note(a.Side, a.Change.Ref, record.Waiting, "nothing is written to it: "+f.Text)
		return true
	})
}

// isOver reports whether a side was last seen as a booking that takes no room.
func (r *Room) isOver(s plan.Side) bool {
	b := r.Job.Booking
	return b != nil && slices.Contains(b.Dead, s.Now[b.Status].Text())
}

// saidAll reports whether a person said all that an action writes.
func saidAll(c plan.Case, a plan.Action) bool {
	return !slices.ContainsFunc(a.Fields, func(f record.FieldReason) bool { _, said := c.Choices[f.Field]; return !said })
}
