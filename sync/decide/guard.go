package decide

import (
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Describe counts what the plan found, and lists it in the report.
func (r *Room) Describe(d *run.Draft) {
	show := func(p run.Decided) {
		v, ref := p.Verdict, p.Refs[record.Left]
		for _, x := range v.Conflicts {
			x.Link, x.Binding = p.Link, r.Job.Binding
			r.Report.Conflicts = append(r.Report.Conflicts, x)
		}
		r.Count("conflicts", len(v.Conflicts))
		r.Count("drifts", len(v.Drifts))
		for _, dr := range v.Drifts {
			r.Note(record.Left, ref, "drift", dr.Field+": "+dr.Reason.Text)
		}
		if v.Problem != "" {
			r.Count("quarantined", 1)
			r.Note(record.Left, ref, record.Quarantined, v.Problem)
		}
	}
	for _, p := range d.Pairs {
		show(p)
		r.settle.DescribeWaiting(p)
	}
	for _, j := range d.Joins {
		show(j)
	}
	for _, p := range d.Parks {
		r.Count(string(p.State), 1)
		r.Note(p.Side, p.Entry.Ref, p.State, p.Why)
	}
	for _, w := range d.Waits {
		if w.Why != "" {
			r.Count("waiting", 1)
			r.Note(w.Side, w.Entry.Ref, record.Waiting, w.Why)
		}
	}
	actions := d.Actions()
	for _, a := range actions {
		if a.Warning != "" {
			r.Count("warnings", 1)
			r.Note(a.Side.Other(), a.Source, "warning", a.Warning)
		}
	}
	r.Count("planned", len(actions))
	r.Count("joined", len(d.Joins))
}
