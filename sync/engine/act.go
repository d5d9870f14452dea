package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

const (
	rounds = 3   // how often a run plans anew for records that changed under it
	slice  = 100 // what needs no write to a system is stored in slices of so many
)

func (r *run) applier() *apply.Applier {
	a := &apply.Applier{
		Lease: r.lease, Journal: r.Store, NewID: r.NewID, Step: r.Step,
		Stamp: func(entity string) string { return "np:" + r.Install + ":" + entity },
	}
	for i, s := range r.job.Sides {
		a.Systems[i] = apply.System{Name: s.System, Conn: s.Conn, Kind: s.Can, Settle: s.Settle}
	}
	return a
}

// carryOut shows the plan, stops where it must, and does it.
func (r *run) carryOut(ctx context.Context, d *draft) error {
	actions := d.actions()
	r.rep.Actions, r.rep.Digest = actions, plan.DigestOf(actions)
	r.describe(d)
	if err := r.guard(ctx, d, actions); err != nil {
		return err
	}
	if r.opt.Dry {
		return nil
	}
	again, err := r.do(ctx, d, r.chosen(actions))
	if err == nil && r.strays && !r.limited() {
		r.strays = false
		if d, err = r.plan(ctx); err == nil {
			var more []toRead
			more, err = r.do(ctx, d, d.actions())
			again = append(again, more...)
		}
	}
	for i := 0; err == nil && len(again) > 0 && i < rounds && !r.limited(); i++ { // nobody approved what a new plan says
		again, err = r.replan(ctx, again)
	}
	return err
}

// guard names what stops the plan before its first write. Reads and what was
// observed stay; a dry run shows the halts and goes on showing.
func (r *run) guard(ctx context.Context, d *draft, actions []plan.Action) error {
	if !r.opt.Yes {
		r.rep.Halts = append(r.rep.Halts, plan.Check(r.job.Guards, d.facts, actions)...)
		first, err := r.isFirst(ctx, d)
		if err != nil {
			return err
		}
		if first && (len(actions) > 0 || len(d.joins) > 0) {
			r.rep.Halts = append(r.rep.Halts, plan.Halt{Name: "first_run", Text: fmt.Sprintf(
				"this is the first run of %s: look at its plan, then run sync --yes", r.job.Binding)})
		}
	}
	if len(r.rep.Halts) > 0 && !r.opt.Dry {
		return ErrHalted
	}
	return nil
}

// isFirst reports whether nothing was ever linked and nobody agreed yet.
func (r *run) isFirst(ctx context.Context, d *draft) (bool, error) {
	if !r.job.AskFirst || d.facts.Links > 0 || r.opt.Limit > 0 || r.opt.Plan != nil {
		return false, nil
	}
	runs, err := r.Store.Runs(ctx, r.job.Binding, 200)
	if err != nil {
		return false, err
	}
	for _, run := range runs {
		if !run.Dry && (run.Outcome == record.Done || run.Outcome == record.Waits) {
			return false, nil
		}
	}
	return true, nil
}

// describe counts and lists what the plan found.
func (r *run) describe(d *draft) {
	conflict := func(v plan.Verdict, c plan.Case) {
		for _, x := range v.Conflicts {
			x.Link, x.Binding = c.Link, r.job.Binding
			r.rep.Conflicts = append(r.rep.Conflicts, x)
		}
		r.count("conflicts", len(v.Conflicts))
		r.count("drifts", len(v.Drifts))
		for _, dr := range v.Drifts {
			r.note(record.Left, c.Sides[record.Left].Ref, "drift", dr.Field+": "+dr.Reason)
		}
		if v.Problem != "" {
			r.count("quarantined", 1)
			r.note(record.Left, c.Sides[record.Left].Ref, record.Quarantined, v.Problem)
		}
	}
	for _, p := range d.pairs {
		conflict(p.verdict, p.pair)
	}
	for _, j := range d.joins {
		conflict(j.verdict, j.pair)
	}
	for _, p := range d.parks {
		r.count(string(p.state), 1)
		r.note(p.side, p.entry.Ref, p.state, p.why)
	}
	for _, w := range d.waits {
		if w.why != "" {
			r.count("waiting", 1)
			r.note(w.side, w.entry.Ref, record.Waiting, w.why)
		}
	}
	r.count("planned", len(d.actions()))
	r.count("joined", len(d.joins))
}

