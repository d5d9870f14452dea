package links

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// What a person rejected is put back. Once a read has shown that, the no has done what it was said for. Whoever
// does the same again makes a new edit, and nobody can say whether the no is meant for that edit, too. So a person
// is asked. Until they answer, the edit is neither carried over nor taken back.

// NoteBack notes which rejected changes have been put back. It is called when a run ends, and again before
// anything is read, for the last run may have been killed. So an edit that comes after that can be told from one
// that was never taken back.
func (r *Room) NoteBack(ctx context.Context) error {
	if r.Options.Dry {
		return nil
	}
	stages, err := r.store.Stages(ctx, r.Job.Binding, false)
	if err != nil {
		return fmt.Errorf("look what was rejected: %w", err)
	}
	for _, st := range stages {
		if st.Choice != record.Refusal || st.Risk == string(plan.RiskMapping) || st.Left == 0 {
			continue
		}
		rows, err := r.store.StagedOf(ctx, st.Set, 0)
		if err != nil {
			return fmt.Errorf("look what is in %s: %w", st.Set, err)
		}
		var back []string
		for _, x := range rows {
			is, err := r.isBack(ctx, st.Side, x)
			if err != nil {
				return err
			}
			if is {
				back = append(back, x.Action)
			}
		}
		if len(back) == 0 {
			continue
		}
		if err := r.store.NoteStaged(ctx, r.Lease, st.Set, back, record.StagedBack, time.Now()); err != nil {
			return fmt.Errorf("note what was put back of %s: %w", st.Set, err)
		}
	}
	return nil
}

// isBack reports whether a read has shown that both records hold what they were settled on, in the fields of an
// update that a person rejected. side is the side that the update would have written. If that side was settled on
// just what they rejected, the update was made with another set, and nothing was put back.
func (r *Room) isBack(ctx context.Context, side record.Side, x record.Staged) (bool, error) {
	if x.State != "" || x.Entry != 0 || len(x.After) == 0 {
		return false, nil
	}
	p, ok, err := r.store.PairOf(ctx, r.Place(side), x.Ref)
	if err != nil {
		return false, fmt.Errorf("look what became of %s: %w", x.Ref, err)
	}
	if !ok || p.State != record.LinkLive && p.State != record.LinkConflict || len(p.Sides[side.Other()].Sent) > 0 {
		return false, nil
	}
	if r.settledOn(p.Sides[side], x.After) {
		return false, nil
	}
	for _, f := range r.Job.Mapping.Fields() {
		if !slices.ContainsFunc(r.Job.Mapping.Outputs(side, f.Name), func(path string) bool { return x.After[path].Observed() }) {
			continue
		}
		for _, s := range record.Sides {
			if !r.rests(p.Sides[s], r.Job.Mapping.Inputs(s, f.Name)) {
				return false, nil
			}
		}
	}
	return true, nil
}

// settledOn reports whether a record was settled on all of these values.
func (r *Room) settledOn(e record.Entry, values record.Fields) bool {
	for path, v := range values {
		if !e.Base[path].Same(r.Job.Seal, v) {
			return false
		}
	}
	return true
}

// rests reports whether a record was last seen to hold what it was settled on, at these paths.
func (r *Room) rests(e record.Entry, paths []string) bool {
	if e.State != record.InStep || e.Dirty {
		return false
	}
	for _, path := range paths {
		if e.Seen == nil {
			break
		}
		if v := e.Seen.Fields[path]; v.Observed() && !e.Base[path].Same(r.Job.Seal, v) {
			return false
		}
	}
	return true
}

// Redone splits actions: what was done again after a person's no gets the risk RiskRedone, so that a person is
// asked. All else goes on.
func (r *Room) Redone(actions []plan.Action) []plan.Action {
	if len(r.Book.Redone) == 0 {
		return actions
	}
	var out []plan.Action
	for _, a := range actions {
		if a.Let || a.Risk == plan.RiskMapping {
			out = append(out, a)
			continue
		}
		fields, last := map[string]bool{}, run.Said{}
		r.guards.EachSaid(a, r.Book.Redone, func(part plan.Action, x run.Said) {
			for _, f := range part.Fields {
				fields[f.Field] = true
			}
			if last.Stage.Set == "" || x.Stage.Chosen.After(last.Stage.Chosen) {
				last = x
			}
		})
		theirs, rest := plan.Without(r.Job.Rules, a, fields)
		for _, t := range theirs {
			t.Risk, t.Reason = plan.RiskRedone, r.saidBefore(t.Reason, last)
			r.Book.After[t.Digest()] = last.Stage.Set
			out = append(out, t)
		}
		out = append(out, rest...)
	}
	return out
}

// RedoneAlone has a person asked about a create that they rejected before the state was put back to an older copy:
// the copy does not know what became of the record since.
func (r *Room) RedoneAlone(a plan.Action) plan.Action {
	x, is := r.Book.Redone[a.Digest()]
	if !is {
		return a
	}
	r.Book.After[a.Digest()] = x.Stage.Set
	a.Risk = plan.RiskRedone
	if x.Stage.Choice == record.Refusal {
		a.Reason = fmt.Sprintf("%s: %s rejected it on %s, and the state was put back since", a.Reason, x.Stage.Who, x.Stage.Chosen.In(r.Zone()).Format(time.DateOnly))
	}
	return a
}

// saidBefore returns the reason of a change, with what a person said of it before.
func (r *Room) saidBefore(reason string, x run.Said) string {
	if x.Stage.Choice != record.Refusal { // they have not answered yet: the reason says it already
		return x.Row.Text
	}
	return fmt.Sprintf("%s: %s rejected it on %s, it was put back, and was done again",
		reason, x.Stage.Who, x.Stage.Chosen.In(r.Zone()).Format(time.DateOnly))
}

// TellVain tells a person which fields are no longer put back, because a system did not keep them. Both sides stay
// as they are.
func (r *Room) TellVain(ctx context.Context, p run.Decided) error {
	if len(p.Verdict.Vain) == 0 || !Adopts(p.Verdict) {
		return nil
	}
	return r.Alert(ctx, 0, "put_back_in_vain", fmt.Sprintf(
		"%s: a person rejected a change of %s and %s, and it was put back again and again: %s is not kept as it is written. Both stay as they are now; enter on either side what is to be",
		r.Job.Binding, p.Refs[record.Left], p.Refs[record.Right], strings.Join(p.Verdict.Vain, ", ")))
}
