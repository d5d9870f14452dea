package links

import (
	"fmt"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// After the state was put back to an older copy, a field that is empty on one side is filled from the other, as
// when two records meet for the first time. A person is asked first if they once said no to emptying the field on
// the other side, and the empty side was filled again: whoever emptied it after that made a new edit. Example: the
// phone of a guest was emptied in the PMS. A person said no to emptying it on the platform, so the PMS got it
// back. If it is empty in the PMS today, the person is asked.

// MadeAgain has a person asked before a field that was emptied again is filled.
func (r *Room) MadeAgain(c plan.Case, actions []plan.Action) []plan.Action {
	if len(r.Book.Redone) == 0 || c.Link == 0 {
		return actions
	}
	var out []plan.Action
	for _, a := range actions {
		fields, last := map[string]bool{}, run.Said{}
		for _, f := range a.Fields {
			x, is := r.clearRefused(c, a.Side.Other(), f.Field)
			if !is || a.Let || !f.Before.Empty() || settled(c, f.Field) {
				continue
			}
			fields[f.Field], last = true, x
		}
		theirs, rest := plan.Without(r.Job.Rules, a, fields)
		for _, t := range theirs {
			t.Risk = plan.RiskRedone
			t.Reason = fmt.Sprintf("%s: %s said no on %s to emptying it in %s, and it was emptied in %s again",
				t.Reason, last.Stage.Who, last.Stage.Chosen.In(r.Zone()).Format(time.DateOnly), r.Side(a.Side.Other()).System, r.Side(a.Side).System)
			r.Book.After[t.Digest()] = last.Stage.Set
			out = append(out, t)
		}
		out = append(out, rest...)
	}
	return out
}

// settled reports whether it is known of both records of a link what they were settled on in a field.
func settled(c plan.Case, field string) bool {
	return c.Sides[record.Left].Settled[field].Known() && c.Sides[record.Right].Settled[field].Known()
}

// clearRefused returns a person's no to emptying a field of side, if the edit that asked for that was taken back
// then.
func (r *Room) clearRefused(c plan.Case, side record.Side, field string) (run.Said, bool) {
	paths := r.Job.Mapping.Outputs(side, field)
	for _, x := range r.Book.Redone {
		if x.Stage.Choice != record.Refusal || x.Stage.Side != side || x.Row.Ref != c.Sides[side].Ref {
			continue
		}
		if slices.ContainsFunc(paths, func(p string) bool { v := x.Row.After[p]; return v.Observed() && v.Empty() }) {
			return x, true
		}
	}
	return run.Said{}, false
}
