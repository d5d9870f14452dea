package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

func (r *run) applier() *apply.Applier {
	a := &apply.Applier{
		Lease: r.lease, Journal: r.Store, NewID: r.NewID, Step: r.Step,
		Held:  r.passes,
		Open:  r.openContent,
		Based: r.madeOf, Unheeded: r.unheeded,
		Vouched: r.vouched,
		Unmoved: r.unmoved,
		Beside:  r.sentWhole,
		Stamp:   func(entity string) string { return "np:" + r.Install + ":" + entity },
	}
	for i, s := range r.job.Sides {
		a.Systems[i] = apply.System{Name: s.System, Conn: s.Conn, Kind: s.Can, Settle: s.Settle}
	}
	return a
}

// vouched reports whether the version that a change names vouches for all that it writes, and
// for all that it was decided upon. Once an edit did not move the version of a record, no version
// of its side does.
func (r *run) vouched(ctx context.Context, in record.Intent) (bool, error) {
	if still, err := r.versionStands(ctx, in.Place.Side); err != nil || still {
		return false, err
	}
	e, _, err := r.Store.Entry(ctx, in.Place, in.Change.Ref)
	paths := slices.AppendSeq(in.Change.Fields.Names(), maps.Keys(in.Change.Before)) // of what was not shown, too
	return e.Vouches(in.Change.Version, paths), err
}

// versionStands reports whether a record of a side was seen to change under a version that did not.
func (r *run) versionStands(ctx context.Context, side record.Side) (bool, error) {
	if known := r.versionless[side]; known != nil && !r.listing[side] { // nothing was read since
		return *known, nil
	}
	seen, err := r.Store.Witnessed(ctx, r.place(side))
	if err != nil {
		return false, err
	}
	still, is := seen[record.VersionStands]
	stands := is && still.Value == r.job.Mapping.Fingerprint(side)
	r.versionless[side] = &stands
	return stands, nil
}

// act carries out one action. It reports whether it was done, and what must be read
// again before it can be planned anew. An error ends the run.
func (r *run) act(ctx context.Context, a plan.Action) (bool, []toRead, error) {
	if r.verbNotTaken(a) {
		return false, nil, nil
	}
	if r.awaitsAnswer(a) {
		return false, nil, nil
	}
	if unseen, err := r.unseen(ctx, a); err != nil || unseen {
		return false, nil, err
	}
	if held, err := r.held(ctx, a.Side); err != nil {
		return false, nil, err
	} else if held {
		r.unsent(a)
		r.count("postponed", 1)
		return false, nil, nil
	}
	if kept, err := r.keptBack(ctx, a); err != nil || kept {
		return false, nil, err
	}
	if err := r.prove(ctx, a.Side); err != nil {
		return false, nil, err
	}
	if a.Change.Op == record.Create {
		if !r.whole {
			r.count("unproven", 1)
			r.note(a.Side.Other(), a.Source, record.Waiting,
				"the state was put back to an older copy: nothing is created before both sides were read whole")
			return false, nil, nil
		}
		if r.meeting[a.From] != "" { // what came since was to be linked with it: a create is open
			r.count("postponed", 1)
			r.note(a.Side.Other(), a.Source, record.Waiting, "a record with its key came, and is to be linked with it")
			return false, nil, nil
		}
		if ok, err := r.sourceStands(ctx, a); err != nil || !ok {
			return false, nil, err
		}
		if ok, err := r.sourceWhole(ctx, a); err != nil || !ok {
			return false, nil, err
		}
		if why, err := r.madeElsewhere(ctx, a); err != nil {
			return false, nil, err
		} else if why != "" {
			r.count("postponed", 1)
			r.note(a.Side.Other(), a.Source, record.Waiting, why)
			return false, nil, nil
		}
		ok, err := r.findFirst(ctx, a)
		if err != nil {
			return false, nil, fmt.Errorf("look for %s before it is created: %w", a.Source, err)
		}
		if !ok {
			r.count("unproven", 1)
			r.note(a.Side.Other(), a.Source, record.Waiting, r.unsure(a.Side, a.From))
			r.findUnproven(a)
			return false, nil, nil
		}
	}
	if ok, err := r.stepStands(ctx, a); err != nil || !ok {
		return false, nil, err
	}
	if ok, err := r.saidStands(ctx, a); err != nil || !ok {
		return false, nil, err
	}
	if ok, err := r.mayCarry(ctx, a); err != nil || !ok {
		return false, nil, err
	}
	if !r.triedBefore(a) {
		return false, nil, nil
	}
	out, err := r.try(ctx, a)
	if err != nil {
		return false, nil, err
	}
	return r.concluded(ctx, a, out)
}

