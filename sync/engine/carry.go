package engine

import (
	"context"
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// rounds is how many times a run plans anew for records that changed under its plan.
const rounds = 3

// carryOut shows the plan, stops where it must, and carries it out.
func (r *Room) carryOut(ctx context.Context, d *run.Draft) error {
	actions := d.Actions()
	r.Report.Actions, r.Report.Digest = actions, plan.DigestOf(actions)
	r.decide.Describe(d)
	again, err := r.send(ctx, d, whole)
	if err != nil || r.Options.Dry {
		return err
	}
	if err = r.concludeStages(ctx, d, actions); err == nil {
		err = r.settle.Successions(ctx, d)
	}
	if err == nil && r.observe.Strays && !r.Limited() {
		var more []run.ToRead
		more, err = r.secondPlan(ctx)
		again = append(again, more...)
	}
	if err != nil {
		return err
	}
	return r.conclude(ctx, d, again)
}

// scope says which records a plan is about, and so what may hold it back.
type scope bool

const (
	whole scope = true  // all records: guards count the plan, and may stop the run before its first write
	part  scope = false // some records: guards count it with what waits already, and measure no share of the whole
)

// send is the one way from a plan to its writes. First comes what holds back the whole plan, then what holds
// back single actions. The other actions go through the door, one after the other. It returns the records to
// read and decide once more.
func (r *Room) send(ctx context.Context, d *run.Draft, of scope) ([]run.ToRead, error) {
	actions := d.Actions()
	if of == whole {
		if err := r.guard(ctx, d, actions); err != nil {
			return nil, err
		}
	}
	if err := r.sureFor(ctx, d, actions); err != nil {
		if of == whole { // no other record vouches for a system, but what persons say of strangers may
			err = r.gone.AskOfStrangers(ctx, d, err)
		}
		return nil, err
	}
	free, err := r.guards.Withhold(ctx, d, r.chosen(actions))
	if err != nil || r.Options.Dry {
		return nil, err
	}
	return r.do(ctx, d, free)
}

// conclude decides and carries out once more what changed under a plan, a few times at most. Then it forgets what
// earlier runs held back and nothing holds back any more.
func (r *Room) conclude(ctx context.Context, d *run.Draft, again []run.ToRead) (err error) {
	for i := 0; len(again) > 0 && i < rounds && !r.Limited(); i++ { // nobody approved what a new plan says
		if again, err = r.replan(ctx, again); err != nil {
			return err
		}
	}
	r.judged(d)
	return r.guards.LetGo(ctx, d)
}

// chosen returns the actions that may be done: all, the first few, or the approved ones.
func (r *Room) chosen(actions []plan.Action) []plan.Action {
	if r.Options.Plan != nil {
		var kept []plan.Action
		left := make(map[string]bool, len(r.Options.Plan))
		for k := range r.Options.Plan {
			left[k] = true
		}
		for _, a := range actions {
			if g := a.Digest(); left[g] {
				kept = append(kept, a)
				delete(left, g)
			}
		}
		for k := range left {
			r.Report.Dropped = append(r.Report.Dropped, k)
		}
		actions = kept
	}
	if r.Options.Limit > 0 && len(actions) > r.Options.Limit {
		actions = actions[:r.Options.Limit]
	}
	return actions
}

// do settles what needs no write, and then carries out the actions one by one.
func (r *Room) do(ctx context.Context, d *run.Draft, actions []plan.Action) ([]run.ToRead, error) {
	links, err := r.settleWithoutWrite(ctx, d, actions)
	if err != nil {
		return nil, err
	}
	if err := r.decide.Mark(ctx, d); err != nil {
		return nil, err
	}
	if err := r.decide.TellRefusals(ctx, d.Told); err != nil {
		return nil, err
	}
	x := doing{again: d.Reads, stale: map[string]bool{}, brought: map[run.Bringing]bool{}}
	for i, a := range r.leastAsked(actions) {
		if a.Link == 0 && a.Change.Op != record.Create {
			a.Link = links[a.Entity]
		}
		if err := r.doOne(ctx, a, &x); err != nil {
			return nil, err
		}
		if x.passed {
			continue
		}
		r.Progress(run.Progress{Phase: "apply", Done: i + 1, Total: len(actions)})
		if err := r.between(ctx); err != nil {
			return nil, err
		}
	}
	return x.again, r.closeChoices(ctx, d, x.brought)
}

// doing is what came of the actions of a plan that were done so far.
type doing struct {
	again   []run.ToRead          // records to read and decide once more
	stale   map[string]bool       // records with an action that was not done: their next steps are not done either
	brought map[run.Bringing]bool // fields in which one side now has what a person said
	passed  bool                  // the last action was skipped
}

// doOne does an action. It skips the action if an earlier step of its record was not done, or if a record that was
// taken first has overtaken it.
func (r *Room) doOne(ctx context.Context, a plan.Action, x *doing) error {
	key := run.KeyOf(a.Link, a.From)
	if x.passed = a.Step > 0 && x.stale[key]; x.passed {
		return nil
	}
	over, err := r.overtaken(ctx, a)
	if x.passed = over; err != nil || over {
		return err
	}
	ok, reread, err := r.door.Act(ctx, a)
	if err != nil {
		return err
	}
	r.guards.Became(a, ok, len(reread) > 0)
	x.again = append(x.again, reread...)
	if ok {
		x.bring(a)
		return nil
	}
	x.stale[key] = true
	if len(reread) > 0 && r.Options.Plan != nil {
		r.Report.Dropped = append(r.Report.Dropped, a.Digest())
	}
	return nil
}

// bring notes the fields in which an action has brought a side what a person said.
func (x *doing) bring(a plan.Action) {
	for _, f := range a.Fields {
		if f.Policy == string(merge.Person) {
			x.brought[run.Bringing{Link: a.Link, Side: a.Side, Field: f.Field}] = true
		}
	}
}

// closeChoices closes the conflicts for which each side was brought the chosen value, whatever the side made of
// that: what it holds then is not to be changed once more.
func (r *Room) closeChoices(ctx context.Context, d *run.Draft, brought map[run.Bringing]bool) error {
	for _, p := range d.Pairs {
		var open []record.Question
		for _, c := range p.Kept {
			over, err := r.isSettled(ctx, &p, c.Field, brought)
			if err != nil {
				return err
			}
			if !over {
				open = append(open, c)
			}
		}
		if len(open) == len(p.Kept) {
			continue
		}
		if err := r.KeepConflicts(ctx, p.Link, slices.Concat(p.Verdict.Conflicts, open)); err != nil {
			return err
		}
	}
	return nil
}

// isSettled reports whether what a person chose is on both sides. It was brought to each side that it is to be
// written to, and the record of any other side is still there.
func (r *Room) isSettled(ctx context.Context, d *run.Decided, field string, brought map[run.Bringing]bool) (bool, error) {
	if !d.Everywhere(field, brought) {
		return false, nil
	}
	for _, side := range record.Sides {
		if brought[run.Bringing{Link: d.Link, Side: side, Field: field}] {
			continue
		}
		if there, err := r.links.IsThere(ctx, side, d.Link); err != nil || !there {
			return false, err
		}
	}
	return true, nil
}

// overtaken reports whether an action is to be skipped, because since it was planned a record was taken first:
// there is nothing left to do, or nobody knows what became of the record's change.
func (r *Room) overtaken(ctx context.Context, a plan.Action) (bool, error) {
	if !r.kicked || r.Kicking {
		return false, nil
	}
	if a.Link != 0 {
		pair, ok, err := r.store.Pair(ctx, a.Link)
		return ok && pair.State == record.LinkUnsure, err
	}
	from := a.Side.Other()
	if a.Change.Op != record.Create {
		from = a.Side
	}
	e, ok, err := r.store.Entry(ctx, r.Place(from), a.Source)
	return r.match.Open[a.From] || ok && e.Link != 0, err
}

// replan reads the records that changed under the plan, decides about them anew and carries that out. It returns
// the records to read and decide once more.
func (r *Room) replan(ctx context.Context, again []run.ToRead) ([]run.ToRead, error) {
	if err := r.settle.LoadUnknown(ctx); err != nil {
		return nil, err
	}
	d := &run.Draft{}
	seen := map[record.LinkID]bool{}
	for _, t := range again {
		if read, err := r.observe.ReadFirst(ctx, t.Side, t.Ref); err != nil {
			return nil, err
		} else if !read {
			continue
		}
		pair, ok, err := r.store.PairOf(ctx, r.Place(t.Side), t.Ref)
		if err != nil {
			return nil, err
		}
		if !ok || seen[pair.Link] || pair.State == record.LinkUnsure {
			continue
		}
		seen[pair.Link] = true
		if err := r.decide.PlanPair(ctx, d, pair); err != nil {
			return nil, err
		}
	}
	return r.send(ctx, d, part)
}
