package takeback

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/plan/trial"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// mostShown is how many differences and how many records without a partner are shown in full for each cause. More
// than that are only counted.
const mostShown = 1000

// errNotDry refuses a comparison in a run that is not dry: what it reads would be remembered.
var errNotDry = errors.New("a comparison changes nothing: it is a dry run on a copy of the state")

// Verify compares both sides, as they were just read whole, and puts what it finds into the report.
func (r *Room) Verify(ctx context.Context) error {
	if !r.Options.Dry {
		return errNotDry
	}
	d, err := r.decide.Plan(ctx)
	if err != nil {
		return err
	}
	r.decide.Describe(d)
	v := &verification{Room: r, Verified: run.Verified{Causes: map[plan.Cause]int{}}}
	if v.fate, err = r.fates(ctx, d); err != nil {
		return err
	}
	if v.guarded, v.entries, err = r.store.Guarded(ctx, r.Job.Binding); err != nil {
		return err
	}
	if err := v.pairs(ctx); err != nil {
		return err
	}
	for _, side := range record.Sides {
		for _, n := range r.observe.Listed[side] {
			if n.State != record.Quarantined {
				v.Flaws = append(v.Flaws, fmt.Sprintf("%s of %s: %s", r.Side(side).Kind, r.Side(side).System, n.Why))
			}
		}
		if err := v.lone(ctx, side); err != nil {
			return err
		}
	}
	r.Report.Verified = &v.Verified
	return nil
}

// verification is a comparison under way.
type verification struct {
	*Room
	run.Verified
	fate    map[int64]run.Lone // what the plan says of records without a partner, by entry
	guarded map[record.LinkID]string
	entries map[int64]string
}

// fates returns what a plan decided about records without a link, by entry.
func (r *Room) fates(ctx context.Context, d *run.Draft) (map[int64]run.Lone, error) {
	out := map[int64]run.Lone{}
	for num, why := range r.match.Doubtful {
		out[num] = run.Lone{Cause: plan.Unsettled, Why: why}
	}
	for _, p := range d.Parks {
		out[p.Entry.Num] = run.Lone{Cause: causeOf(p.State), Why: p.Why}
	}
	for _, w := range d.Waits {
		if w.Why != "" {
			out[w.Entry.Num] = run.Lone{Cause: plan.Waits, Why: w.Why}
		}
	}
	for _, a := range d.News {
		out[a.From] = run.Lone{Cause: plan.Changed, Why: "the next run creates it in " + string(r.Side(a.Side).System)}
		if h, err := r.guards.PlanHold(ctx, a.Side, a.Change); err != nil {
			return nil, err
		} else if h.Why != "" {
			out[a.From] = run.Lone{Cause: plan.Waits, Why: h.Why}
		}
	}
	for _, j := range d.Joins {
		for _, num := range j.Entries {
			out[num] = run.Lone{Cause: plan.Changed, Why: "it is found on the other side: the next run links them"}
		}
	}
	for num := range r.match.Open {
		out[num] = run.Lone{Cause: plan.Unsettled, Why: "it was sent to the other side and not answered yet"}
	}
	return out, nil
}

// causeOf returns the cause that the state of an entry stands for in a comparison.
func causeOf(st record.EntryState) plan.Cause {
	switch st {
	case record.LeftOut, record.Attached:
		return plan.LeftOut
	case record.Waiting:
		return plan.Waits
	case record.Held:
		return plan.Held
	case record.Refused:
		return plan.RefusedOnce
	case record.Quarantined:
		return plan.Unreadable
	case record.Missed, record.Suspect, record.Gone:
		return plan.GoneCause
	case record.OutOfScope:
		return plan.OutOfWindow
	case record.Stranger:
		return plan.Held
	case record.InStep:
	}
	return plan.Unexplained
}

// pairs compares all links.
func (v *verification) pairs(ctx context.Context) error {
	after := record.LinkID(0)
	for {
		pairs, err := v.store.Pairs(ctx, v.Job.Binding, after, run.PairsAtOnce)
		if err != nil || len(pairs) == 0 {
			return err
		}
		for _, p := range pairs {
			after = p.Link
			if err := v.pair(ctx, p); err != nil {
				return fmt.Errorf("compare link %d: %w", p.Link, err)
			}
		}
		v.Progress(run.Progress{Phase: "compare", Name: "both sides", Done: v.Links, Total: -1})
	}
}

