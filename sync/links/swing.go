package links

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// LoadWords loads what holds for the whole run: what persons decided once and for all, and what systems refused.
func (r *Room) LoadWords(ctx context.Context) error {
	all, err := r.store.Always(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	r.always = all
	return r.guards.LoadRefusals(ctx)
}

// Still takes the fields that swing out of the actions of a verdict, and has a person asked about them. Otherwise
// two programs that each undo what the other does would write for ever. A field about which a person is asked
// already waits, however long ago it swung.
func (r *Room) Still(ctx context.Context, c plan.Case, v *plan.Verdict) ([]plan.Action, error) {
	if len(v.Actions) == 0 || c.Link == 0 {
		return v.Actions, nil
	}
	now := time.Now()
	made, err := r.store.Written(ctx, c.Link, now.Add(-plan.SwingSpan))
	if err != nil {
		return nil, err
	}
	open, err := r.store.Choices(ctx, c.Link)
	if err != nil {
		return nil, err
	}
	var kept []plan.Action
	for _, a := range v.Actions {
		held := plan.Swinging(a, made, now)
		for _, f := range a.Fields {
			if x, ok := open[f.Field]; ok && x.Cause == plan.Swings && f.Policy != string(merge.Person) && !slices.Contains(held, f.Field) {
				held = append(held, f.Field)
			}
		}
		kept = append(kept, r.without(c, v, a, held)...)
	}
	return kept, nil
}

// without returns what is left of an action without the held fields, and without those that can't be written
// without them. It has a person asked about all of these.
func (r *Room) without(c plan.Case, v *plan.Verdict, a plan.Action, held []string) []plan.Action {
	if len(held) == 0 {
		return []plan.Action{a}
	}
	var rest []string
	for _, part := range plan.Parts(r.Job.Rules, a) {
		if !slices.ContainsFunc(part, func(f string) bool { return slices.Contains(held, f) }) {
			rest = append(rest, part...)
			continue
		}
		for _, f := range part {
			v.Conflicts = append(v.Conflicts, record.Question{
				Subject: record.Subject{Link: c.Link, Field: f}, Cause: plan.Swings,
				Left: c.Sides[record.Left].Now[f], Right: c.Sides[record.Right].Now[f],
				Why: fmt.Sprintf("it was written again and again within an hour, and is changed back each time: something else changes it in %s, or in %s",
					r.Side(record.Left).System, r.Side(record.Right).System),
			})
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return []plan.Action{plan.Only(r.Job.Rules, a, rest)}
}