// chosen is the actions that may be done: all, the first few, or those approved.
func (r *run) chosen(actions []plan.Action) []plan.Action {
	if r.opt.Plan != nil {
		var kept []plan.Action
		left := make(map[string]bool, len(r.opt.Plan))
		for k := range r.opt.Plan {
			left[k] = true
		}
		for _, a := range actions {
			if g := a.Digest(); left[g] {
				kept = append(kept, a)
				delete(left, g)
			}
		}
		for k := range left {
			r.rep.Dropped = append(r.rep.Dropped, k)
		}
		actions = kept
	}
	if r.opt.Limit > 0 && len(actions) > r.opt.Limit {
		actions = actions[:r.opt.Limit]
	}
	return actions
}

// limited reports whether only some of the plan is to be done.
func (r *run) limited() bool { return r.opt.Limit > 0 || r.opt.Plan != nil }

// do settles what needs no write, and then carries out the actions one by one.
func (r *run) do(ctx context.Context, d *draft, actions []plan.Action) ([]toRead, error) {
	links, err := r.settleWithoutWrite(ctx, d, actions)
	if err != nil {
		return nil, err
	}
	if err := r.mark(ctx, d); err != nil {
		return nil, err
	}
	if err := r.tellRefusals(ctx, d.told); err != nil {
		return nil, err
	}
	again := d.reads
	stale := map[string]bool{}
	for i, a := range actions {
		if a.Link == 0 && a.Change.Op != record.Create {
			a.Link = links[a.Entity]
		}
		if a.Step > 0 && stale[keyOf(a.Link, a.From)] {
			continue
		}
		if over, err := r.overtaken(ctx, a); err != nil {
			return nil, err
		} else if over {
			continue
		}
		ok, reread, err := r.act(ctx, a)
		if err != nil {
			return nil, err
		}
		if !ok {
			stale[keyOf(a.Link, a.From)] = true
		}
		if !ok && len(reread) > 0 && r.opt.Plan != nil {
			r.rep.Dropped = append(r.rep.Dropped, a.Digest())
		}
		again = append(again, reread...)
		r.progress(Progress{Phase: "apply", Done: i + 1, Total: len(actions)})
		if err := r.between(ctx); err != nil {
			return nil, err
		}
	}
	return again, r.closeChoices(ctx, d, stale)
}

// closeChoices closes the conflicts of which each side has the chosen value now.
func (r *run) closeChoices(ctx context.Context, d *draft, stale map[string]bool) error {
	for _, p := range d.pairs {
		if len(p.kept) == 0 || p.refused || stale[keyOf(p.link, 0)] || r.limited() {
			continue
		}
		if err := r.keepConflicts(ctx, p.link, p.verdict.Conflicts); err != nil {
			return err
		}
	}
	return nil
}

// overtaken reports whether a record that was taken first has left nothing to do for
// an action that was planned before, or nothing that is known.
func (r *run) overtaken(ctx context.Context, a plan.Action) (bool, error) {
	if !r.kicked || r.kicking {
		return false, nil
	}
	if a.Link != 0 {
		pair, ok, err := r.Store.Pair(ctx, a.Link)
		return ok && pair.State == record.LinkUnsure, err
	}
	from := a.Side.Other()
	if a.Change.Op != record.Create {
		from = a.Side
	}
	e, ok, err := r.Store.Entry(ctx, r.place(from), a.Source)
	return r.open[a.From] || ok && e.Link != 0, err
}

