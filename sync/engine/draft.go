package engine

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// draft is everything a plan decided, before anything of it is done.
type draft struct {
	pairs   []decided
	joins   []join
	news    []plan.Action
	parks   []park
	waits   []waits
	reads   []toRead
	told    []toRead // bookings that were refused: the desk must know
	missing [2]int   // creates that need to know more of what that side has
	facts   plan.Facts
}

// decided is a link and what is to be done about it.
type decided struct {
	link    record.LinkID
	pair    plan.Case
	verdict plan.Verdict
	waits   []waits
	dirty   bool              // it was marked to be looked at, whatever is seen of it
	refused bool              // some of its writes were refused as they are
	kept    []record.Conflict // decided by a person; they stay open until each side has the value
}

// join is a pair of strangers that are the same.
type join struct {
	left, right int64
	entity      string
	pair        plan.Case
	verdict     plan.Verdict
	waits       []waits
}

type park struct {
	side  record.Side
	entry record.Entry
	state record.EntryState
	why   string
}

type waits struct {
	side  record.Side
	entry record.Entry
	on    []record.Wait
	why   string
	held  bool // it waited for too long: a person is asked
}

type toRead struct {
	side record.Side
	ref  record.Ref
}

// actions is all writes of the draft, in order.
func (d *draft) actions() []plan.Action {
	var all []plan.Action
	for _, p := range d.pairs {
		all = append(all, p.verdict.Actions...)
	}
	for _, j := range d.joins {
		all = append(all, j.verdict.Actions...)
	}
	all = append(all, d.news...)
	plan.Order(all)
	return all
}

// plan decides everything that is to be looked at.
func (r *run) plan(ctx context.Context) (*draft, error) {
	d := &draft{facts: plan.Facts{Systems: [2]record.System{r.side(record.Left).System, r.side(record.Right).System}}}
	var err error
	if d.facts.Links, err = r.Store.LinkCount(ctx, r.job.Binding); err != nil {
		return nil, err
	}
	if err := r.loadRejected(ctx); err != nil {
		return nil, err
	}
	if err := r.planLinks(ctx, d); err != nil {
		return nil, fmt.Errorf("plan linked %s: %w", r.job.Binding, err)
	}
	if err := r.planStrangers(ctx, d); err != nil {
		return nil, fmt.Errorf("plan unlinked %s: %w", r.job.Binding, err)
	}
	return d, nil
}

// untangle leaves one fate for each record. Somebody who is asked about two records
// may give both the same partner, and the partner itself was planned on its own: the
// first link counts, and whatever else was planned for its two records is dropped.
func (d *draft) untangle() {
	taken := map[int64]bool{}
	joins := d.joins[:0]
	for _, j := range d.joins {
		if !taken[j.left] && !taken[j.right] {
			taken[j.left], taken[j.right] = true, true
			joins = append(joins, j)
		}
	}
	d.joins = joins
	d.parks = slices.DeleteFunc(d.parks, func(p park) bool { return taken[p.entry.Num] })
	d.waits = slices.DeleteFunc(d.waits, func(w waits) bool { return taken[w.entry.Num] && w.why != "" })
	d.news = slices.DeleteFunc(d.news, func(a plan.Action) bool { return taken[a.From] })
}
