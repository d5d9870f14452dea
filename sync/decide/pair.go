package decide

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/links"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
	"nightporter/sync/settle"
)

// planLinks decides every link with a side that differs from its base.
func (r *Room) planLinks(ctx context.Context, d *run.Draft) error {
	after := record.LinkID(0)
	for {
		pairs, err := r.links.ToDecide(ctx, after, run.PairsAtOnce)
		if err != nil || len(pairs) == 0 {
			return err
		}
		for _, p := range pairs {
			after = p.Link
			if r.links.LeavesOut(p) {
				continue
			}
			if err := r.PlanPair(ctx, d, p); err != nil {
				return err
			}
		}
	}
}

// PlanPair adds what is decided about one link to the draft. If that can't be decided now, it adds nothing.
func (r *Room) PlanPair(ctx context.Context, d *run.Draft, p record.Pair) error {
	if damaged, err := r.observe.NoteDamaged(ctx, p); err != nil || damaged {
		return err
	}
	if r.trials.OnTrial(p) {
		return nil
	}
	if settle.MayStillShow(p, time.Now()) { // it stays to be decided
		r.Count("postponed", 1)
		return nil
	}
	if x, is, err := r.gone.DecideGone(ctx, p); err != nil {
		return fmt.Errorf("link %d: %w", p.Link, err)
	} else if is {
		d.Pairs = append(d.Pairs, x)
		return nil
	}
	if older, err := r.trust.ShowsOlder(ctx, p); err != nil || older {
		return err
	}
	if r.observe.HalfSeen(p) { // it stays to be decided
		return nil
	}
	return r.planThere(ctx, d, p)
}

// planThere is PlanPair for a link with both records there.
func (r *Room) planThere(ctx context.Context, d *run.Draft, p record.Pair) error {
	p, err := r.observe.Reveal(ctx, p)
	if err == nil {
		p, err = r.links.Distrust(ctx, p)
	}
	x := run.Decided{}
	if err == nil {
		x, err = r.DecidePair(ctx, r.links.AsAnew(p))
	}
	if errors.Is(err, run.ErrUnread) { // it stays to be decided
		r.Count("postponed", 1)
		return nil
	}
	if why, is := run.Unnamed(err); is { // it stays to be decided
		r.Count("postponed", 1)
		r.Note(record.Left, p.Sides[record.Left].Ref, record.Waiting, why.Error())
		r.observe.NamesDamaged(why, record.Finding{Place: record.Place{Side: record.Left}, Op: record.Update, Link: p.Link, Ref: p.Sides[record.Left].Ref})
		return nil
	}
	if err != nil {
		return fmt.Errorf("link %d: %w", p.Link, err)
	}
	for _, side := range record.Sides {
		if x.Changed[side] {
			d.Facts.Changed[side]++
		}
	}
	for _, side := range x.Verdict.Read {
		d.Reads = append(d.Reads, run.ToRead{Side: side, Ref: x.Refs[side]})
	}
	r.findings.FindStuck(x)
	x.Hush()
	d.Pairs = append(d.Pairs, x)
	return nil
}

// DecidePair decides one link.
func (r *Room) DecidePair(ctx context.Context, p record.Pair) (run.Decided, error) {
	c, w, err := r.links.CaseOf(ctx, p)
	if err != nil {
		return run.Decided{}, err
	}
	if c, err = r.links.SinceAsked(ctx, p, c); err != nil {
		return run.Decided{}, err
	}
	v := plan.Pair(r.Job.Rules, c)
	v.Actions = r.observe.StillCounting(p, c, v.Actions)
	for _, x := range w {
		v.Stuck = append(v.Stuck, slices.DeleteFunc(x.Stuck, func(s plan.Stuck) bool { return settledBySaid(v, s) })...)
	}
	if err := r.links.TellDead(ctx, p, c, &v); err != nil {
		return run.Decided{}, err
	}
	if err := r.links.StillGivesWay(ctx, p, c, &v); err != nil {
		return run.Decided{}, err
	}
	kept, err := r.keptChoices(ctx, p, c, v)
	if err != nil {
		return run.Decided{}, err
	}
	changed := [2]bool{r.links.Changed(record.Left, c.Sides[record.Left]), r.links.Changed(record.Right, c.Sides[record.Right])}
	v.Actions = r.guards.Remap(c, v.Actions)
	r.settle.AsGiven(p, v.Actions)
	if v, err = r.guards.Obey(ctx, c, v); err != nil {
		return run.Decided{}, err
	}
	v.Actions = r.links.MadeAgain(c, r.links.Redone(v.Actions))
	if v.Actions, err = r.links.Still(ctx, c, &v); err != nil {
		return run.Decided{}, err
	}
	kept = settle.StillChosen(kept, v)
	idle := stands(p, v, w)
	actions, dropped := r.guards.Unrefused(v.Actions)
	v.Actions = actions
	plan.RestOn(v.Actions, c.Said)
	return run.Decided{
		Link: p.Link, Entity: p.Entity, Verdict: v, Waits: w, Kept: kept,
		Entries: [2]int64{p.Sides[0].Num, p.Sides[1].Num}, Refs: [2]record.Ref{p.Sides[0].Ref, p.Sides[1].Ref},
		Dirty: p.Sides[0].Dirty || p.Sides[1].Dirty, Refused: dropped, Changed: changed, Idle: idle,
	}, nil
}

// settledBySaid reports whether a verdict does what a person said of a reference that nobody could tell: it is over.
// The record that shows it is given whom the other one names, or both are left as they are.
func settledBySaid(v plan.Verdict, s plan.Stuck) bool {
	from := s.Side.Other()
	return slices.ContainsFunc(s.Fields, func(field string) bool {
		written := slices.ContainsFunc(v.Actions, func(a plan.Action) bool {
			return a.Side == from && slices.ContainsFunc(a.Fields, func(f record.FieldReason) bool { return f.Field == field })
		})
		return written || v.Adopt[from][plan.RefPath(field)].Observed()
	})
}

// stands reports whether a pair differs as it did when it was decided last, and nothing is done about it. Examples:
// a note that never goes out, a step that may not be taken. Such differences stay for good. If every run stored
// them, it would have the records across read anew, too.
func stands(p record.Pair, v plan.Verdict, w []run.Waits) bool {
	awaited := slices.ContainsFunc(w, func(x run.Waits) bool { return len(x.On) > 0 })
	for _, e := range p.Sides {
		if e.Dirty || e.State != record.InStep {
			return false
		}
	}
	return p.State == record.LinkLive && !awaited && len(v.Actions)+len(v.Conflicts) == 0 &&
		len(v.Adopt[record.Left])+len(v.Adopt[record.Right]) == 0
}

// keptChoices returns the conflicts that a person decided, and that stay open until the value is written. Closed
// before that, the same question would be asked again if the write waits or the run is killed. While a record may
// be gone, all that they decided is kept: nobody knows whether the record ever got it.
func (r *Room) keptChoices(ctx context.Context, p record.Pair, c plan.Case, v plan.Verdict) ([]record.Question, error) {
	if len(c.Choices) == 0 {
		return nil, nil
	}
	open, err := r.store.Choices(ctx, c.Link)
	if err != nil {
		return nil, err
	}
	if len(c.Astray) > 0 || r.links.MayGo(record.Left, p.Sides[record.Left]) || r.links.MayGo(record.Right, p.Sides[record.Right]) {
		return links.ChosenOf(open), nil
	}
	var kept []record.Question
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
