package takeback

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/plan/undo"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Undo takes back what another run did. It compares no lists: each record that the run changed is read by itself,
// and is written only if it still holds what the run left there. No hint is taken up meanwhile, so this run writes
// nothing but what it takes back. The record across keeps the base it was settled on. So no later run writes the
// undone value once more, until somebody edits one of the two.
func (r *Room) Undo(ctx context.Context) error {
	u := r.Options.Undo
	was, ok, err := r.store.Run(ctx, u.Run)
	switch {
	case err != nil:
		return err
	case !ok || was.Binding != r.Job.Binding:
		return fmt.Errorf("undo run %d: %s has no such run, or its changes are not kept any more", u.Run, r.Job.Binding)
	case was.Dry:
		return fmt.Errorf("undo run %d: it was a plan, and wrote nothing", u.Run)
	}
	r.Report.Undo = &run.UndoReport{Run: u.Run}
	undone, err := r.planUndo(ctx, u)
	if err != nil {
		return err
	}
	actions := undone.Actions
	plan.Order(actions)
	r.Report.Actions, r.Report.Digest = actions, plan.DigestOf(actions)
	r.Report.Undo.Conflicts, r.Report.Undo.Beyond, r.Report.Undo.Already = undone.Conflicts, undone.Beyond, undone.Already
	r.Count("planned", len(actions))
	if r.Options.Dry {
		r.countUndo()
		return nil
	}
	if len(actions) > 0 {
		if err := r.store.Undoes(ctx, r.Lease, u.Run); err != nil {
			return err
		}
	}
	err = r.takeBack(ctx, actions)
	r.countUndo()
	return err
}

// countUndo counts what an undo could not take back.
func (r *Room) countUndo() {
	u := r.Report.Undo
	r.Count("conflicts", len(u.Conflicts))
	r.Count("beyond", len(u.Beyond))
	r.Count("already", u.Already)
}

// planUndo reads each record that the run changed, and decides what is done about it.
func (r *Room) planUndo(ctx context.Context, u *run.Undo) (undo.Undone, error) {
	var out undo.Undone
	made, err := r.store.MadeIn(ctx, r.Job.Binding, u.Run)
	if err != nil {
		return out, err
	}
	groups, open := byRecord(made)
	unsettled, err := r.unsettledOn(ctx)
	if err != nil {
		return out, err
	}
	for _, in := range open {
		out.Beyond = append(out.Beyond, undo.Beyond{
			Side: in.Place.Side, Ref: in.Change.Ref, Op: in.Change.Op,
			Why: "nobody knows yet whether it arrived: undo it once more when that is settled",
		})
	}
	failed := 0
	for i, g := range groups {
		x, wanted, err := r.undoing(ctx, u, g, unsettled, &failed)
		if err != nil {
			return out, err
		}
		if !wanted {
			continue
		}
		if err := r.gone.WhoWasNamed(ctx, &x); err != nil {
			return out, err
		}
		can := r.Side(x.Side).Can
		one := undo.TakeBack(r.Job.Rules, undo.Able{Create: can.Create, Delete: can.Delete}, x)
		if len(one.Conflicts) > 0 && x.Link != 0 { // if a later run of ours wrote it since, the conflict names that run
			if x.Later, err = r.writtenSince(ctx, x.Link, x.Side, u.Run); err != nil {
				return out, err
			}
			one = undo.TakeBack(r.Job.Rules, undo.Able{Create: can.Create, Delete: can.Delete}, x)
		}
		out.Actions, out.Conflicts = append(out.Actions, one.Actions...), append(out.Conflicts, one.Conflicts...)
		out.Beyond, out.Already = append(out.Beyond, one.Beyond...), out.Already+one.Already
		r.Progress(run.Progress{Phase: "read", Name: "what the run changed", Done: i + 1, Total: len(groups)})
	}
	return out, nil
}

// unsettledOn returns the links, and the entries without a link, that have an open change: nothing else may
// be written to them.
func (r *Room) unsettledOn(ctx context.Context) (map[string]bool, error) {
	open, err := r.store.Unsettled(ctx, r.Job.Binding)
	if err != nil {
		return nil, err
	}
	lost, err := r.store.Lost(ctx, r.Job.Binding)
	out := map[string]bool{}
	for _, in := range slices.Concat(open, lost) {
		out[run.KeyOf(in.Link, in.From)] = true
	}
	return out, err
}

// byRecord groups the changes that a run made by their record, oldest first. Changes without an answer are returned
// as open, and changes that were not made are left out.
func byRecord(made []record.Journaled) (groups [][]record.Journaled, open []record.Journaled) {
	type what struct {
		side record.Side
		ref  record.Ref
	}
	at := map[what]int{}
	for _, in := range made {
		switch in.State {
		case record.Rejected, record.Cancelled:
			continue
		case record.Sent, record.Lost:
			open = append(open, in)
			continue
		case record.Settled:
		}
		w := what{in.Place.Side, in.Receipt.Ref}
		i, known := at[w]
		if !known {
			i = len(groups)
			at[w], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], in)
	}
	return groups, open
}

