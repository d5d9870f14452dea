package guards

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// stageFor is how long a set of changes waits for a person before the question is asked anew.
const stageFor = 7 * 24 * time.Hour

// Withhold returns the actions of a plan that may go. A set that a guard stops is kept whole, and waits for a
// person. Everything else goes on. Only a plan of all records ends the sets of which nothing is wanted any more.
// In a plan of some records, what waits already is counted as well.
func (r *Room) Withhold(ctx context.Context, d *run.Draft, actions []plan.Action) ([]plan.Action, error) {
	whole := d.Whole && !r.Limited()
	if len(actions) == 0 && (!whole || len(r.Book.Waiting) == 0) {
		return actions, nil
	}
	if err := r.NeedBook(ctx); err != nil {
		return nil, err
	}
	if err := r.countSpent(ctx); err != nil {
		return nil, err
	}
	f, err := r.factsOf(ctx, d)
	if err != nil {
		return nil, err
	}
	actions = r.let(actions)
	spent := r.Book.Spent
	if !whole {
		spent = r.besides(actions)
	}
	free, trips := guard.Budget(r.Job.Guards, f, spent, actions)
	for _, t := range trips {
		if t.Risk == plan.RiskMapping {
			d.Remapped += len(t.Actions)
		}
		if err := r.setAside(ctx, t, whole); err != nil {
			return nil, err
		}
	}
	if whole {
		if err := r.unstage(ctx, trips); err != nil {
			return nil, err
		}
	}
	r.Book.Spend(free)
	return free, nil
}

// let returns the actions, and marks those that a person has let go: with the whole plan, or by approving them.
func (r *Room) let(actions []plan.Action) []plan.Action {
	actions = slices.Clone(actions)
	for i := range actions {
		actions[i].Let = actions[i].Let || r.Options.Yes && !ownWord(actions[i].Risk) || r.Approves(actions[i])
	}
	return actions
}

// ownWord reports whether a risk needs an answer of its own. A person who lets a whole plan go has not taken back
// a no to a part of it, and has not said what a record is that nobody can read.
func ownWord(risk plan.Risk) bool { return risk == plan.RiskRedone || risk == plan.RiskUnreadable }

// factsOf returns what guards look at. Records that this plan links already count among the links.
func (r *Room) factsOf(ctx context.Context, d *run.Draft) (guard.Facts, error) {
	f := d.Facts
	f.Systems = [2]record.System{r.Side(record.Left).System, r.Side(record.Right).System}
	if f.Links == 0 {
		var err error
		if f.Links, err = r.store.LinkCount(ctx, r.Job.Binding); err != nil {
			return f, err
		}
	}
	f.Links += len(d.Joins)
	for _, side := range record.Sides {
		es, err := r.proof.IllegibleOn(ctx, side)
		if err != nil {
			return f, err
		}
		f.Illegible[side] = len(es)
	}
	return f, nil
}

// Approves reports whether a person approved just this change.
func (r *Room) Approves(a plan.Action) bool {
	if len(r.Book.Approved) == 0 {
		return false
	}
	_, ok := r.Book.Approved[a.Digest()]
	return ok
}

// besides returns what was let go, together with what already waits under the risks of some actions. A plan of one
// record does not show what waits of the others.
func (r *Room) besides(actions []plan.Action) guard.Spent {
	var out guard.Spent
	for side := range out {
		out[side] = maps.Clone(r.Book.Spent[side])
	}
	for _, a := range actions {
		set, ok := r.Book.Waiting[run.Class{Side: a.Side, Risk: a.Risk}]
		if !ok || a.Let {
			continue
		}
		u := out[a.Side][a.Risk]
		u.Run = maps.Clone(u.Run)
		if u.Run == nil {
			u.Run = map[string]bool{}
		}
		for _, x := range set.Rows {
			u.Run[x.Ref.String()] = true
		}
		out[a.Side][a.Risk] = u
	}
	return out
}

// setAside keeps the actions that tripped a guard as a set that waits. It alerts a person if no such set has
// waited before.
func (r *Room) setAside(ctx context.Context, t guard.Trip, whole bool) error {
	set, waits := r.Book.Waiting[run.Class{Side: t.Side, Risk: t.Risk}]
	rows := make(map[string]record.Staged, len(t.Actions))
	if !whole {
		maps.Copy(rows, set.Rows)
	}
	fresh := false
	for _, a := range t.Actions {
		x := r.stagedOf(a)
		rows[x.Action] = x
		_, known := set.Rows[x.Action]
		fresh = fresh || !known
	}
	st := record.Stage{Size: len(rows), Left: len(rows), Question: record.Question{
		Binding: r.Job.Binding, Subject: record.Subject{Side: t.Side, Risk: string(t.Risk)}, Cause: record.Cause(t.Guard), Why: t.Text, Run: r.Lease.Run,
		Opened: time.Now(), Expires: time.Now().Add(stageFor),
	}}
	if t.Risk == plan.RiskMapping {
		st.Rests = record.RestsOn(r.fieldsPrint())
	}
	if waits && !fresh && set.Stage.Cause == st.Cause && set.Stage.Rests.Equal(st.Rests) { // a yes drops the unwanted part
		st = set.Stage
	} else {
		st.Set = stageDigest(st, r.Book.Names(slices.Sorted(maps.Keys(rows))))
	}
	r.Count("staged", len(t.Actions))
	r.Report.Staged = append(r.Report.Staged, run.Staged{Stage: st, Actions: t.Actions})
	if r.Options.Dry || waits && st.Set == set.Stage.Set {
		return nil
	}
	if err := r.store.Stage(ctx, r.Lease, st, slices.Collect(maps.Values(rows))); err != nil {
		return fmt.Errorf("keep what guard %s holds: %w", t.Guard, err)
	}
	r.Book.Waiting[run.Class{Side: t.Side, Risk: t.Risk}] = run.WaitingSet{Stage: st, Rows: rows}
	if waits {
		return nil
	}
	return r.Alert(ctx, 0, "staged", fmt.Sprintf(
		"%s: %s. Nothing of it is written, and all else goes on. Look at it: nightporter staged %s; then nightporter approve %s, or reject %s",
		r.Job.Binding, t.Text, st.Set, st.Set, st.Set))
}

