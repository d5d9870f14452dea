package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// pairsAtOnce is how many pairs are read at once. They are the most that a run with some
// changes holds beside its plan: their number is bounded for the sake of memory.
const pairsAtOnce = 100

// planLinks decides every link of which a side differs from its base.
func (r *run) planLinks(ctx context.Context, d *draft) error {
	after := record.LinkID(0)
	for {
		pairs, err := r.toDecide(ctx, after, pairsAtOnce)
		if err != nil || len(pairs) == 0 {
			return err
		}
		for _, p := range pairs {
			after = p.Link
			if r.leavesOut(p) {
				continue
			}
			if err := r.planPair(ctx, d, p); err != nil {
				return err
			}
		}
	}
}

// planPair adds what is decided about one link to the draft.
func (r *run) planPair(ctx context.Context, d *draft, p record.Pair) error {
	if damaged, err := r.noteDamaged(ctx, p); err != nil || damaged {
		return err
	}
	if r.onTrial(p) {
		return nil
	}
	if mayStillShow(p, time.Now()) { // it stays to be decided
		r.count("postponed", 1)
		return nil
	}
	if x, is, err := r.decideGone(ctx, p); err != nil {
		return fmt.Errorf("link %d: %w", p.Link, err)
	} else if is {
		d.pairs = append(d.pairs, x)
		return nil
	}
	if older, err := r.showsOlder(ctx, p); err != nil || older {
		return err
	}
	if r.halfSeen(p) { // it stays to be decided
		return nil
	}
	p, err := r.reveal(ctx, p)
	if err == nil {
		p, err = r.distrust(ctx, p)
	}
	if errors.Is(err, errUnread) { // it stays to be decided
		r.count("postponed", 1)
		return nil
	}
	if err != nil {
		return fmt.Errorf("link %d: %w", p.Link, err)
	}
	x, err := r.decidePair(ctx, r.asAnew(p))
	if why, is := unnamed(err); is { // it stays to be decided
		r.count("postponed", 1)
		r.note(record.Left, p.Sides[record.Left].Ref, record.Waiting, why.Error())
		r.namesDamaged(why, record.Finding{Place: record.Place{Side: record.Left}, Op: record.Update, Link: p.Link, Ref: p.Sides[record.Left].Ref})
		return nil
	}
	if err != nil {
		return fmt.Errorf("link %d: %w", p.Link, err)
	}
	for _, side := range record.Sides {
		if x.changed[side] {
			d.facts.Changed[side]++
		}
	}
	for _, side := range x.verdict.Read {
		d.reads = append(d.reads, toRead{side: side, ref: x.refs[side]})
	}
	r.findStuck(x)
	x.hush()
	d.pairs = append(d.pairs, x)
	return nil
}

// decidePair decides one link.
func (r *run) decidePair(ctx context.Context, p record.Pair) (decided, error) {
	c, w, err := r.caseOf(ctx, p)
	if err != nil {
		return decided{}, err
	}
	if c, err = r.sinceAsked(ctx, p, c); err != nil {
		return decided{}, err
	}
	v := plan.Pair(r.job.Rules, c)
	for _, x := range w {
		v.Stuck = append(v.Stuck, x.stuck...)
	}
	if err := r.tellDead(p, c, &v); err != nil {
		return decided{}, err
	}
	if err := r.stillGivesWay(ctx, p, c, &v); err != nil {
		return decided{}, err
	}
	kept, err := r.keptChoices(ctx, p, c, v)
	if err != nil {
		return decided{}, err
	}
	changed := [2]bool{r.changed(record.Left, c.Sides[record.Left]), r.changed(record.Right, c.Sides[record.Right])}
	v.Actions = r.remap(c, v.Actions)
	r.asGiven(p, v.Actions)
	if v, err = r.obey(ctx, c, v); err != nil {
		return decided{}, err
	}
	v.Actions = r.madeAgain(c, r.redone(v.Actions))
	if v.Actions, err = r.still(ctx, c, &v); err != nil {
		return decided{}, err
	}
	kept = stillChosen(kept, v)
	idle := stands(p, v, w)
	actions, dropped := r.unrefused(v.Actions)
	v.Actions = actions
	return decided{
		link: p.Link, entity: p.Entity, verdict: v, waits: w, kept: kept,
		entries: [2]int64{p.Sides[0].Num, p.Sides[1].Num}, refs: [2]record.Ref{p.Sides[0].Ref, p.Sides[1].Ref},
		dirty: p.Sides[0].Dirty || p.Sides[1].Dirty, refused: dropped, changed: changed, idle: idle,
	}, nil
}

// stands reports whether a pair differs as it did when it was decided last, and
// nothing is done about it: a note that never goes out, a step that may not be taken.
// Such differences stay for good, and to store them at every run would have the records
// across read anew by every run, too.
func stands(p record.Pair, v plan.Verdict, w []waits) bool {
	awaited := slices.ContainsFunc(w, func(x waits) bool { return len(x.on) > 0 })
	for _, e := range p.Sides {
		if e.Dirty || e.State != record.InStep {
			return false
		}
	}
	return p.State == record.LinkLive && !awaited && len(v.Actions)+len(v.Conflicts) == 0 &&
		len(v.Adopt[record.Left])+len(v.Adopt[record.Right]) == 0
}

