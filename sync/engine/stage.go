package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// stageFor is how long a set of changes waits for a person before it is asked anew.
const stageFor = 7 * 24 * time.Hour

// Staged is a set of changes that a run held, or would hold.
type Staged struct {
	Stage   record.Stage
	Actions []plan.Action
}

// withhold gives what of a plan may go. What a guard stops is kept as a set that waits,
// whole, for a person, and everything else goes on. whole says that the plan is all that
// there is to do, not the part that some records ask for.
func (r *run) withhold(ctx context.Context, d *draft, actions []plan.Action) ([]plan.Action, error) {
	whole := d.whole && !r.limited()
	if len(actions) == 0 && (!whole || len(r.book.waiting) == 0) {
		return actions, nil
	}
	if err := r.needBook(ctx); err != nil {
		return nil, err
	}
	if err := r.countSpent(ctx); err != nil {
		return nil, err
	}
	f, err := r.factsOf(ctx, d)
	if err != nil {
		return nil, err
	}
	actions = slices.Clone(actions)
	for i := range actions {
		actions[i].Let = actions[i].Let || r.opt.Yes && !ownWord(actions[i].Risk) || r.approves(actions[i])
	}
	spent := r.book.spent
	if !whole {
		spent = r.besides(actions)
	}
	free, trips := plan.Budget(r.job.Guards, f, spent, actions)
	for _, t := range trips {
		if t.Risk == plan.RiskMapping {
			d.remapped += len(t.Actions)
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
	r.book.spend(free)
	return free, nil
}

// ownWord reports whether a risk wants a word of its own: who lets a plan go has neither
// taken back a no to a part of it, nor said what a record is that nobody can read.
func ownWord(risk plan.Risk) bool { return risk == plan.RiskRedone || risk == plan.RiskUnreadable }

// factsOf is what guards look at: strangers that are linked by this plan count among
// the links.
func (r *run) factsOf(ctx context.Context, d *draft) (plan.Facts, error) {
	f := d.facts
	f.Systems = [2]record.System{r.side(record.Left).System, r.side(record.Right).System}
	if f.Links == 0 {
		var err error
		if f.Links, err = r.Store.LinkCount(ctx, r.job.Binding); err != nil {
			return f, err
		}
	}
	f.Links += len(d.joins)
	for _, side := range record.Sides {
		es, err := r.illegibleOn(ctx, side)
		if err != nil {
			return f, err
		}
		f.Illegible[side] = len(es)
	}
	return f, nil
}

// approves reports whether a person approved just this change.
func (r *run) approves(a plan.Action) bool {
	if len(r.book.approved) == 0 {
		return false
	}
	_, ok := r.book.approved[a.Digest()]
	return ok
}

// besides is what was let go, and what waits already of the risks that some actions
// have: the plan of one record does not show the others.
func (r *run) besides(actions []plan.Action) plan.Spent {
	var out plan.Spent
	for side := range out {
		out[side] = maps.Clone(r.book.spent[side])
	}
	for _, a := range actions {
		set, ok := r.book.waiting[class{a.Side, a.Risk}]
		if !ok || a.Let {
			continue
		}
		u := out[a.Side][a.Risk]
		u.Run = maps.Clone(u.Run)
		if u.Run == nil {
			u.Run = map[string]bool{}
		}
		for _, x := range set.rows {
			u.Run[x.Ref.String()] = true
		}
		out[a.Side][a.Risk] = u
	}
	return out
}

// setAside keeps what tripped a guard, and tells a person once.
func (r *run) setAside(ctx context.Context, t plan.Trip, whole bool) error {
	set, waits := r.book.waiting[class{t.Side, t.Risk}]
	rows := make(map[string]record.Staged, len(t.Actions))
	if !whole {
		maps.Copy(rows, set.rows)
	}
	fresh := false
	for _, a := range t.Actions {
		x := r.stagedOf(a)
		rows[x.Action] = x
		_, known := set.rows[x.Action]
		fresh = fresh || !known
	}
	st := record.Stage{
		Binding: r.job.Binding, Side: t.Side, Risk: string(t.Risk), Guard: t.Guard, Why: t.Text, Run: r.lease.Run,
		At: time.Now(), Expires: time.Now().Add(stageFor), Size: len(rows), Left: len(rows),
	}
	if t.Risk == plan.RiskMapping {
		st.Guard = r.mappingGuard()
	}
	if waits && !fresh && set.stage.Guard == st.Guard { // some of it is not wanted any more: a yes drops that
		st = set.stage
	} else {
		st.Digest = stageDigest(st, r.book.names(slices.Sorted(maps.Keys(rows))))
	}
	r.count("staged", len(t.Actions))
	r.rep.Staged = append(r.rep.Staged, Staged{Stage: st, Actions: t.Actions})
	if r.opt.Dry || waits && st.Digest == set.stage.Digest {
		return nil
	}
	if err := r.Store.Stage(ctx, r.lease, st, slices.Collect(maps.Values(rows))); err != nil {
		return fmt.Errorf("keep what guard %s holds: %w", t.Guard, err)
	}
	r.book.waiting[class{t.Side, t.Risk}] = waitingSet{stage: st, rows: rows}
	if waits {
		return nil
	}
	return r.alert(ctx, 0, "staged", fmt.Sprintf(
		"%s: %s. Nothing of it is written, and all else goes on. Look at it: nightporter staged %s; then nightporter approve %s, or reject %s",
		r.job.Binding, t.Text, st.Digest, st.Digest, st.Digest))
}

func (r *run) stagedOf(a plan.Action) record.Staged {
	x := record.Staged{Action: a.Digest(), Link: a.Link, Ref: a.Change.Ref, Text: a.Reason, After: a.Change.Fields, Stood: a.Stood}
	if a.Change.Op == record.Create {
		x.Entry, x.Ref = a.From, a.Source
		return x
	}
	if x.Stood[a.Side] == nil {
		x.Stood[a.Side] = a.Change.Before.Only(slices.Collect(maps.Keys(a.Change.Fields)))
	}
	if parts := plan.Parts(r.job.Rules, a); len(parts) > 1 {
		for _, fields := range parts {
			x.Parts = append(x.Parts, r.partName(plan.Only(r.job.Rules, a, fields)))
		}
	}
	return x
}

// partName names a part of a change, and tells nothing of its values where digests alone are kept.
func (r *run) partName(part plan.Action) string {
	if r.job.Seal == nil {
		return part.Digest()
	}
	return record.Seal(r.job.Seal, record.OfText(part.Digest())).Text()
}

// stageDigest names a set by what is in it.
func stageDigest(st record.Stage, actions []string) string {
	b, err := json.Marshal([]any{st.Binding, st.Side, st.Risk, st.Guard == "mapping", actions})
	if err != nil { // texts and numbers always encode
		return ""
	}
	return record.DigestOf("stage", b).String()[:12]
}

// unstage ends the sets of which nothing is wanted any more, now that the whole plan is
// known.
func (r *run) unstage(ctx context.Context, trips []plan.Trip) error {
	for c, set := range r.book.waiting {
		if r.opt.Dry || slices.ContainsFunc(trips, func(t plan.Trip) bool { return t.Side == c.side && t.Risk == c.risk }) {
			continue
		}
		delete(r.book.waiting, c)
		if err := r.Store.EndStage(ctx, r.lease, set.stage.Digest, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// became notes that a change is done, or that the record of one that a person approved
// moved on. What is done is noted of every change: a person may approve it after it was
// made, with a set that this run has let go already.
func (r *run) became(a plan.Action, done, moved bool) {
	if !done && len(r.book.approved) == 0 {
		return
	}
	digest := a.Digest()
	if done {
		r.book.did[digest] = true
	} else if _, ok := r.book.approved[digest]; ok {
		r.book.moved[digest] = moved
	}
}

// dropped is the state in which a change is shown that a person approved and that no
// longer holds.
const dropped record.EntryState = "dropped"

// concludeStages notes what became of what persons said, once a plan was carried out.
func (r *run) concludeStages(ctx context.Context, d *draft, planned []plan.Action) error {
	if err := r.noteApproved(ctx, d, planned); err != nil {
		return err
	}
	return r.agreeMapping(ctx, d)
}

// noteApproved notes what became of the approved sets: what was done, and, of a whole
// plan, what does not hold any more. That is named, so that nobody takes it for done.
func (r *run) noteApproved(ctx context.Context, d *draft, planned []plan.Action) error {
	wanted := map[string]bool{}
	if len(r.book.approved) > 0 {
		for _, a := range planned {
			wanted[a.Digest()] = true
		}
	}
	var gone []string
	for _, action := range slices.Sorted(maps.Keys(r.book.approved)) {
		x := r.book.approved[action]
		over, err := r.unplanned(ctx, d.whole, wanted, action)
		if err != nil {
			return err
		}
		if !over {
			continue
		}
		gone = append(gone, action)
		side := x.stage.Side
		if x.row.Entry != 0 { // a create is named by what it is made from
			side = side.Other()
		}
		r.note(side, x.row.Ref, dropped, "it was approved and no longer holds, so nothing was written: "+x.row.Text)
	}
	now := time.Now()
	for _, st := range r.book.decided { // a change may be in several of them
		if st.Decision != record.Approved {
			continue
		}
		if err := r.Store.NoteStaged(ctx, r.lease, st.Digest, gone, record.StagedDropped, now); err != nil {
			return err
		}
	}
	return r.noteDone(ctx)
}

// noteDone notes what this run made of the approved sets as they are now: a person may
// have approved one since the book was opened, and the next run would name what is done
// as dropped.
func (r *run) noteDone(ctx context.Context) error {
	if len(r.book.did) == 0 {
		return nil
	}
	stages, err := r.Store.Stages(ctx, r.job.Binding, false)
	if err != nil {
		return fmt.Errorf("look what was approved meanwhile: %w", err)
	}
	for _, st := range stages {
		if st.Decision == record.Undecided {
			continue
		}
		rows, err := r.Store.StagedOf(ctx, st.Digest, 0)
		if err != nil {
			return fmt.Errorf("look what is in %s: %w", st.Digest, err)
		}
		var done []string
		for _, x := range rows {
			// What was put back once and is made after all is no question any more.
			if r.book.did[x.Action] && (st.Decision == record.Approved || x.State == record.StagedBack) {
				done = append(done, x.Action)
			}
		}
		if err := r.Store.NoteStaged(ctx, r.lease, st.Digest, done, record.StagedDone, time.Now()); err != nil {
			return err
		}
	}
	return nil
}