// settleWithoutWrite makes the links of strangers that are the same, and lets bases
// take over what both sides agree on. It gives the links by entity.
func (r *run) settleWithoutWrite(ctx context.Context, d *draft, actions []plan.Action) (map[string]record.LinkID, error) {
	wanted := map[string]bool{}
	for _, a := range actions {
		wanted[a.Entity] = true
	}
	links := map[string]record.LinkID{}
	joins := slices.DeleteFunc(slices.Clone(d.joins), func(j join) bool { return r.limited() && !wanted[j.entity] })
	err := r.inSlices(ctx, len(joins), func(ctx context.Context, i int) error {
		j := joins[i]
		link, err := r.Store.Join(ctx, r.lease, j.left, j.right, j.entity, time.Now())
		if err != nil {
			return fmt.Errorf("link %d and %d: %w", j.left, j.right, err)
		}
		links[j.entity] = link
		r.count("linked", 1)
		return r.keepVerdict(ctx, link, j.verdict, j.waits)
	})
	if err != nil {
		return nil, err
	}
	return links, r.inSlices(ctx, len(d.pairs), func(ctx context.Context, i int) error {
		p := d.pairs[i]
		if p.dirty && len(p.verdict.Actions) > 0 { // the mark stays until its writes are done
			p.verdict.Adopt, p.waits = [2]record.Fields{}, nil
		}
		p.verdict.Conflicts = slices.Concat(p.verdict.Conflicts, p.kept)
		return r.keepVerdict(ctx, p.link, p.verdict, p.waits)
	})
}

