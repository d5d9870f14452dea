package engine

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// keptKey names the change of a record that is kept back.
type keptKey struct {
	side  record.Side
	link  record.LinkID
	entry int64 // without a link
}

// unsent notes that an action is not sent by this run: what an earlier one said of it holds.
func (r *run) unsent(a plan.Action) keptKey {
	k := keptKey{side: a.Side, link: a.Link}
	if a.Link == 0 {
		k.entry = a.From
	}
	if r.kept == nil {
		r.kept = map[keptKey]bool{}
	}
	r.kept[k] = true
	return k
}

// keptBack notes that an action is not sent now. It reports whether that is so.
func (r *run) keptBack(ctx context.Context, a plan.Action) (bool, error) {
	look := r.planHold // it is asked for once more right before it is sent
	if s := r.side(a.Side).Send; s != nil && s.Beside {
		look = r.sendHeld // that can't be
	}
	h, err := look(ctx, a.Side, a.Change)
	if err != nil || h.Why == "" {
		return false, err
	}
	r.count("kept_back", 1)
	key := r.unsent(a)
	k := record.KeptBack{Place: r.place(a.Side), Link: key.link, Entry: key.entry, Op: a.Change.Op, Since: time.Now(), Hold: h}
	if a.Change.Op == record.Create {
		r.note(a.Side.Other(), a.Source, record.Waiting, h.Why)
		if err := r.Store.Park(ctx, r.lease, a.From, record.Waiting, h.Why); err != nil {
			return true, fmt.Errorf("keep %s back: %w", a.Source, err)
		}
	} else {
		r.note(a.Side, a.Change.Ref, record.Waiting, h.Why)
		for _, f := range a.Fields {
			k.Fields = append(k.Fields, f.Field)
		}
	}
	if err := r.Store.KeepBack(ctx, r.lease, k); err != nil {
		return true, fmt.Errorf("keep %s back: %w", a.Source, err)
	}
	return true, nil
}

// keptAgain is keptBack for a create of which no answer came, and that is asked for again. It
// stays as it was sent: it was not sent since.
func (r *run) keptAgain(ctx context.Context, in record.Intent) (bool, error) {
	h, err := r.sendHeld(ctx, in.Place.Side, in.Change)
	if err != nil || h.Why == "" {
		return false, err
	}
	r.count("kept_back", 1)
	from, err := r.Store.Entries(ctx, []int64{in.From})
	if err != nil {
		return true, fmt.Errorf("keep change %s back: %w", in.ID, err)
	}
	r.note(in.Place.Side.Other(), from[in.From].Ref, record.Waiting, "no answer came to its create, which is not sent again now: "+h.Why)
	key := r.unsent(plan.Action{Side: in.Place.Side, From: in.From})
	return true, r.Store.KeepBack(ctx, r.lease, record.KeptBack{
		Place: r.place(in.Place.Side), Entry: key.entry, Op: in.Change.Op, Since: time.Now(), Hold: h,
	})
}

// letGo forgets what earlier runs kept back and this one, which has done what a draft asks
// for, found no reason not to send: of all records, or of those that the draft is of.
func (r *run) letGo(ctx context.Context, d *draft) error {
	if r.limited() {
		return nil
	}
	kept, err := r.Store.KeptBack(ctx, r.job.Binding)
	if err != nil || len(kept) == 0 {
		return err
	}
	var over []record.KeptBack
	links, entries := d.about()
	for _, k := range kept {
		if !r.kept[keptKey{k.Place.Side, k.Link, k.Entry}] && (d.whole || links[k.Link] || entries[k.Entry]) {
			over = append(over, k)
		}
	}
	if len(over) == 0 {
		return nil
	}
	return r.Store.LetGo(ctx, r.lease, over)
}

// about is the links, and the records without one, that were decided.
func (d *draft) about() (links map[record.LinkID]bool, entries map[int64]bool) {
	links, entries = map[record.LinkID]bool{}, map[int64]bool{}
	for _, p := range d.pairs {
		links[p.link] = true
	}
	for _, j := range d.joins {
		entries[j.entries[record.Left]], entries[j.entries[record.Right]] = true, true
	}
	for _, a := range d.news {
		entries[a.From] = true
	}
	for _, p := range d.parks {
		entries[p.entry.num] = true
	}
	for _, w := range d.waits {
		entries[w.entry.num] = true
	}
	delete(links, 0)
	delete(entries, 0)
	return links, entries
}
