package guards

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Unsent notes that this run does not send an action, and returns the key of that note. If an earlier run kept the
// action back, what it said of that still holds: see LetGo.
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

// KeptBack reports whether an action must not be sent now, because it may reach a person and a rule of its side
// holds it. If so, the action is kept with the reason, and the source of a create waits.
func (r *Room) KeptBack(ctx context.Context, a plan.Action) (bool, error) {
	look := r.PlanHold // the rules are asked once more right before the action is sent
	if s := r.Side(a.Side).Send; s != nil && s.Beside {
		look = r.sendHeld // at that moment the list of this side can't be asked
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

// KeptAgain is KeptBack for a create without an answer that is to be sent again. The intent stays as it was, for
// nothing was sent since.
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

// LetGo forgets the changes that an earlier run kept back, and that this run found no reason not to send. It is
// called once a draft is carried out. If the draft is of some records only, the changes of all others stay.
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