// concluded is the one place that says what an outcome means for the run.
func (r *run) concluded(ctx context.Context, a plan.Action, out apply.Outcome) (bool, []toRead, error) {
	side := a.Side
	name := side.String() + "."
	reread := []toRead{{side: side, ref: a.Change.Ref}}
	r.heard(a, out)
	switch out.Result {
	case apply.Done:
		r.count(name+past(a.Change.Op), 1)
		r.written(a)
		if err := r.afterGone(ctx, a); err != nil {
			return false, nil, err
		}
		told, err := r.gaveWay(ctx, a)
		if err != nil {
			return false, nil, err
		}
		return true, append(stepDue(side, out.Receipt), told...), r.afterCreate(ctx, a, out)
	case apply.Changed:
		r.count("stale", 1)
		if out.Observed != nil {
			return false, reread, r.seeIfNew(ctx, side, *out.Observed, out.At)
		}
		if read, err := r.readFirst(ctx, side, a.Change.Ref); err != nil || !read {
			return false, nil, err
		}
		if unseen, err := r.changedUnseen(ctx, a); err != nil || unseen {
			return false, nil, err
		}
		return false, reread, nil
	case apply.Vanished:
		r.vanished(a)
		_, err := r.readFirst(ctx, side, a.Change.Ref)
		return false, nil, err
	case apply.Said:
		return false, nil, r.refused(ctx, a, out)
	case apply.Met:
		return false, nil, r.met(ctx, a, out)
	case apply.Unknown:
		if a.From != 0 {
			r.open[a.From] = true
		}
		r.count("unsettled", 1)
		r.findUnanswered(a, out)
		r.Log.WarnContext(ctx, "nobody knows whether a change was applied", "side", side.String(), "ref", a.Change.Ref.String(), "op", a.Change.Op.String())
		return false, nil, nil
	case apply.Taken:
		return false, nil, r.answeredTaken(ctx, a, out)
	case apply.Put:
		return false, nil, r.putBack(ctx, a, out)
	case apply.Kept:
		if kept, err := r.keptBack(ctx, a); err != nil || kept {
			return false, nil, err
		}
		_, err := r.held(ctx, side) // notes why
		r.count("postponed", 1)
		return false, nil, err
	case apply.Unread:
		r.unverified(a, out)
		return false, nil, nil
	}
	return false, nil, fmt.Errorf("apply %s: unknown result %d", a.Change.Ref, out.Result)
}

func past(op record.Op) string {
	switch op {
	case record.Create:
		return "created"
	case record.Delete:
		return "deleted"
	case record.Update, record.Action:
		return "updated"
	}
	return op.String()
}

// putBack ends the writes to a side that asks to wait or can't be reached. With a
// key that is not known any more the whole run ends.
func (r *run) putBack(ctx context.Context, a plan.Action, out apply.Outcome) error {
	if out.Class == connectors.Unauthorized {
		return out.Err
	}
	if a.Change.Op == record.Delete && out.Class == connectors.Unsupported { // other changes may be
		return r.deleteRefused(ctx, a, out)
	}
	if out.Class == connectors.Unsupported {
		r.verbRefused(a, out)
		return nil
	}
	r.stopped[a.Side] = string(out.Class)
	r.count("postponed", 1)
	r.Log.WarnContext(ctx, "no more writes to a side in this run", "side", a.Side.String(), "class", string(out.Class))
	r.note(a.Side, a.Change.Ref, record.Waiting, fmt.Sprintf("%s can't be written now: %v", r.side(a.Side).System, out.Err))
	return nil
}

// answeredTaken deals with a create that was answered with a record of another link: a
// system that gives back what it has already for one that it takes to be the same.
func (r *run) answeredTaken(ctx context.Context, a plan.Action, out apply.Outcome) error {
	r.open[a.From] = true
	in := record.Intent{
		ID: out.Receipt.Intent, Place: record.Place{Binding: r.job.Binding, Side: a.Side},
		Link: a.Link, From: a.From, Change: a.Change,
	}
	return r.loseTaken(ctx, in, out.Receipt.Ref)
}

// met deals with a create that met a record with a key of its own: it is looked up, so
// that the next plan matches it.
func (r *run) met(ctx context.Context, a plan.Action, out apply.Outcome) error {
	intents, err := r.Store.Unsettled(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	for _, in := range intents {
		if in.From != a.From || in.Change.Op != record.Create {
			continue
		}
		if r.once(a.Side) { // what is there already may be what this very request made
			r.open[a.From] = true
			r.count("unsettled", 1)
			continue
		}
		open, err := r.settleCreate(ctx, in, true)
		if err != nil {
			return err
		}
		if open { // it can't be asked for: it will be seen in the next list
			if err := r.blocked(ctx, in); err != nil {
				return err
			}
			if r.apartFromKeys(a.Side, namedBy(out.Err)) { // no list will ever match it
				r.findAnswer(record.FindHeld, a, out.Err)
			}
			r.note(a.Side.Other(), a.Source, record.Waiting, "the other system already has it: it is matched when it is listed")
			continue
		}
		r.strays = true
	}
	return nil
}

// refresh reads one record again and stores what that showed.
func (r *run) refresh(ctx context.Context, side record.Side, ref record.Ref) error {
	e, ok, err := r.Store.Entry(ctx, r.place(side), ref)
	if err != nil || !ok {
		return err
	}
	return r.ifBarred(side, ref, r.readEntry(ctx, side, e))
}

func (r *run) alert(ctx context.Context, entry int64, kind, text string) error {
	a := record.Alert{Run: r.lease.Run, Binding: r.job.Binding, Entry: entry, Kind: kind, Text: text, At: time.Now()}
	r.rep.Alerts = append(r.rep.Alerts, a)
	r.count("alerts", 1)
	if err := r.Store.Alert(ctx, r.lease, a); err != nil {
		return fmt.Errorf("keep alert: %w", err)
	}
	return nil
}