// undoing returns one record that the run changed, as it is now. wanted is false if only another
// record is to be undone.
func (r *Room) undoing(ctx context.Context, u *run.Undo, g []record.Journaled, unsettled map[string]bool, failed *int) (x undo.Undoing, wanted bool, err error) {
	first, last := g[0], g[len(g)-1]
	x = undo.Undoing{Run: u.Run, Side: first.Place.Side, Ref: last.Receipt.Ref, Link: last.Link, Entity: last.Entity, Key: r.Job.Seal}
	for _, in := range g {
		x.Made = append(x.Made, undo.Made{Intent: in.Intent, Receipt: *in.Receipt})
	}
	if e, ok, err := r.store.Entry(ctx, r.Place(x.Side), x.Ref); err != nil {
		return x, false, err
	} else if ok {
		x.Entry = e.Num
		x.Link = e.Link
	}
	link := max(x.Link, last.Link) // if the record was made anew, the link now has the new one
	if pair, ok, err := r.store.Pair(ctx, link); err != nil {
		return x, false, err
	} else if ok {
		x.Link, x.Entity = pair.Link, pair.Entity
		x.Source = pair.Sides[x.Side.Other()].Ref
		if now := pair.Sides[x.Side]; now.Ref != x.Ref {
			x = renewed(x, now)
		}
		wanted = pair.Sides[u.Side].Ref == u.Ref
	}
	if unsettled[run.KeyOf(x.Link, x.Entry)] {
		x.Unread = "its last change is not settled: undo it once more when it is"
	}
	if u.Ref.ID != "" && !wanted && (x.Side != u.Side || x.Ref != u.Ref) {
		return x, false, nil
	}
	if x.Unread != "" || x.Again.ID != "" {
		return x, true, nil
	}
	return x, true, r.readNow(ctx, &x, failed)
}

// renewed deals with a record that was deleted and made anew since, so that its link now has another one. If the
// run itself deleted the record, Again names the new one. Otherwise the new one is undone in its place.
func renewed(x undo.Undoing, now record.Entry) undo.Undoing {
	if x.Made[len(x.Made)-1].Change.Op == record.Delete {
		if now.State != record.Gone {
			x.Again = now.Ref
		}
		return x
	}
	x.Ref, x.Entry = now.Ref, now.Num
	return x
}

// readNow reads what a record holds now.
func (r *Room) readNow(ctx context.Context, x *undo.Undoing, failed *int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	found, err := r.observe.ReadRef(ctx, x.Side, x.Ref)
	switch {
	case err != nil:
		return r.noteUnread(x, err, failed)
	case !found && !r.trust.Scanned[x.Side]: // it can't be read by its id: the list tells
		if err := r.observe.PullWhole(ctx, x.Side); err != nil {
			return err
		}
	}
	e, ok, err := r.store.Entry(ctx, r.Place(x.Side), x.Ref)
	if err != nil || !ok {
		return err
	}
	if !found && (e.State.Doubted() || e.State == record.Gone) {
		return nil
	}
	x.There, x.Now, x.Version, x.Entry = true, r.mapped(e), e.LastVersion(), e.Num
	if x.Moved, err = r.links.MovedSince(ctx, x, e); err != nil || x.Made[0].Change.Op != record.Create {
		return err
	}
	x.InUse, err = r.inUse(ctx, x.Side, e)
	return err
}

// noteUnread notes why a record can't be read. A record that is not there needs no note.
func (r *Room) noteUnread(x *undo.Undoing, err error, failed *int) error {
	switch connectors.ClassOf(err) { //nolint:exhaustive // any other is a failure of this read
	case connectors.NotFound:
		return nil
	case connectors.OutOfScope:
		x.Unread = "it is outside of what is to be read"
		return nil
	case connectors.Moved:
		x.Unread = "it was merged into another record"
		return nil
	}
	if stop := r.observe.PassOver(x.Side, err, failed); stop != nil {
		return stop
	}
	x.Unread = "it can't be read now: " + err.Error()
	return nil
}

// inUse says what goes by a record in other jobs, or may yet, "" if nothing does.
func (r *Room) inUse(ctx context.Context, side record.Side, e record.Entry) (string, error) {
	a := &run.Absence{}
	a.Pair.Sides[side] = e
	if pair, ok, err := r.store.Pair(ctx, e.Link); err != nil {
		return "", err
	} else if ok {
		a.Pair = pair
	}
	named, err := r.gone.NamedBy(ctx, a, side)
	if err != nil || named.Await != "" || named.None() {
		return named.Await, err
	}
	return named.Reason(e.Ref), nil
}

// mapped returns what a record was last seen to hold on the paths that the job maps. Our own paths are left out.
func (r *Room) mapped(e record.Entry) record.Fields {
	last, out := e.Last(), record.Fields{}
	for _, p := range r.Job.Mapping.Paths(e.Place.Side) {
		if v := last[p]; v.Observed() {
			out[p] = v
		}
	}
	return out
}

// writtenSince returns for each path of one side of a link which later run wrote it, if one did.
func (r *Room) writtenSince(ctx context.Context, link record.LinkID, side record.Side, run int64) (map[string]int64, error) {
	made, err := r.store.MadeSince(ctx, link, side, run)
	out := map[string]int64{}
	for _, in := range made {
		for p := range in.Change.Fields {
			out[p] = in.Run
		}
	}
	return out, err
}

