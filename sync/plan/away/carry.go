package away

import (
	"fmt"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// GoneReason is the sentence that says why something is done to the record of side, or asked about it: the record
// across is gone.
func GoneReason(r plan.Rules, side record.Side, q Question) string {
	here, there := r.Kinds[side].System, r.Kinds[side.Other()].System
	switch q {
	case AskGone:
		return fmt.Sprintf("%s does not have it any more: is it to go from %s too?", there, here)
	case AskEdited:
		return fmt.Sprintf("%s does not have it any more, and it was edited in %s since", there, here)
	case AskAnew:
		return fmt.Sprintf("%s does not have it any more, and has a new record that may be the same", there)
	case AskAlone:
		return fmt.Sprintf("%s does not have it any more, nor any other record that was linked: is it another account?", there)
	case AskRefused:
		return fmt.Sprintf("%s does not have it any more, and %s refused to let it go", there, here)
	case AskUnable:
		return fmt.Sprintf("%s does not have it any more, and it can't go from %s", there, here)
	case AskMerged:
		return fmt.Sprintf("%s merged it into a record that is linked to another one of %s: are the two of %s the same?", there, here, here)
	case AskReturned:
		return fmt.Sprintf("%s did not have it any more, and has it again", there)
	case AskNamed:
		return fmt.Sprintf("%s does not have it any more, and it is in use in %s: is it to go all the same?", there, here)
	case AskForeign:
		return fmt.Sprintf("under its id %s has another record now", there)
	}
	return fmt.Sprintf("%s does not have it any more", there)
}

// GoneRule stands in place of a rule where a record is taken away.
const GoneRule = "gone"

// Delete returns the change that removes the record of a side because the one across is gone. All that is known
// of the record must still hold when the change is sent: a record that was edited since stays.
func Delete(r plan.Rules, c plan.Case, side record.Side, gone record.Ref) plan.Action {
	a := goneAction(r, c, side, gone, record.Delete)
	a.Reason = GoneReason(r, side, "")
	before := c.Sides[side].Now
	for _, f := range r.Merge {
		if v := before[f.Field]; v.Filled() {
			a.Fields = append(a.Fields, record.FieldReason{Field: f.Field, Policy: GoneRule, Before: v, After: record.Nothing(), Reason: a.Reason})
		}
	}
	return a
}

// Archive returns the changes that put the record of a side aside, by writing values to it, because the one
// across is gone. It returns none where the record holds the values already.
func Archive(r plan.Rules, c plan.Case, side record.Side, gone record.Ref, values record.Fields) []plan.Action {
	s := c.Sides[side]
	status := r.Kinds[side].Status
	plain, moved := values.Differing(s.Native), record.Fields{}
	if v, ok := plain[status]; ok && status != "" {
		moved[status] = v
		delete(plain, status)
		for _, p := range r.Kinds[side].Carries[v.Text()] {
			if v, ok := plain[p]; ok {
				moved[p] = v
				delete(plain, p)
			}
		}
	}
	var steps []plan.Action
	for _, step := range []struct {
		op     record.Op
		values record.Fields
	}{{record.Update, plain}, {record.Action, moved}} {
		if len(step.values) == 0 {
			continue
		}
		a := goneAction(r, c, side, gone, step.op)
		a.Step, a.Change.Fields = len(steps), step.values
		a.Reason = GoneReason(r, side, "") + ": it is put aside"
		for _, p := range step.values.Names() {
			a.Fields = append(a.Fields, record.FieldReason{Field: p, Policy: GoneRule, Before: s.Native[p], After: step.values[p], Reason: a.Reason})
		}
		plan.SentAlong(r.Kinds[side], s, a.Change)
		steps = append(steps, a)
	}
	return steps
}

// Succeed turns the changes that take an old version away into plain updates, with the reason that a newer
// version is in its place across. Nothing is lost by them, so they don't count as deletions.
func Succeed(actions []plan.Action, newer record.Ref, there record.System) []plan.Action {
	for i := range actions {
		a := &actions[i]
		a.Risk = plan.RiskUpdate
		a.Reason = fmt.Sprintf("%s of %s took its place", newer, there)
		for n := range a.Fields {
			a.Fields[n].Reason = a.Reason
		}
	}
	return actions
}

// goneAction returns a change of a record because the one across is gone, without values yet. Putting a record
// aside is as grave as deleting it.
func goneAction(r plan.Rules, c plan.Case, side record.Side, gone record.Ref, op record.Op) plan.Action {
	s := c.Sides[side]
	return plan.Action{
		Side: side, Link: c.Link, Entity: c.Entity, Source: gone, Priority: r.Urgent, Day: r.DayOf(c), Risk: plan.RiskDelete,
		Change: record.Change{Op: op, Ref: s.Ref, Version: s.Version, Fields: record.Fields{}, Before: s.Native.Clone()},
		Bases:  [2]record.Fields{{}, {}},
	}
}