func (r *Room) stagedOf(a plan.Action) record.Staged {
	x := record.Staged{Action: a.Digest(), Link: a.Link, Ref: a.Change.Ref, Text: a.Reason, After: a.Change.Fields, Stood: a.Stood}
	if a.Change.Op == record.Create {
		x.Entry, x.Ref = a.From, a.Source
		return x
	}
	if x.Stood[a.Side] == nil {
		x.Stood[a.Side] = a.Change.Before.Only(slices.Collect(maps.Keys(a.Change.Fields)))
	}
	if parts := plan.Parts(r.Job.Rules, a); len(parts) > 1 {
		for _, fields := range parts {
			x.Parts = append(x.Parts, r.partName(plan.Only(r.Job.Rules, a, fields)))
		}
	}
	return x
}

// partName names a part of a change. Where only digests of values are kept, the name tells nothing of the values.
func (r *Room) partName(part plan.Action) string {
	if r.Job.Seal == nil {
		return part.Digest()
	}
	return record.Seal(r.Job.Seal, record.OfText(part.Digest())).Text()
}

// stageDigest names a set by what is in it.
func stageDigest(st record.Stage, actions []string) string {
	b, err := json.Marshal([]any{st.Binding, st.Side, st.Risk, actions})
	if err != nil { // texts and numbers always encode
		return ""
	}
	return record.DigestOf("stage", b).String()[:12]
}

// unstage ends the waiting sets for which no guard trips any more. Only a plan of all records can tell that.
func (r *Room) unstage(ctx context.Context, trips []guard.Trip) error {
	for c, set := range r.Book.Waiting {
		if r.Options.Dry || slices.ContainsFunc(trips, func(t guard.Trip) bool { return t.Side == c.Side && t.Risk == c.Risk }) {
			continue
		}
		delete(r.Book.Waiting, c)
		if err := r.store.EndStage(ctx, r.Lease, set.Stage.Set, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// Became notes that a change is done, or that the record of an approved change has moved on. Every change that is
// done is noted, approved or not: a person may approve it after it was made, with a set that this run has let go
// already.
func (r *Room) Became(a plan.Action, done, moved bool) {
	if !done && len(r.Book.Approved) == 0 {
		return
	}
	digest := a.Digest()
	if done {
		r.Book.Did[digest] = true
	} else if _, ok := r.Book.Approved[digest]; ok {
		r.Book.Moved[digest] = moved
	}
}

// dropped is the state under which the report shows a change that a person approved, and that no longer holds.
const dropped record.EntryState = "dropped"

// NoteApproved notes what became of the changes in approved sets: which ones are done, and which ones no longer
// hold. The report names the latter, so that nobody takes them for done.
func (r *Room) NoteApproved(ctx context.Context, d *run.Draft, planned []plan.Action) error {
	wanted := map[string]bool{}
	if len(r.Book.Approved) > 0 {
		for _, a := range planned {
			wanted[a.Digest()] = true
		}
	}
	var gone []string
	for _, action := range slices.Sorted(maps.Keys(r.Book.Approved)) {
		x := r.Book.Approved[action]
		over, err := r.unplanned(ctx, d.Whole, wanted, action)
		if err != nil {
			return err
		}
		if !over {
			continue
		}
		gone = append(gone, action)
		side := x.Stage.Side
		if x.Row.Entry != 0 { // a create is named by what it is made from
			side = side.Other()
		}
		r.Note(side, x.Row.Ref, dropped, "it was approved and no longer holds, so nothing was written: "+x.Row.Text)
	}
	now := time.Now()
	for _, st := range r.Book.Decided { // a change may be in several of them
		if st.Choice != record.Approved {
			continue
		}
		if err := r.store.NoteStaged(ctx, r.Lease, st.Set, gone, record.StagedDropped, now); err != nil {
			return err
		}
	}
	return r.NoteDone(ctx)
}

// NoteDone notes which changes of the decided sets this run has made. It reads the sets once more: a person may
// have approved one since the book was opened, and the next run would report its changes as dropped, though they
// are done.
func (r *Room) NoteDone(ctx context.Context) error {
	if len(r.Book.Did) == 0 {
		return nil
	}
	stages, err := r.store.Stages(ctx, r.Job.Binding, false)
	if err != nil {
		return fmt.Errorf("look what was approved meanwhile: %w", err)
	}
	for _, st := range stages {
		if st.Choice == record.Undecided {
			continue
		}
		rows, err := r.store.StagedOf(ctx, st.Set, 0)
		if err != nil {
			return fmt.Errorf("look what is in %s: %w", st.Set, err)
		}
		var done []string
		for _, x := range rows {
			// A change that was put back once and is made after all is no question any more.
			if r.Book.Did[x.Action] && (st.Choice == record.Approved || x.State == record.StagedBack) {
				done = append(done, x.Action)
			}
		}
		if err := r.store.NoteStaged(ctx, r.Lease, st.Set, done, record.StagedDone, time.Now()); err != nil {
			return err
		}
	}
	return nil
}