// takeBack carries out the actions of an undo. A record that turns out to be edited meanwhile is a conflict like
// any other. What a system refuses is listed in the report.
func (r *Room) takeBack(ctx context.Context, actions []plan.Action) error {
	stuck := map[string]bool{}
	for i, a := range actions {
		key := a.Side.String() + a.Change.Ref.ID + run.KeyOf(a.Link, a.From)
		if a.Step > 0 && stuck[key] {
			continue
		}
		ok, err := r.takeBackOne(ctx, a)
		if err != nil {
			return err
		}
		stuck[key] = !ok
		r.Progress(run.Progress{Phase: "apply", Done: i + 1, Total: len(actions)})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// takeBackOne carries out one action of an undo, and reports whether it was done.
func (r *Room) takeBackOne(ctx context.Context, a plan.Action) (bool, error) {
	if may, err := r.mayTakeBack(ctx, a); err != nil || !may {
		return false, err
	}
	out, err := r.trials.Door().Apply(ctx, a)
	if err != nil {
		return false, err
	}
	if out.Result == apply.Done {
		r.Count(a.Side.String()+"."+run.Past(a.Change.Op), 1)
		return true, nil
	}
	return false, r.notTakenBack(ctx, a, out)
}

// mayTakeBack reports whether an action of an undo may be sent now.
func (r *Room) mayTakeBack(ctx context.Context, a plan.Action) (bool, error) {
	if held, err := r.trust.Held(ctx, a.Side); err != nil || held {
		r.Count("postponed", 1)
		return false, err
	}
	if err := r.trust.Prove(ctx, a.Side); err != nil || a.Change.Op != record.Create {
		return err == nil, err
	}
	ok, err := r.match.Compared(ctx)
	if err == nil && !ok {
		r.notTaken(a, "the state was put back to an older copy: nothing is created before both sides were read whole")
	}
	return ok, err
}

// notTakenBack notes why an action of an undo was not done.
func (r *Room) notTakenBack(ctx context.Context, a plan.Action, out apply.Outcome) error {
	switch out.Result {
	case apply.Done:
		return nil
	case apply.Changed:
		r.Count("stale", 1)
		for _, f := range a.Fields {
			r.Report.Undo.Conflicts = append(r.Report.Undo.Conflicts, undo.Conflict{
				Side: a.Side, Ref: a.Change.Ref, Field: f.Field, Before: f.After, Written: f.Before, Why: "it was edited while it was to be undone: it is left as it is",
			})
		}
		if out.Observed != nil {
			return r.observe.SeeIfNew(ctx, a.Side, *out.Observed, out.At)
		}
		return r.observe.Refresh(ctx, a.Side, a.Change.Ref)
	case apply.Vanished:
		r.Count("vanished", 1)
		r.notTaken(a, "it is not there any more")
		return nil
	case apply.Said:
		r.Count("refused", 1)
		r.notTaken(a, fmt.Sprintf("%s said no: %v", r.Side(a.Side).System, out.Err))
		return nil
	case apply.Unknown:
		r.Count("unsettled", 1)
		r.notTaken(a, "no answer came: the next run finds out whether it arrived")
		return nil
	case apply.Taken:
		r.notTaken(a, "the system answered with a record that is linked already")
		return r.door.AnsweredTaken(ctx, a, out)
	case apply.Met:
		r.notTaken(a, "the system has a record with its key already")
		return r.metAgain(ctx, a)
	case apply.Put:
		return r.door.PutBack(ctx, a, out)
	case apply.Kept:
		paused, err := r.trust.Held(ctx, a.Side) // Held notes why
		r.Count("postponed", 1)
		if err == nil && !paused {
			r.notTaken(a, fmt.Sprintf("it was not sent: %v", out.Err))
		}
		return err
	case apply.Unread:
		r.Unverified(a, out)
		return nil
	}
	return fmt.Errorf("undo %s: unknown result %d", a.Change.Ref, out.Result)
}

// notTaken lists in the report an action that could not be carried out.
func (r *Room) notTaken(a plan.Action, why string) {
	ref := a.Change.Ref
	op := map[record.Op]record.Op{record.Delete: record.Create, record.Create: record.Delete}[a.Change.Op]
	if op == 0 {
		op = record.Update
	}
	r.Report.Undo.Beyond = append(r.Report.Undo.Beyond, undo.Beyond{Side: a.Side, Ref: ref, Op: op, Why: why})
}

// metAgain ends the intent of a create that met a record with the same key: nothing was made.
func (r *Room) metAgain(ctx context.Context, a plan.Action) error {
	open, err := r.store.Unsettled(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(open, func(in record.Intent) bool {
		return in.Run == r.Lease.Run && in.Link == a.Link && in.From == a.From && in.Change.Op == record.Create
	})
	if i < 0 {
		return errors.New("a change that was just answered is not in the journal")
	}
	return r.settle.Drop(ctx, open[i], "the system already has a record with its key")
}
