package guards

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Unsent notes that an action is not sent by this run: what an earlier one said of it holds.
func (r *Room) Unsent(a plan.Action) run.KeptKey {
	k := run.KeptKey{Side: a.Side, Link: a.Link}
	if a.Link == 0 {
		k.Entry = a.From
	}
	if r.kept == nil {
		r.kept = map[run.KeptKey]bool{}
	}
	r.kept[k] = true
	return k
}

// KeptBack notes that an action is not sent now. It reports whether that is so.
func (r *Room) KeptBack(ctx context.Context, a plan.Action) (bool, error) {
	look := r.PlanHold // it is asked for once more right before it is sent
	if s := r.Side(a.Side).Send; s != nil && s.Beside {
		look = r.sendHeld // that can't be
	}
	h, err := look(ctx, a.Side, a.Change)
	if err != nil || h.Why == "" {
		return false, err
	}
	r.Count("kept_back", 1)
	key := r.Unsent(a)
	k := record.KeptBack{Place: r.Place(a.Side), Link: key.Link, Entry: key.Entry, Op: a.Change.Op, Since: time.Now(), Hold: h}
	if a.Change.Op == record.Create {
		r.Note(a.Side.Other(), a.Source, record.Waiting, h.Why)
		if err := r.store.Park(ctx, r.Lease, a.From, record.Waiting, "", h.Why); err != nil {
			return true, fmt.Errorf("keep %s back: %w", a.Source, err)
		}
	} else {
		r.Note(a.Side, a.Change.Ref, record.Waiting, h.Why)
		for _, f := range a.Fields {
			k.Fields = append(k.Fields, f.Field)
		}
	}
	if err := r.store.KeepBack(ctx, r.Lease, k); err != nil {
		return true, fmt.Errorf("keep %s back: %w", a.Source, err)
	}
	return true, nil
}

// KeptAgain is keptBack for a create of which no answer came, and that is asked for again. It
// stays as it was sent: it was not sent since.
func (r *Room) KeptAgain(ctx context.Context, in record.Intent) (bool, error) {
	h, err := r.sendHeld(ctx, in.Place.Side, in.Change)
	if err != nil || h.Why == "" {
		return false, err
	}
	r.Count("kept_back", 1)
	from, err := r.store.Entries(ctx, []int64{in.From})
	if err != nil {
		return true, fmt.Errorf("keep change %s back: %w", in.ID, err)
	}
	r.Note(in.Place.Side.Other(), from[in.From].Ref, record.Waiting, "no answer came to its create, which is not sent again now: "+h.Why)
	key := r.Unsent(plan.Action{Side: in.Place.Side, From: in.From})
	return true, r.store.KeepBack(ctx, r.Lease, record.KeptBack{
		Place: r.Place(in.Place.Side), Entry: key.Entry, Op: in.Change.Op, Since: time.Now(), Hold: h,
	})
}

// LetGo forgets what earlier runs kept back and this one, which has done what a draft asks
// for, found no reason not to send: of all records, or of those that the draft is of.
func (r *Room) LetGo(ctx context.Context, d *run.Draft) error {
	if r.Limited() {
		return nil
	}
	kept, err := r.store.KeptBack(ctx, r.Job.Binding)
	if err != nil || len(kept) == 0 {
		return err
	}
	var over []record.KeptBack
	links, entries := d.About()
	for _, k := range kept {
		if !r.kept[run.KeptKey{Side: k.Place.Side, Link: k.Link, Entry: k.Entry}] && (d.Whole || links[k.Link] || entries[k.Entry]) {
			over = append(over, k)
		}
	}
	if len(over) == 0 {
		return nil
	}
	return r.store.LetGo(ctx, r.Lease, over)
}