// inSlices does something n times, a slice of it a transaction: nothing of it is
// worth a commit of its own, for a run that dies plans it again.
func (r *run) inSlices(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	for from := 0; from < n; from += slice {
		err := r.Store.Together(ctx, func(ctx context.Context) error {
			for i := from; i < min(n, from+slice); i++ {
				if err := do(ctx, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// keepVerdict stores what a verdict says beside its writes.
func (r *run) keepVerdict(ctx context.Context, link record.LinkID, v plan.Verdict, ws []waits) error {
	now := time.Now()
	// A link that has only writes to come stays marked until they are done.
	if len(v.Actions) == 0 || len(v.Adopt[record.Left])+len(v.Adopt[record.Right]) > 0 {
		if err := r.Store.Adopt(ctx, r.lease, link, v.Adopt, now); err != nil {
			return fmt.Errorf("settle link %d: %w", link, err)
		}
	}
	if err := r.keepConflicts(ctx, link, v.Conflicts); err != nil {
		return err
	}
	for _, w := range ws {
		if err := r.Store.WaitFor(ctx, r.lease, w.entry.Num, w.on, "", now); err != nil {
			return fmt.Errorf("note what link %d waits for: %w", link, err)
		}
	}
	return nil
}

// keepConflicts makes these the open conflicts of a link.
func (r *run) keepConflicts(ctx context.Context, link record.LinkID, conflicts []record.Conflict) error {
	now := time.Now()
	cs := make([]record.Conflict, len(conflicts))
	for i, c := range conflicts {
		c.Link, c.Binding, c.Opened, c.Run = link, r.job.Binding, now, r.lease.Run
		cs[i] = c
	}
	if err := r.Store.OpenConflicts(ctx, r.lease, link, 0, cs, now); err != nil {
		return fmt.Errorf("note conflicts of link %d: %w", link, err)
	}
	return nil
}

// mark stores why records are not in step.
func (r *run) mark(ctx context.Context, d *draft) error {
	now := time.Now()
	err := r.inSlices(ctx, len(d.parks), func(ctx context.Context, i int) error { return r.markPark(ctx, d.parks[i], now) })
	if err != nil {
		return err
	}
	return r.inSlices(ctx, len(d.waits), func(ctx context.Context, i int) error {
		w := d.waits[i]
		if err := r.Store.WaitFor(ctx, r.lease, w.entry.Num, w.on, w.why, now); err != nil {
			return fmt.Errorf("let %s wait: %w", w.entry.Ref, err)
		}
		return nil
	})
}

// markPark stores why one record is not in step.
func (r *run) markPark(ctx context.Context, p park, now time.Time) error {
	var cs []record.Conflict
	if p.state == record.Held {
		cs = []record.Conflict{{
			Binding: r.job.Binding, Entry: p.entry.Num, Field: "match", Why: p.why,
			Policy: "hold", Opened: now, Run: r.lease.Run,
		}}
	}
	if p.state == record.Held || p.entry.State == record.Held {
		if err := r.Store.OpenConflicts(ctx, r.lease, 0, p.entry.Num, cs, now); err != nil {
			return fmt.Errorf("hold %s: %w", p.entry.Ref, err)
		}
	}
	if p.state == p.entry.State && p.why == p.entry.Why && !p.entry.Dirty {
		return nil
	}
	if err := r.Store.Park(ctx, r.lease, p.entry.Num, p.state, p.why); err != nil {
		return fmt.Errorf("park %s: %w", p.entry.Ref, err)
	}
	return nil
}

// act carries out one action. It reports whether it was done, and what must be read
// again before it can be planned anew. An error ends the run.
func (r *run) act(ctx context.Context, a plan.Action) (bool, []toRead, error) {
	if why := r.stopped[a.Side]; why != "" {
		r.count("postponed", 1)
		return false, nil, nil
	}
	if err := r.prove(ctx, a.Side); err != nil {
		return false, nil, err
	}
	if a.Change.Op == record.Create {
		ok, err := r.findFirst(ctx, a)
		if err != nil {
			return false, nil, fmt.Errorf("look for %s before it is created: %w", a.Source, err)
		}
		if !ok {
			r.count("unproven", 1)
			r.note(a.Side.Other(), a.Source, record.Waiting, fmt.Sprintf(
				"it is not sure yet that %s lacks it: its list was not read whole twice", r.side(a.Side).System))
			return false, nil, nil
		}
	}
	out, err := r.applier().Apply(ctx, a)
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
	switch out.Result {
	case apply.Done:
		r.count(name+past(a.Change.Op), 1)
		return true, nil, r.afterCreate(ctx, a, out)
	case apply.Changed:
		r.count("stale", 1)
		if out.Observed != nil {
			return false, reread, r.see(ctx, side, *out.Observed, out.At, "get")
		}
		return false, reread, r.refresh(ctx, side, a.Change.Ref)
	case apply.Vanished:
		r.count("vanished", 1)
		return false, nil, r.refresh(ctx, side, a.Change.Ref)
	case apply.Said:
		return false, nil, r.refused(ctx, a, out)
	case apply.Met:
		return false, nil, r.met(ctx, a)
	case apply.Unknown:
		if a.From != 0 {
			r.open[a.From] = true
		}
		r.count("unsettled", 1)
		r.Log.WarnContext(ctx, "nobody knows whether a change was applied", "side", side.String(), "ref", a.Change.Ref.String(), "op", a.Change.Op.String())
		return false, nil, nil
	case apply.Put:
		return false, nil, r.putBack(ctx, a, out)
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
	r.stopped[a.Side] = string(out.Class)
	r.count("postponed", 1)
	r.Log.WarnContext(ctx, "no more writes to a side in this run", "side", a.Side.String(), "class", string(out.Class))
	r.note(a.Side, a.Change.Ref, record.Waiting, fmt.Sprintf("%s can't be written now: %v", r.side(a.Side).System, out.Err))
	return nil
}

// refused deals with a no. A booking's no is told to the side that asked for it.
func (r *run) refused(ctx context.Context, a plan.Action, out apply.Outcome) error {
	r.count("refused", 1)
	if out.Class == connectors.Forbidden {
		r.stopped[a.Side] = string(out.Class)
		return r.alert(ctx, a.From, "read_only", fmt.Sprintf("%s does not allow writing: %v", r.side(a.Side).System, out.Err))
	}
	if a.Change.Op != record.Create {
		r.note(a.Side, a.Change.Ref, record.Quarantined, out.Err.Error())
		return nil
	}
	from := a.Side.Other()
	if b := r.job.Booking; b != nil && a.Side == b.Authority && out.Class == connectors.Refused {
		return r.tellRefused(ctx, a, from, out.Err)
	}
	r.note(from, a.Source, record.Quarantined, out.Err.Error())
	if b := r.job.Booking; b != nil && a.Side == b.Authority {
		e := record.Entry{Num: a.From, Ref: a.Source}
		if err := r.tellOnce(ctx, from, e, fmt.Sprintf("can't be entered as it is: %v", out.Err)); err != nil {
			return err
		}
	}
	return r.Store.Park(ctx, r.lease, a.From, record.Quarantined, fmt.Sprintf("%s refused it: %v", r.side(a.Side).System, out.Err))
}

// met deals with a create that met a record which is the same: it is looked up, so
// that the next plan matches it.
func (r *run) met(ctx context.Context, a plan.Action) error {
	intents, err := r.Store.Unsettled(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	for _, in := range intents {
		if in.From != a.From || in.Change.Op != record.Create {
			continue
		}
		open, err := r.settleCreate(ctx, in)
		if err != nil {
			return err
		}
		if open { // it can't be asked for: it will be seen in the next list
			if err := r.drop(ctx, in, "the system already has a record with its key"); err != nil {
				return err
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
	return r.readEntry(ctx, side, e)
}

// replan reads what changed under the plan, and decides and does it anew.
func (r *run) replan(ctx context.Context, again []toRead) ([]toRead, error) {
	d := &draft{}
	seen := map[record.LinkID]bool{}
	for _, t := range again {
		if err := r.refresh(ctx, t.side, t.ref); err != nil {
			return nil, err
		}
		pair, ok, err := r.Store.PairOf(ctx, r.place(t.side), t.ref)
		if err != nil {
			return nil, err
		}
		if !ok || seen[pair.Link] || pair.State == record.LinkUnsure {
			continue
		}
		seen[pair.Link] = true
		if err := r.planPair(ctx, d, pair); err != nil {
			return nil, err
		}
	}
	return r.do(ctx, d, d.actions())
}

// one takes a single record first: read, pair, plan, apply.
func (r *run) one(ctx context.Context, side record.Side, ref record.Ref) error {
	found, err := r.readRef(ctx, side, ref)
	if aside := []connectors.ErrorClass{
		connectors.NotFound, connectors.OutOfScope, connectors.Rejected, connectors.Malformed, connectors.Moved,
	}; slices.Contains(aside, connectors.ClassOf(err)) { // it is put aside for what it is
		return r.refresh(ctx, side, ref)
	}
	if err != nil {
		return err
	}
	if !found {
		return nil
	}
	d := &draft{}
	if err := r.planOne(ctx, d, side, ref); err != nil {
		return err
	}
	// A caller who became known a moment ago may be a guest since then. Where a list
	// costs no requests of anybody's quota it is read at once; but not in the middle
	// of another list.
	if to := side.Other(); d.missing[to] > 0 && r.side(to).Can.FindAny && !r.kicking {
		if err := r.pullWhole(ctx, to); err != nil {
			return err
		}
		d = &draft{}
		if err := r.planOne(ctx, d, side, ref); err != nil {
			return err
		}
	}
	actions := d.actions()
	r.rep.Actions = append(r.rep.Actions, actions...)
	r.describe(d)
	if r.opt.Dry {
		return nil
	}
	again, err := r.do(ctx, d, actions)
	for i := 0; err == nil && len(again) > 0 && i < rounds; i++ {
		again, err = r.replan(ctx, again)
	}
	return err
}

// planOne decides one record, linked or not.
func (r *run) planOne(ctx context.Context, d *draft, side record.Side, ref record.Ref) error {
	pair, ok, err := r.Store.PairOf(ctx, r.place(side), ref)
	if err != nil {
		return err
	}
	if ok {
		if pair.State == record.LinkUnsure {
			return nil
		}
		return r.planPair(ctx, d, pair)
	}
	if d.facts.Links, err = r.Store.LinkCount(ctx, r.job.Binding); err != nil {
		return err
	}
	e, ok, err := r.Store.Entry(ctx, r.place(side), ref)
	if err != nil || !ok {
		return err
	}
	// Asked for by name, it is looked at even if it was left out before.
	if err := r.Store.Touch(ctx, r.lease, []int64{e.Num}); err != nil {
		return err
	}
	return r.planStrangersOnly(ctx, d, &toRead{side: side, ref: ref})
}

// targeted runs for named records only.
func (r *run) targeted(ctx context.Context) error {
	if err := r.loadRejected(ctx); err != nil {
		return err
	}
	for _, ref := range r.opt.Only {
		if err := r.one(ctx, r.opt.OnlySide, ref); err != nil {
			return fmt.Errorf("%s: %w", ref, err)
		}
	}
	r.rep.Digest = plan.DigestOf(r.rep.Actions)
	return r.finish(ctx)
}

// finish asks again what must be asked at the end, and concludes what it can.
func (r *run) finish(ctx context.Context) error {
	if r.opt.Dry {
		return nil
	}
	return errors.Join(r.askAgain(ctx), r.watchAnswers(ctx))
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
