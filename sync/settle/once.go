package settle

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Some creates reach a person: a call rings, a message is read. Such a create can't be taken back. That it is not
// made twice matters more than that it is made at all. So if no answer came, nothing but the lists decides what
// became of it, by plan.Once. If they don't tell, a person decides.

const (
	echoTrait = "marks" // kept of a side that was seen to show the marks that it is sent
	// onceDoubt is how long a create may lack its proof before a person is told.
	onceDoubt = time.Hour
	// putBackDoubt says why such a create is held.
	putBackDoubt = "the state was put back to an older copy, and whether this was sent before nobody knows"
)

// settleAllOnce concludes all creates of such kinds, also those that a person was told of.
func (r *Room) settleAllOnce(ctx context.Context) error {
	if !r.Once(record.Left) && !r.Once(record.Right) {
		return nil
	}
	open, err := r.openOnce(ctx)
	if err != nil {
		return err
	}
	for _, in := range open {
		if !r.listedNow(in.Place.Side) {
			continue
		}
		if err := r.settleOnce(ctx, in, open); err != nil {
			return fmt.Errorf("create %s: %w", in.ID, err)
		}
	}
	return nil
}

// openOnce returns the creates of such kinds that may have been sent: first those that a person is asked about, then the
// others, each from the earliest on.
func (r *Room) openOnce(ctx context.Context) ([]record.Intent, error) {
	sent, err := r.store.Unsettled(ctx, r.Job.Binding)
	if err != nil {
		return nil, err
	}
	lost, err := r.store.Lost(ctx, r.Job.Binding)
	if err != nil {
		return nil, err
	}
	var out []record.Intent
	for _, in := range append(lost, sent...) {
		if in.Change.Op == record.Create && r.Once(in.Place.Side) && !r.AppliesOnce(in.Place.Side, in) {
			out = append(out, in)
		}
	}
	return out, nil
}

// listedNow reports whether the last list of a side was begun and read whole in this run.
func (r *Room) listedNow(side record.Side) bool {
	return r.trust.Scanned[side] && r.observe.LastList[side].Whole()
}

// settleOnce concludes one such create. If it is proven that the create made nothing, it is planned anew.
func (r *Room) settleOnce(ctx context.Context, in record.Intent, open []record.Intent) error {
	facts, made, err := r.onceFacts(ctx, in, open)
	if err != nil {
		return err
	}
	verdict, why := facts.Decide()
	was := in.State
	switch verdict {
	case plan.OnceAdopt:
		stays, err := r.adoptFound(ctx, in, made.LastRecord())
		if err != nil || stays {
			return err
		}
	case plan.OnceNever:
		if err := r.Drop(ctx, in, "whole lists that show what was asked for later do not show it"); err != nil {
			return err
		}
	case plan.OnceWait:
		if was == record.Lost || time.Since(in.SentAt) < onceDoubt {
			r.Note(in.Place.Side, in.Change.Ref, record.Waiting, "what became of a create is not known: "+why)
			return nil
		}
		return r.Lose(ctx, in, why)
	case plan.OnceAsk:
		if was == record.Lost {
			return nil
		}
		return r.Lose(ctx, in, why)
	}
	delete(r.match.Open, in.From)
	if was == record.Lost {
		r.Count("lost", -1)
	}
	return nil
}

// onceFacts gathers what is known of one such create. made is the record that it may have made, if there is just
// one.
func (r *Room) onceFacts(ctx context.Context, in record.Intent, open []record.Intent) (f plan.Once, made record.Entry, err error) {
	side := in.Place.Side
	f.Young, f.Listed = r.Young(in), r.listedSince(ctx, side, in)
	marked, unmarked, err := r.mayBeOnce(ctx, in)
	if err != nil {
		return f, made, err
	}
	f.Marked, f.Unmarked = len(marked), len(unmarked)
	if f.Echoes, err = r.echoes(ctx, side); err != nil {
		return f, made, err
	}
	if len(unmarked) == 1 {
		made = unmarked[0]
		f.Near, f.Rivals = r.near(in, made), r.rivals(in, open, made)
	}
	if len(marked) == 1 {
		made = marked[0]
	}
	if !f.Young && f.Marked+f.Unmarked == 0 {
		f.Later, err = r.showsLater(ctx, in)
	}
	return f, made, err
}

