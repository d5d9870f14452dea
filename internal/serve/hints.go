package serve

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// atOnce is how many hints a run takes up at once.
const atOnce = 50

// hints is what is hinted at for one job while one run lasts. They stay in the store
// until the run has come to its end: killed before, they are taken up again.
type hints struct {
	store   *state.Store
	binding record.Binding
	log     *slog.Logger
	last    int64
	seqs    []int64
}

// next is the hints that came since it was asked last.
func (q *hints) next(ctx context.Context) []engine.Kick {
	found, err := q.store.Hints(ctx, q.binding, q.last, atOnce)
	if err != nil {
		q.log.ErrorContext(ctx, "hints can't be read", "job", string(q.binding), "error", err)
		return nil
	}
	var kicks []engine.Kick
	for _, h := range found {
		q.last = h.Seq
		if h.Ref.ID == "" {
			continue // the whole kind: a run of its own
		}
		q.seqs = append(q.seqs, h.Seq)
		k := engine.Kick{Side: h.Place.Side, Ref: h.Ref}
		if !slices.Contains(kicks, k) {
			kicks = append(kicks, k)
		}
	}
	return kicks
}

// heed says that the records were looked at.
func (q *hints) heed(ctx context.Context, l record.Lease) error {
	if len(q.seqs) == 0 {
		return nil
	}
	return q.store.Heeded(context.WithoutCancel(ctx), l, q.seqs, time.Now())
}

// Hint keeps hints and has them looked at: at once, or by the run that goes on. They
// are durable when it returns.
func (d *Daemon) Hint(ctx context.Context, hs []record.Hint) error {
	if len(hs) == 0 {
		return nil
	}
	if _, err := d.store.Hint(ctx, hs); err != nil {
		return err
	}
	asked := map[record.Binding]bool{}
	for _, h := range hs {
		if asked[h.Place.Binding] {
			continue
		}
		asked[h.Place.Binding] = true
		if _, err := d.runner.Request(ctx, string(h.Place.Binding), schedule.Kick); err != nil {
			return err
		}
	}
	return nil
}

// kick takes up what is hinted at for a job, and then decides again what waited for
// records that other jobs have linked since.
func (d *Daemon) kick(ctx context.Context, h *house, b record.Binding) error {
	for after := int64(0); ; {
		found, err := d.store.Hints(ctx, b, after, atOnce)
		if err != nil {
			return err
		}
		for _, side := range record.Sides {
			if err := d.kickSide(ctx, h, b, side, found); err != nil {
				return err
			}
		}
		if len(found) < atOnce {
			break
		}
		after = found[len(found)-1].Seq
	}
	o := engine.Options{Hold: h.hold(b)}
	o.Seen = true
	return d.one(ctx, h, b, schedule.Kick.String(), o)
}

// kickSide reads and carries over the records of one side that were hinted at.
func (d *Daemon) kickSide(ctx context.Context, h *house, b record.Binding, side record.Side, found []record.Hint) error {
	o := engine.Options{Hold: h.hold(b)}
	o.OnlySide = side
	var seqs []int64
	for _, x := range found {
		if x.Place.Side != side {
			continue
		}
		seqs = append(seqs, x.Seq)
		switch {
		case x.Ref.ID == "":
			o.Skip[side.Other()] = true
		case !slices.Contains(o.Only, x.Ref):
			o.Only = append(o.Only, x.Ref)
		}
	}
	if len(seqs) == 0 {
		return nil
	}
	if o.Skip[side.Other()] { // the whole kind has them all
		o.Only = nil
	}
	return d.heedAfter(ctx, h, b, o, seqs)
}

func (d *Daemon) heedAfter(ctx context.Context, h *house, b record.Binding, o engine.Options, seqs []int64) error {
	rep, err := d.engine(ctx, h, b, schedule.Kick.String(), o)
	if err != nil {
		return err
	}
	if err := d.store.Heeded(context.WithoutCancel(ctx), rep.Lease, seqs, time.Now()); err != nil {
		return err
	}
	return d.follow(ctx, h, b, rep)
}

// chase remembers which records were asked for because others wait for them, so that
// one of which nothing comes is not asked for at every turn.
type chase struct {
	mu   sync.Mutex
	when map[record.Wait]time.Time
}

// chaseEvery is how often such a record is asked for again.
const chaseEvery = 10 * time.Minute

func (c *chase) again(w record.Wait, now time.Time) bool {
	w.Since = time.Time{}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.when == nil {
		c.when = map[record.Wait]time.Time{}
	}
	if last, ok := c.when[w]; ok && now.Sub(last) < chaseEvery && !now.Before(last) {
		return false
	}
	if len(c.when) > 10_000 {
		clear(c.when)
	}
	c.when[w] = now
	return true
}
