package engine

import (
	"context"
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

const (
	rounds = 3   // how often a run plans anew for records that changed under it
	slice  = 250 // what needs no write to a system is stored in slices of so many
)

// carryOut shows the plan, stops where it must, and does it.
func (r *run) carryOut(ctx context.Context, d *draft) error {
	actions := d.actions()
	r.rep.Actions, r.rep.Digest = actions, plan.DigestOf(actions)
	r.describe(d)
	if err := r.guard(ctx, d, actions); err != nil {
		return err
	}
	if err := r.sureFor(ctx, d, actions); err != nil {
		return r.askOfStrangers(ctx, d, err)
	}
	free, err := r.withhold(ctx, d, r.chosen(actions))
	if err != nil || r.opt.Dry {
		return err
	}
	again, err := r.do(ctx, d, free)
	if err == nil {
		err = r.concludeStages(ctx, d, actions)
	}
	if err == nil {
		err = r.successions(ctx, d)
	}
	if err == nil && r.strays && !r.limited() {
		var more []toRead
		more, err = r.secondPlan(ctx)
		again = append(again, more...)
	}
	for i := 0; err == nil && len(again) > 0 && i < rounds && !r.limited(); i++ { // nobody approved what a new plan says
		again, err = r.replan(ctx, again)
	}
	if err != nil {
		return err
	}
	r.judged(d)
	return r.letGo(ctx, d)
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
	stale, brought := map[string]bool{}, map[bringing]bool{}
	for i, a := range r.leastAsked(actions) {
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
		r.became(a, ok, len(reread) > 0)
		for _, f := range a.Fields {
			if ok && f.Policy == string(merge.Person) {
				brought[bringing{a.Link, a.Side, f.Field}] = true
			}
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
	return again, r.closeChoices(ctx, d, brought)
}

// bringing is a value that a person chose on its way to one side.
type bringing struct {
	link  record.LinkID
	side  record.Side
	field string
}

// closeChoices closes the conflicts of which each side was brought the chosen value,
// whatever it made of that: what stands there is not asked to be another once more.
func (r *run) closeChoices(ctx context.Context, d *draft, brought map[bringing]bool) error {
	for _, p := range d.pairs {
		var open []record.Conflict
		for _, c := range p.kept {
			over, err := r.isSettled(ctx, &p, c.Field, brought)
			if err != nil {
				return err
			}
			if !over {
				open = append(open, c)
			}
		}
		if len(open) == len(p.kept) {
			continue
		}
		if err := r.keepConflicts(ctx, p.link, slices.Concat(p.verdict.Conflicts, open)); err != nil {
			return err
		}
	}
	return nil
}

// isSettled reports whether what a person chose is on both sides: it was brought to each that
// it is to be written to, and the other is there still.
func (r *run) isSettled(ctx context.Context, d *decided, field string, brought map[bringing]bool) (bool, error) {
	if !d.everywhere(field, brought) {
		return false, nil
	}
	for _, side := range record.Sides {
		if brought[bringing{d.link, side, field}] {
			continue
		}
		if there, err := r.isThere(ctx, side, d.link); err != nil || !there {
			return false, err
		}
	}
	return true, nil
}

// everywhere reports whether a field was brought to each side that it is to be written to.
func (d *decided) everywhere(field string, brought map[bringing]bool) bool {
	if slices.Contains(d.refused, field) {
		return false
	}
	for _, a := range d.verdict.Actions {
		is := func(f record.FieldReason) bool { return f.Field == field }
		if slices.ContainsFunc(a.Fields, is) && !brought[bringing{d.link, a.Side, field}] {
			return false
		}
	}
	return true
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

// replan reads what changed under the plan, and decides and does it anew.
func (r *run) replan(ctx context.Context, again []toRead) ([]toRead, error) {
	if err := r.loadUnknown(ctx); err != nil {
		return nil, err
	}
	d := &draft{}
	seen := map[record.LinkID]bool{}
	for _, t := range again {
		if read, err := r.readFirst(ctx, t.side, t.ref); err != nil {
			return nil, err
		} else if !read {
			continue
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
	free, err := r.withhold(ctx, d, d.actions())
	if err != nil {
		return nil, err
	}
	return r.do(ctx, d, free)
}