func (v *verification) pair(ctx context.Context, p record.Pair) error {
	away := p.State == record.LinkBroken
	if away { // a person says first whether these are the records that were linked
		v.addLone(run.Lone{Side: record.Left, Ref: p.Sides[record.Left].Ref, Cause: plan.Held, Why: "the link to it was broken: " + awayWhy(p.Sides[record.Left])})
	}
	for _, side := range record.Sides {
		if e := p.Sides[side]; causeOf(e.State) == plan.GoneCause || e.State == record.OutOfScope {
			away = true
			other := p.Sides[side.Other()]
			if !run.Absent(other.State) {
				v.addLone(run.Lone{Side: side.Other(), Ref: other.Ref, Cause: causeOf(e.State), Why: fmt.Sprintf("%s of %s, which it is linked to: %s", e.Ref, v.Side(side).System, awayWhy(e))})
			}
		}
	}
	if away || v.parted(p) {
		return nil
	}
	v.Links++
	diffs, copied, err := v.differences(ctx, p)
	if why, is := run.Unnamed(err); is {
		copied, err = []plan.Difference{{Field: v.Job.References[0].Field, Cause: plan.Unreadable, Why: why.Error()}}, nil
	}
	if err != nil {
		return err
	}
	if len(diffs)+len(copied) == 0 {
		v.Same++
		return nil
	}
	diffs, err = v.refined(ctx, p, diffs)
	diffs = append(diffs, copied...)
	for _, d := range diffs {
		v.Causes[d.Cause]++
		if v.Causes[d.Cause] <= mostShown {
			v.Differs = append(v.Differs, run.Differs{Difference: d, Link: p.Link, Refs: [2]record.Ref{p.Sides[0].Ref, p.Sides[1].Ref}})
		}
	}
	return err
}

// parted reports whether a link has ended and is only remembered, although both records are there. They are no pair
// any more, whatever they hold, and are listed one by one.
func (v *verification) parted(p record.Pair) bool {
	if !p.State.Ended() {
		return false
	}
	for _, side := range record.Sides {
		e, other := p.Sides[side], p.Sides[side.Other()]
		why := fmt.Sprintf("it was linked to %s of %s, and was left alone: nothing is carried over between them any more", other.Ref, v.Side(side.Other()).System)
		if e.State == record.Stranger {
			why += "; " + awayWhy(e)
		}
		v.addLone(run.Lone{Side: side, Ref: e.Ref, Cause: plan.LeftOut, Why: why})
	}
	return true
}

