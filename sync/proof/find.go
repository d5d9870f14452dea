package proof

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Unsure says why it is not known whether a side lacks a record. from is the entry that the record would be created
// from.
func (r *Room) Unsure(side record.Side, from int64) string {
	if rules := r.unaskedBy(side, from); len(rules) > 0 {
		return unproven(r.Side(side).System, rules)
	}
	if fault := r.Unfound[from]; fault != nil {
		return fmt.Sprintf("it can't be looked up in %s, whose list was not read whole twice: %v", r.Side(side).System, fault)
	}
	return fmt.Sprintf("it is not sure yet that %s lacks it: its list was not read whole twice", r.Side(side).System)
}

// unproven says that a side can't be asked by some of the match rules by which it may have a new record.
func unproven(system record.System, rules []string) string {
	return fmt.Sprintf("%s can't be asked by %s, and its list was not read whole as often as it takes: it may have it already", system, strings.Join(rules, ", "))
}

// unaskedBy returns the match rules by which a side may have a new record and by which it can't be asked, although
// it can be asked by something else.
func (r *Room) unaskedBy(side record.Side, from int64) []string {
	if s := r.Side(side); !run.CanFind(s) || s.Can.FindAny {
		return nil // lists tell then
	}
	return r.Unasked[from]
}

// FindUnproven keeps a finding about a create that waits for a whole list, because its side can't be asked by every
// rule that may know the record. A run that reads no lists leaves that to a run that does.
func (r *Room) FindUnproven(a plan.Action) {
	rules := r.unaskedBy(a.Side, a.From)
	if len(rules) == 0 || r.Kicking || r.trust.Single() {
		return
	}
	f := run.FindingOf(record.FindUnproven, a)
	f.About, f.Text = strings.Join(rules, ", "), unproven(r.Side(a.Side).System, rules)
	r.NoteFinding(f)
}

// Unlisted asks a side for what a create may have made, before the create is given up because lists don't show it.
// A list that is empty and says so looks like any other list while no record of its side is known. What is found is
// stored, and the create stays open for the next run to judge it. If nothing is found, that proves no more than the
// lists do. The create stays open as well while the side can't be asked. failed counts such answers: one does not
// end the run.
func (r *Room) Unlisted(ctx context.Context, in record.Intent, failed *int) (open bool, err error) {
	side := in.Place.Side
	f, is := r.Side(side).Conn.(connectors.Finder)
	if !is {
		return false, nil
	}
	if held, err := r.trust.Held(ctx, side); err != nil || held {
		return true, err
	}
	for _, by := range r.Telling(side) {
		ask := run.Pick(in.Change.Fields, by)
		if len(ask) != len(by) {
			continue
		}
		at := time.Now()
		found, _, err := r.observe.Find(ctx, side, f, ask)
		if err != nil {
			r.Note(side, in.Change.Ref, record.Waiting, "what became of a change of it can't be looked up now: "+err.Error())
			return true, r.observe.PassOver(side, err, failed)
		}
		if open, err = r.observe.SeeNew(ctx, side, found, ask, at); err != nil || open {
			return open, err
		}
	}
	return false, nil
}
