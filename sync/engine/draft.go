package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// draft is everything a plan decided, before anything of it is done.
type draft struct {
	pairs    []decided // linked
	joins    []decided // strangers that are the same
	news     []plan.Action
	parks    []park
	waits    []waits
	meant    []record.Meant  // whom strangers mean
	retell   []record.LinkID // of which a record is gone, and something came that may be it
	reads    []toRead
	told     []toRead // bookings that were refused: the desk must know
	missing  [2]int   // creates that need to know more of what that side has
	facts    guard.Facts
	whole    bool                          // it is of all records, not of some
	remapped int                           // changes that only a changed configuration asks for, and that wait
	asks     map[int64]asks                // the question about an unlinked record, by its entry
	bereft   [2]*bereft                    // links of which that side's record is gone; nil: not asked yet
	unlinked [2]map[record.EntryState]bool // whether that side has unlinked records in a state, as far as it was asked
}

// decided is a pair of records and what is to be done about it. Of a quiet one only
// its name is kept, and it is decided once more when it is settled: a first load has
// a hundred thousand pairs of which nothing is to be written, asked or shown.
type decided struct {
	link    record.LinkID // 0: not linked yet
	entries [2]int64
	refs    [2]record.Ref
	entity  string
	quiet   bool
	verdict plan.Verdict
	waits   []waits
	dirty   bool              // it was marked to be looked at, whatever is seen of it
	refused []string          // fields of its writes that were refused as they are
	idle    bool              // nothing of it is to be stored: it differs as it did when it was decided last
	changed [2]bool           // which sides show an edit
	partly  [2]bool           // of strangers: that side's lists may hide what no read has shown of it
	kept    []record.Conflict // decided by a person; they stay open until each side has the value
	gone    *absence          // a record of it is gone: what is decided because of that
}

// hush forgets what is decided of a pair if nothing of it is to be written, asked
// or shown.
func (d *decided) hush() {
	v := d.verdict
	if len(v.Actions)+len(v.Conflicts)+len(v.Drifts)+len(v.Read)+len(v.Vain)+len(d.kept)+len(d.refused) > 0 || v.Problem != "" || d.gone != nil {
		return
	}
	d.quiet, d.verdict, d.waits = true, plan.Verdict{}, nil
}

// brief is what a draft keeps of an entry: it is read again when more is needed.
type brief struct {
	num   int64
	ref   record.Ref
	state record.EntryState
	why   string
	dirty bool
	since time.Time // when it was first seen
	born  int64     // when the system made it, or when it was first seen: unix milliseconds
}

func briefOf(e record.Entry) brief {
	return brief{e.Num, e.Ref, e.State, e.Why, e.Dirty, e.Since, created(e)}
}

// park is a record that is put aside, and why.
type park struct {
	side  record.Side
	entry brief
	state record.EntryState
	why   string
}

// waits is a record that is to be looked at again when others are linked.
type waits struct {
	stuck []plan.Stuck // what of it is not carried over meanwhile
	side  record.Side
	entry brief
	on    []record.Wait
	meant []record.Meant // whom it means, where that is noted
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
	d, err := r.planLinked(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.planStrangers(ctx, d); err != nil {
		return nil, fmt.Errorf("plan unlinked %s: %w", r.job.Binding, err)
	}
	return d, nil
}

// planLinked decides what is linked.
func (r *run) planLinked(ctx context.Context) (*draft, error) {
	d := &draft{whole: true, facts: guard.Facts{Systems: [2]record.System{r.side(record.Left).System, r.side(record.Right).System}}}
	var err error
	if d.facts.Links, err = r.Store.LinkCount(ctx, r.job.Binding); err != nil {
		return nil, err
	}
	if err := r.loadUnknown(ctx); err != nil {
		return nil, err
	}
	if err := r.loadWords(ctx); err != nil {
		return nil, err
	}
	if err := r.openBook(ctx); err != nil {
		return nil, err
	}
	if err := r.planLinks(ctx, d); err != nil {
		return nil, fmt.Errorf("plan linked %s: %w", r.job.Binding, err)
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
		if !taken[j.entries[0]] && !taken[j.entries[1]] {
			taken[j.entries[0]], taken[j.entries[1]] = true, true
			joins = append(joins, j)
		}
	}
	d.joins = joins
	d.parks = slices.DeleteFunc(d.parks, func(p park) bool { return taken[p.entry.num] })
	d.waits = slices.DeleteFunc(d.waits, func(w waits) bool { return taken[w.entry.num] && w.why != "" })
	d.news = slices.DeleteFunc(d.news, func(a plan.Action) bool { return taken[a.From] })
}

// joined reports whether the plan links an entry of a side that has no link yet.
func (d *draft) joined(side record.Side, entry int64) bool {
	return slices.ContainsFunc(d.joins, func(j decided) bool { return j.entries[side] == entry })
}