// keptChoices is the conflicts that a person decided and whose value is still to be
// written: closed before, a write that waits or a run that is killed would have the
// same question asked again. While a record may be gone all that they decided is kept:
// nobody knows whether it ever got that.
func (r *run) keptChoices(ctx context.Context, p record.Pair, c plan.Case, v plan.Verdict) ([]record.Conflict, error) {
	if len(c.Choices) == 0 {
		return nil, nil
	}
	open, err := r.Store.Choices(ctx, c.Link)
	if err != nil {
		return nil, err
	}
	if len(c.Astray) > 0 || r.mayGo(record.Left, p.Sides[record.Left]) || r.mayGo(record.Right, p.Sides[record.Right]) {
		return chosenOf(open), nil
	}
	var kept []record.Conflict
	for _, a := range v.Actions {
		for _, f := range a.Fields {
			if x, ok := open[f.Field]; ok && x.Choice != "" && f.Policy == string(merge.Person) {
				kept = append(kept, x)
				delete(open, f.Field)
			}
		}
	}
	return kept, nil
}

// caseOf is a link as the plan looks at it.
func (r *run) caseOf(ctx context.Context, p record.Pair) (plan.Case, []waits, error) {
	var sides [2]seenSide
	for _, side := range record.Sides {
		var err error
		if sides[side], err = r.sideOf(ctx, side, p.Sides[side]); err != nil {
			return plan.Case{}, nil, err
		}
	}
	if err := r.asBefore(ctx, p, &sides); err != nil {
		return plan.Case{}, nil, err
	}
	c, w, err := r.newCase(ctx, p.Link, p.Entity, sides)
	if err != nil {
		return c, w, err
	}
	if err := r.outdated(ctx, sides, &c); err != nil {
		return c, w, err
	}
	choices, err := r.Store.Choices(ctx, p.Link)
	if err != nil {
		return c, w, err
	}
	c.Choices, c.Asked = choicesOf(choices), clashing(choices)
	c.Tried, c.Empties = askedSinceTrial(choices), r.trials.empties
	r.always.apply(&c)
	if r.job.Rules.Met(c) {
		made, err := r.Store.Written(ctx, p.Link, time.Unix(0, 0))
		if err != nil {
			return c, w, err
		}
		c = c.WithJournal(r.job.Rules, made, r.job.Seal)
	}
	return c, w, nil
}

func (r *run) newCase(ctx context.Context, link record.LinkID, entity string, sides [2]seenSide) (plan.Case, []waits, error) {
	c := plan.Case{Link: link, Entity: entity, Blocked: map[string]bool{}}
	var w []waits
	for _, side := range record.Sides {
		var on []record.Wait
		var stuck []plan.Stuck
		for _, ref := range r.job.References {
			res, ok := sides[side].open[ref.Field]
			if !ok {
				continue
			}
			across := sides[side.Other()].Ref.ID != ""
			if now := sides[side].Now[ref.Field]; across && now.Observed() && now.Equal(sides[side.Other()].Now[ref.Field]) {
				if res.wait.Ref.ID != "" {
					on = append(on, res.wait)
				}
				continue // both name the same, and nothing is written until it is known who that is
			} else if !across && now.Observed() && res.standing != known {
				sides[side].Now[ref.Field] = markLeftOut(res.wait.Ref.ID) // nobody is named there
			}
			if across {
				res = r.namedAnew(ctx, side, ref, res, sides[side], sides[side.Other()].Now[ref.Field])
			}
			if res.standing == waiting || res.standing == unmet {
				delete(sides[side].Now, ref.Field)
				c.Blocked[ref.Field] = true
				if !across && ref.Snapshot { // a create comes this far only when the wait is over
					sides[side].Now[ref.Field] = markLeftOut(res.wait.Ref.ID)
					c.Blocked[ref.Field] = false
				}
			}
			if res.wait.Ref.ID != "" {
				on = append(on, res.wait)
			}
			if res.standing == unmet {
				stuck = append(stuck, plan.Stuck{Side: side.Other(), Name: record.FindUnwritable, Fields: []string{ref.Field}, Why: res.why})
			}
		}
		if len(on)+len(stuck) > 0 { // all that a record waits for at once: a later note replaces the earlier
			w = append(w, waits{side: side, entry: briefOf(sides[side].since), on: on, stuck: stuck, meant: sides[side].meant})
		}
		c.Sides[side] = sides[side].Side
	}
	parts, err := r.allParts(ctx, sides)
	c.Parts = parts
	return c, w, err
}

// choicesOf is what persons were asked about fields, and decided. A field that swings is
// asked about by its writes.
func choicesOf(cs map[string]record.Conflict) map[string]merge.Choice {
	out := make(map[string]merge.Choice, len(cs))
	for f, c := range cs {
		above := plan.AboveRules(c.Policy)
		if c.Choice != "" || !above {
			out[f] = merge.Choice{Take: c.Choice, Value: c.Value, Left: c.Left, Right: c.Right, Force: above}
		}
	}
	return out
}

// clashing is the fields about which a person is asked because their words clash; nil for none.
func clashing(cs map[string]record.Conflict) (out map[string]bool) {
	for f, c := range cs {
		if c.Policy != plan.Clashes {
			continue
		}
		if out == nil {
			out = map[string]bool{}
		}
		out[f] = true
	}
	return out
}
