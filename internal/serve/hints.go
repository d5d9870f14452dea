package serve

import (
	"context"
	"slices"
	"sync"
	"time"

	"nightporter/connectors/pace"
	"nightporter/sync/engine"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// atOnce is how many hints a run takes up at once.
const atOnce = 50

// filed is a hint and what is asked of a run because of it.
type filed struct {
	seq  int64
	kick engine.Kick
}

// hints is what is hinted at for one job while one run lasts. They stay in the store
// until the run has come to its end: killed before, they are taken up again.
type hints struct {
	*Daemon
	binding record.Binding
	last    int64
	taken   []filed
}

// next is the hints that came since it was asked last, and whom others look for.
func (q *hints) next(ctx context.Context) []engine.Kick {
	kicks := q.seek.due(ctx, q.store, q.binding, time.Now())
	found, err := q.store.Hints(ctx, q.binding, q.last, atOnce)
	if err != nil {
		if ctx.Err() == nil {
			q.log.ErrorContext(ctx, "hints can't be read", "job", string(q.binding), "error", err)
		}
		return kicks
	}
	for _, h := range found {
		q.last = h.Seq
		if h.Ref.ID == "" || q.aside.rests(h.Place, h.Ref, time.Now()) {
			continue // the whole kind is a run of its own
		}
		k := engine.Kick{Side: h.Place.Side, Ref: h.Ref}
		q.taken = append(q.taken, filed{h.Seq, k})
		if !slices.Contains(kicks, k) {
			kicks = append(kicks, k)
		}
	}
	return kicks
}

// failed leaves the hints at records that could not be read to a later run.
func (q *hints) failed(failed []engine.Kick) {
	now := time.Now()
	for _, k := range failed {
		if k.Ref.ID != "" {
			q.aside.put(record.Place{Binding: q.binding, Side: k.Side}, k.Ref, now)
		}
	}
	q.taken = slices.DeleteFunc(q.taken, func(f filed) bool { return slices.Contains(failed, f.kick) })
}

// heed says that the records were looked at.
func (q *hints) heed(ctx context.Context, l record.Lease) error {
	if len(q.taken) == 0 {
		return nil
	}
	seqs := make([]int64, len(q.taken))
	for i, f := range q.taken {
		seqs[i] = f.seq
		q.aside.forget(record.Place{Binding: q.binding, Side: f.kick.Side}, f.kick.Ref)
	}
	return q.store.Heeded(context.WithoutCancel(ctx), l, seqs, time.Now())
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

// leftOver asks for the runs of hints that an earlier process kept and did not come
// to look at.
func (d *Daemon) leftOver(ctx context.Context) error {
	h, leave := d.enter()
	defer leave()
	for _, b := range h.Order {
		found, err := d.store.Hints(ctx, b, 0, 1)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		if _, err := d.runner.Request(ctx, string(b), schedule.Kick); err != nil {
			return err
		}
	}
	return nil
}

// kick takes up what is hinted at for a job, and then decides again what waited for
// records that other jobs have linked since.
func (d *Daemon) kick(ctx context.Context, h *house, b record.Binding) error {
	if first, err := h.Engine.Unagreed(ctx, b); err != nil || first {
		return err // nobody has seen the first plan: what is hinted at is in it
	}
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
	kicks := d.seek.due(ctx, d.store, b, time.Now())
	for _, side := range record.Sides {
		if err := d.find(ctx, h, b, side, kicks); err != nil {
			return err
		}
	}
	o := engine.Options{Hold: d.hold(h, b)}
	o.Seen = true
	return d.one(ctx, h, b, schedule.Kick.String(), o)
}

// kickSide reads and carries over the records of one side that were hinted at: first those
// that are named, then the whole kind if that is asked for. A list does not stand for a
// record that is named: it shows what it showed before, or only what changed, and a record
// that another waits for now has to be decided again all the same.
func (d *Daemon) kickSide(ctx context.Context, h *house, b record.Binding, side record.Side, found []record.Hint) error {
	named, whole := d.split(b, side, found, time.Now())
	if len(named) > 0 {
		o := engine.Options{Hold: d.hold(h, b), OnlySide: side, Patient: true}
		for _, f := range named {
			if !slices.Contains(o.Only, f.kick.Ref) {
				o.Only = append(o.Only, f.kick.Ref)
			}
		}
		if err := d.carry(ctx, h, b, schedule.Kick.String(), o, &hints{Daemon: d, binding: b, taken: named}); err != nil {
			return err
		}
	}
	if len(whole) == 0 {
		return nil
	}
	o := engine.Options{Hold: d.hold(h, b), OnlySide: side, Patient: true}
	o.Skip[side.Other()] = true
	return d.carry(ctx, h, b, schedule.Kick.String(), o, &hints{Daemon: d, binding: b, taken: whole})
}

// split divides the hints at one side into those that name a record, without those whose
// record rests, and those at the whole kind.
func (d *Daemon) split(b record.Binding, side record.Side, found []record.Hint, now time.Time) (named, whole []filed) {
	for _, x := range found {
		f := filed{x.Seq, engine.Kick{Side: side, Ref: x.Ref}}
		switch {
		case x.Place.Side != side:
		case x.Ref.ID == "":
			whole = append(whole, f)
		case !d.aside.rests(record.Place{Binding: b, Side: side}, x.Ref, now):
			named = append(named, f)
		}
	}
	return named, whole
}

// find looks for records that others wait for and of which only a key is known.
func (d *Daemon) find(ctx context.Context, h *house, b record.Binding, side record.Side, kicks []engine.Kick) error {
	o := engine.Options{Hold: d.hold(h, b), OnlySide: side, Patient: true}
	for _, k := range kicks {
		if k.Side == side {
			o.Find = append(o.Find, k.Key)
		}
	}
	if len(o.Find) == 0 {
		return nil
	}
	return d.carry(ctx, h, b, schedule.Kick.String(), o, &hints{Daemon: d, binding: b})
}

// carry makes one run that takes what is hinted at meanwhile first, and calls for
// what follows from it. q holds the hints that the run is made for.
func (d *Daemon) carry(ctx context.Context, h *house, b record.Binding, what string, o engine.Options, q *hints) error {
	_, err := d.carryOut(ctx, h, b, what, o, q)
	return err
}

func (d *Daemon) carryOut(ctx context.Context, h *house, b record.Binding, what string, o engine.Options, q *hints) (engine.Report, error) {
	o.Urgent = func(ctx context.Context) context.Context { return pace.With(ctx, pace.Booking) }
	if len(o.Only)+len(o.Find) == 0 && !o.Dry && o.Undo == nil {
		o.Kicked = func() []engine.Kick { return q.next(ctx) }
		o.Took = func(ctx context.Context, t engine.Taken) {
			q.failed(t.Failed)
			if err := d.follow(ctx, h, b, t, false); err != nil && ctx.Err() == nil {
				d.log.ErrorContext(ctx, "what follows from a kick can't be asked for", "job", string(b), "error", err)
			}
		}
	}
	rep, err := d.engine(ctx, h, b, what, o)
	if err != nil {
		return rep, err
	}
	q.failed(rep.Failed)
	if err := q.heed(ctx, rep.Lease); err != nil {
		return rep, err
	}
	t := rep.Taken
	t.Linked = linked(rep)
	return rep, d.follow(ctx, h, b, t, true)
}

// linked reports whether a run linked records, or saw new values of some.
func linked(rep engine.Report) bool {
	n := int64(0)
	for _, name := range []string{"linked", "left.created", "right.created", "left.decoded", "right.decoded"} {
		n += rep.Counts[name]
	}
	return n > 0
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
	w.Since, w.Entry = time.Time{}, 0
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