// mayBeOnce is the new records that may be what a create made: those that bear its mark, and those without a mark.
func (r *Room) mayBeOnce(ctx context.Context, in record.Intent) (marked, unmarked []record.Entry, err error) {
	since := in.Made
	if since.After(r.Now) { // the clock was set back: no time tells the new from the old
		since = time.Time{}
	}
	came, err := r.store.UnlinkedSince(ctx, r.Place(in.Place.Side), since)
	for _, e := range came {
		switch stamp := stampOf(e); {
		case stamp != "" && stamp == in.Change.Stamp:
			marked = append(marked, e)
		case stamp == "" && r.mayReach(in, e):
			unmarked = append(unmarked, e)
		}
	}
	return marked, unmarked, err
}

// rivals counts the other open creates that may have made a record as well.
func (r *Room) rivals(in record.Intent, open []record.Intent, made record.Entry) (n int) {
	for _, o := range open {
		if o.ID != in.ID && o.Place.Side == in.Place.Side && r.mayReach(o, made) && r.near(o, made) {
			n++
		}
	}
	return n
}

func stampOf(e record.Entry) string {
	if e.Seen == nil {
		return ""
	}
	return e.Seen.Stamp
}

// mayReach reports whether a record may be for the person that a create was for. It is false only if both name a
// person, in a form that can be read, and the two are not the same.
func (r *Room) mayReach(in record.Intent, e record.Entry) bool {
	side := in.Place.Side
	sent, now := in.Change.Fields, e.Last()
	for _, path := range r.Side(side).Can.Once {
		v, w := sent[path], now[path]
		if !v.Observed() || v.Empty() || !w.Observed() || w.Empty() {
			continue
		}
		if !r.match.HoldsSent(side, record.Fields{path: v}, now) && r.legible(side, path, now) {
			return false
		}
	}
	return true
}

// legible reports whether a value at a path can be read as a field.
func (r *Room) legible(side record.Side, path string, native record.Fields) bool {
	now, problems := r.Job.Mapping.Read(side, record.Fields{path: native[path]})
	if len(problems) > 0 {
		return false
	}
	for _, v := range now {
		if v.Observed() && !v.Empty() {
			return true
		}
	}
	return false // no field is read from it: nothing tells one spelling from another
}

// near reports whether a record's own time says that it was made when a create was sent.
func (r *Room) near(in record.Intent, e record.Entry) bool {
	if e.Seen == nil || e.Seen.Created.IsZero() {
		return false
	}
	at := e.Seen.Created
	return !at.Before(in.SentAt.Add(-plan.OnceSkew)) && !at.After(in.SentAt.Add(r.Side(in.Place.Side).Settle+plan.OnceSkew))
}

// showsLater reports whether the list that was just read shows a record that was asked for after this create and
// for somebody else. It counts only if the system told which record that is: by its id in an answer, or by our
// mark.
func (r *Room) showsLater(ctx context.Context, in record.Intent) (bool, error) {
	side := in.Place.Side
	made, err := r.store.Created(ctx, r.Place(side), in.SentAt)
	if err != nil {
		return false, err
	}
	for _, later := range made {
		if !later.SentAt.After(in.SentAt) || later.Run < in.Run || later.Link == 0 {
			continue
		}
		pair, ok, err := r.store.Pair(ctx, later.Link)
		if err != nil {
			return false, err
		}
		if e := pair.Sides[side]; ok && r.observe.LastList[side].Has(e) && !r.mayReach(in, e) {
			return true, nil
		}
	}
	return false, nil
}

// echoes reports whether a side was ever seen to show a mark of ours. If this run saw it first, that is kept.
func (r *Room) echoes(ctx context.Context, side record.Side) (bool, error) {
	seen, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil {
		return false, err
	}
	if _, known := seen[echoTrait]; known {
		return true, nil
	}
	if r.observe.LastList[side] == nil || !r.observe.LastList[side].Marked {
		return false, nil
	}
	return true, r.store.Witness(ctx, r.Lease, side, echoTrait, "shown", time.Now())
}

// PerhapsSent says why a record is not made across, on a side with creates that can't be taken back, although
// nothing shows that it was made before; "" if it may be made. A record that was known before both sides were
// compared after the state was put back stays in doubt, whatever it holds since.
func (r *Room) PerhapsSent(ctx context.Context, to record.Side, b run.Brief) (string, error) {
	if !r.Once(to) {
		return "", nil
	}
	if !r.observe.Restored.IsZero() || b.State == record.Held && b.Cause == run.MayBeSent {
		return putBackDoubt, nil
	}
	seen, err := r.store.Witnessed(ctx, r.Place(to))
	if compared := seen[run.ComparedTrait].At; err == nil && !compared.IsZero() && !b.Since.After(compared) {
		return putBackDoubt, nil
	}
	return "", err
}