// differences returns in which fields two records differ, and where one keeps an old copy of a record that it
// names. If the state keeps damaged values of one of the two, nobody knows: nothing is carried over between them.
func (v *verification) differences(ctx context.Context, p record.Pair) (diffs, copied []plan.Difference, err error) {
	if why := cmp.Or(p.Sides[record.Left].Damaged, p.Sides[record.Right].Damaged); why != "" {
		return nil, []plan.Difference{{Field: "the record", Cause: plan.NotWritten, Why: why}}, nil
	}
	c, _, err := v.links.CaseOf(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	diffs, hidden := plan.Compare(v.Job.Rules, c)
	v.Hidden += hidden
	copied, err = v.copies(ctx, c)
	return v.withUnreadable(p, diffs), copied, err
}

func awayWhy(e record.Entry) string {
	if e.Why != "" {
		return e.Why
	}
	return "a complete list did not show it"
}

// refined gives differences the causes that the rules alone can't tell.
func (v *verification) refined(ctx context.Context, p record.Pair, diffs []plan.Difference) ([]plan.Difference, error) {
	var next *plan.Verdict
	for i := range diffs {
		d := &diffs[i]
		switch {
		case v.trials.OnTrial(p):
			d.Cause, d.Why = plan.Unsettled, "the first update was sent to it as a trial, and it is not known yet what that did: nothing of it is carried over"
		case p.State == record.LinkUnsure:
			d.Cause, d.Why = plan.Unsettled, "a change was sent and not answered yet: the next run looks it up"
		case d.Cause == plan.Changed && v.findings.Lacking(p.Link, 0, d.Field) != "":
			d.Cause, d.Why = plan.NotWritten, v.findings.Lacking(p.Link, 0, d.Field)
		case d.Cause == plan.Changed && v.guarded[p.Link] != "":
			d.Cause, d.Why = plan.Guarded, v.guarded[p.Link]
		case d.Cause == plan.Changed:
			if next == nil {
				x, err := v.decide.DecidePair(ctx, p)
				if errors.Is(err, run.ErrUnread) {
					d.Cause, d.Why = plan.Unsettled, "a change of it may not be shown yet: it is decided in a later run"
					continue
				}
				if err != nil {
					return nil, err
				}
				next = &x.Verdict
			}
			unwritten(*next, d)
			v.heldByTrial(*next, d)
		case d.Stands && v.arrivedPending(d):
			d.Cause, d.Why = plan.ByRule, fmt.Sprintf("it arrived in %s as %s, which has neither confirmed nor refused it yet",
				v.Side(v.Job.Booking.Authority).System, v.Job.Booking.Pending)
		case d.Stands:
			if err := v.decidedSo(ctx, p, d); err != nil {
				return nil, err
			}
		}
	}
	return diffs, nil
}

// decidedSo gives a difference that stands its cause, if a person made it stand: by an undo, by an answer to a
// question, or by a no to a set of changes.
func (v *verification) decidedSo(ctx context.Context, p record.Pair, d *plan.Difference) error {
	run, undid, err := v.store.UndoneOn(ctx, p.Link, d.Field)
	if err != nil {
		return err
	}
	if undid != 0 {
		d.Cause, d.Why = plan.UndoneCause, fmt.Sprintf("run %d undid run %d: it is left so until either side is edited", run, undid)
		return nil
	}
	left, err := v.store.LeftSo(ctx, p.Link, d.Field)
	if err != nil {
		return err
	}
	if left {
		d.Cause, d.Why = plan.ByRule, "a person left both as they are: it is so until either side is edited"
		return nil
	}
	rejected, err := v.store.RejectionsOf(ctx, p.Link)
	for _, x := range rejected {
		wrote := func(path string) bool { return slices.Contains(x.Paths, path) }
		if slices.ContainsFunc(v.Job.Mapping.Inputs(x.Side, d.Field), wrote) {
			d.Cause, d.Why = plan.ByRule, fmt.Sprintf("%s rejected the change of it, as part of %s: it is so until either side is edited", x.By, x.Set)
			break
		}
	}
	return err
}

// arrivedPending reports whether two bookings differ because the side with authority has not answered the booking
// yet. If no condition decides there, a booking arrives as pending.
func (v *verification) arrivedPending(d *plan.Difference) bool {
	b := v.Job.Booking
	return b != nil && !b.Asks && b.Pending != "" && d.Field == b.Status &&
		[2]record.Value{d.Left, d.Right}[b.Authority].Text() == b.Pending
}

// unwritten gives a difference that the next run does not write its cause: a person is asked, it can't be written,
// or it was refused.
func unwritten(next plan.Verdict, d *plan.Difference) {
	asked := slices.IndexFunc(next.Conflicts, func(x record.Question) bool { return x.Field == d.Field })
	switch {
	case slices.ContainsFunc(next.Actions, func(a plan.Action) bool { return writes(a, d.Field) }):
	case asked >= 0:
		d.Cause, d.Why = plan.Held, next.Conflicts[asked].Why
	case next.Problem != "":
		d.Cause, d.Why = plan.Unreadable, next.Problem
	default:
		d.Cause, d.Why = plan.RefusedOnce, "it was refused as it is; nightporter quarantine shows whether and when it is asked again"
	}
}

// heldByTrial gives a difference that is not written because of a trial its cause.
func (v *verification) heldByTrial(next plan.Verdict, d *plan.Difference) {
	for _, a := range next.Actions {
		if !writes(a, d.Field) || d.Cause != plan.Changed {
			continue
		}
		switch why := v.trials.WhyTried(a); v.trials.TrialWord(a) {
		case trial.Forbids:
			d.Cause, d.Why = plan.Held, why
		case trial.Awaited:
			d.Cause, d.Why = plan.Waits, why
		case trial.None, trial.Due:
		}
	}
}

func writes(a plan.Action, field string) bool {
	return slices.ContainsFunc(a.Fields, func(f record.FieldReason) bool { return f.Field == field })
}

// lone lists the records of a side that have no link.
func (v *verification) lone(ctx context.Context, side record.Side) error {
	after := int64(0)
	for {
		es, err := v.store.Lone(ctx, v.Place(side), after, run.Batch)
		if err != nil || len(es) == 0 {
			return err
		}
		for _, e := range es {
			after = e.Num
			if e.State == record.Gone || e.Seen == nil && e.Base == nil {
				continue // there is no such record any more
			}
			x := run.Lone{Side: side, Ref: e.Ref, Cause: causeOf(e.State), Why: e.Why}
			if f, ok := v.fate[e.Num]; ok {
				x.Cause, x.Why = f.Cause, f.Why
			}
			if why := v.findings.Lacking(0, e.Num, ""); why != "" {
				x.Cause, x.Why = plan.NotWritten, why
			}
			if why := v.entries[e.Num]; why != "" {
				x.Cause, x.Why = plan.Guarded, why
			}
			v.addLone(x)
		}
	}
}

func (v *verification) addLone(x run.Lone) {
	v.Causes[x.Cause]++
	if v.Causes[x.Cause] <= mostShown {
		v.Lone = append(v.Lone, x)
	}
}
