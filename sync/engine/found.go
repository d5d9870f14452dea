package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"nightporter/sync/findings"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
	"nightporter/sync/settle"
)

// leastAsked moves the actions to the end that their system did not take before, the one that was asked last at the
// very end. If only some records are refused like that, they keep no other from being written.
func (r *Room) leastAsked(actions []plan.Action) []plan.Action {
	asked := map[run.About]time.Time{}
	for k, f := range r.Found.Known {
		if settle.GoesLast(k) && !f.Asked.IsZero() {
			asked[findings.AboutFor(k)] = f.Asked
		}
	}
	if len(asked) == 0 {
		return actions
	}
	actions = slices.Clone(actions)
	slices.SortStableFunc(actions, func(a, b plan.Action) int { return asked[findings.AboutOf(a)].Compare(asked[findings.AboutOf(b)]) })
	return actions
}

// judged notes which records a draft has decided about, and which of its actions were not carried out.
func (r *Room) judged(d *run.Draft) {
	if r.Limited() {
		return
	}
	r.Found.All = r.Found.All || d.Whole
	for _, a := range d.Actions() {
		if at := findings.AboutOf(a); !r.Found.Done[at] {
			r.Found.Pending[at] = true
		}
	}
	if len(r.Found.Known) == 0 {
		return
	}
	links, entries := d.About()
	for _, side := range record.Sides {
		for link := range links {
			r.Found.Decided[run.About{Side: side, Link: link}] = true
		}
		for entry := range entries {
			r.Found.Decided[run.About{Side: side, Entry: entry}] = true
		}
	}
}

// keepFindings stores what the run found, and ends the findings that are over.
func (r *Room) keepFindings(ctx context.Context) error {
	if r.Options.Dry {
		return nil
	}
	readable, err := r.observe.StillUnreadable(ctx)
	if err != nil {
		return err
	}
	var over []record.For
	for k, f := range r.Found.Known {
		if _, again := r.Found.Fresh[k]; again {
			continue
		}
		is := readable[k]
		if !is {
			if is, err = r.findings.IsOver(ctx, findings.AboutFor(k)); err != nil {
				return err
			}
		}
		switch {
		case is:
			over = append(over, k)
		case f.ForPerson():
			r.Found.Stand = true
		}
	}
	var news []record.Finding
	for k, f := range r.Found.Fresh {
		r.Found.Stand = r.Found.Stand || f.ForPerson()
		if was, known := r.Found.Known[k]; !known || !was.Same(f) {
			news = append(news, f)
		}
	}
	if len(over)+len(news) == 0 {
		return nil
	}
	slices.SortFunc(news, func(a, b record.Finding) int {
		return cmp.Or(cmp.Compare(a.Place.Side, b.Place.Side), cmp.Compare(a.Link, b.Link), cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Name, b.Name))
	})
	return r.store.KeepFindings(ctx, r.Lease, news, over)
}
