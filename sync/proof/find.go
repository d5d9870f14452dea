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

// Unsure says why it is not known whether a side lacks the record of an entry.
func (r *Room) Unsure(side record.Side, from int64) string {
	if rules := r.unaskedBy(side, from); len(rules) > 0 {
		return unproven(r.Side(side).System, rules)
	}
	if fault := r.Unfound[from]; fault != nil {
		return fmt.Sprintf("it can't be looked up in %s, whose list was not read whole twice: %v", r.Side(side).System, fault)
	}
	return fmt.Sprintf("it is not sure yet that %s lacks it: its list was not read whole twice", r.Side(side).System)
}

// unproven says that a side can't be asked by match rules that may know a new record.
func unproven(system record.System, rules []string) string {
	return fmt.Sprintf("%s can't be asked by %s, and its list was not read whole as often as it takes: it may have it already", system, strings.Join(rules, ", "))
}

// unaskedBy is the match rules that may know a new record, and that nothing asks its side by,
// though it can be asked by something.
func (r *Room) unaskedBy(side record.Side, from int64) []string {
	if s := r.Side(side); !run.CanFind(s) || s.Can.FindAny {
		return nil // it is lists that tell of it
	}
	return r.Unasked[from]
}

// FindUnproven notes a create that waits for a whole list, since its side can't be asked by
// every rule that may know the record. A run that reads no lists leaves it to one that does.
func (r *Room) FindUnproven(a plan.Action) {
	rules := r.unaskedBy(a.Side, a.From)
	if len(rules) == 0 || r.Kicking || r.trust.Single() {
		return
	}
	f := run.FindingOf(record.FindUnproven, a)
	f.About, f.Text = strings.Join(rules, ", "), unproven(r.Side(a.Side).System, rules)
	r.NoteFinding(f)
}

// Unlisted asks a side for what a create may have made, before the create is given up on
// the word of lists: one that is empty and says so looks like any other where no record of
// its side is known yet. What is found is stored, and the create stays open for the next
// run to judge it; that nothing is found proves no more than the lists do. It stays open
// as well while the side can't be asked. failed counts such answers: one stops nothing.
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
