package engine

import (
	"context"
	"errors"
	"fmt"

	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// ErrHalted ends a run before its first write. The report names the halts.
var ErrHalted = errors.New("halted before the first write")

// guard names what stops the plan before its first write. Reads and what was
// observed stay; a dry run shows the halts and goes on showing.
func (r *run) guard(ctx context.Context, d *draft, actions []plan.Action) error {
	if !r.opt.Yes {
		r.rep.Halts = append(r.rep.Halts, guard.Check(r.job.Guards, d.facts)...)
		first, err := r.isFirst(ctx, d)
		if err != nil {
			return err
		}
		if first && (len(actions) > 0 || len(d.joins) > 0) {
			r.rep.Halts = append(r.rep.Halts, guard.Halt{Name: "first_run", Resume: r.lookAgainCommand() + " --yes", Text: fmt.Sprintf(
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
	show := func(p decided) {
		v, ref := p.verdict, p.refs[record.Left]
		for _, x := range v.Conflicts {
			x.Link, x.Binding = p.link, r.job.Binding
			r.rep.Conflicts = append(r.rep.Conflicts, x)
		}
		r.count("conflicts", len(v.Conflicts))
		r.count("drifts", len(v.Drifts))
		for _, dr := range v.Drifts {
			r.note(record.Left, ref, "drift", dr.Field+": "+dr.Reason)
		}
		if v.Problem != "" {
			r.count("quarantined", 1)
			r.note(record.Left, ref, record.Quarantined, v.Problem)
		}
	}
	for _, p := range d.pairs {
		show(p)
		r.describeWaiting(p)
	}
	for _, j := range d.joins {
		show(j)
	}
	for _, p := range d.parks {
		r.count(string(p.state), 1)
		r.note(p.side, p.entry.ref, p.state, p.why)
	}
	for _, w := range d.waits {
		if w.why != "" {
			r.count("waiting", 1)
			r.note(w.side, w.entry.ref, record.Waiting, w.why)
		}
	}
	actions := d.actions()
	for _, a := range actions {
		if a.Warning != "" {
			r.count("warnings", 1)
			r.note(a.Side.Other(), a.Source, "warning", a.Warning)
		}
	}
	r.count("planned", len(actions))
	r.count("joined", len(d.joins))
}
