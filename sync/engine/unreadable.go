package engine

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// unreadable notes the fields of a record that can't be read, once a run. They
// count as not shown: nothing is cleared or written because of them.
func (r *run) unreadable(side record.Side, e record.Entry, now record.Fields, problems []mapping.Problem) {
	for _, p := range problems {
		if now[p.Field].Observed() {
			continue // a part of it was left out
		}
		why := fmt.Sprintf("its %s can't be read: %s; it is left as it is until it is corrected", p.Field, p.Text)
		if p.Code == mapping.Blanked {
			why = blankedWhy(p.Field)
		}
		n := Note{side, e.Ref, record.Quarantined, why}
		if r.unread[n] {
			continue
		}
		r.unread[n] = true
		r.unreads = append(r.unreads, n)
		r.count(side.String()+".unreadable", 1)
		r.findUnreadable(side, e, p)
	}
}

// findUnreadable notes a value that can't be read until it can.
func (r *run) findUnreadable(side record.Side, e record.Entry, p mapping.Problem) {
	f := record.Finding{Place: record.Place{Side: side}, Name: record.FindUnreadable, Link: e.Link, Ref: e.Ref, About: p.Field, Text: p.Text}
	if p.Code == mapping.Blanked {
		f.Name = record.FindBlanked
	}
	if e.Link == 0 {
		f.Entry = e.Num
	}
	r.noteFinding(f)
}

// stillUnreadable notes those values again that could not be read, and that no run had to look at: what a
// link was settled on may be one.
func (r *run) stillUnreadable(ctx context.Context) error {
	for k, f := range r.found.known {
		if _, again := r.found.fresh[k]; again || k.Name != record.FindUnreadable && k.Name != record.FindBlanked {
			continue
		}
		e, ok, err := r.Store.Entry(ctx, r.place(k.Side), f.Ref)
		if err != nil {
			return err
		}
		if !ok || absent(e.State) {
			continue
		}
		now, problems := r.job.Mapping.Read(k.Side, e.Last())
		r.unreadable(k.Side, e, now, problems)
	}
	return nil
}

// withUnreadable adds the fields of which a side's value can't be read: they count as not shown, and nobody
// can say that they are the same.
func (v *verification) withUnreadable(p record.Pair, diffs []plan.Difference) []plan.Difference {
	for _, side := range record.Sides {
		now, problems := v.job.Mapping.Read(side, p.Sides[side].Last())
		for _, x := range problems {
			known := slices.ContainsFunc(diffs, func(d plan.Difference) bool { return d.Field == x.Field })
			if known || now[x.Field].Observed() {
				continue
			}
			diffs = append(diffs, plan.Difference{Field: x.Field, Cause: plan.Unreadable, Why: fmt.Sprintf("in %s it can't be read: %s", v.side(side).System, x.Text)})
		}
	}
	return diffs
}
