package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// settleUpdate reads the record. Our value there: it landed. The old value, or
// nothing of it shown: it is not known to have landed, and is planned again. Anything
// else: somebody edited it, and both sides are merged as changed.
func (r *run) settleUpdate(ctx context.Context, in record.Intent) (bool, error) {
	side := in.Place.Side
	get, ok := r.side(side).Conn.(connectors.Getter)
	if !ok || !r.side(side).Can.Get {
		return true, nil // only a list can tell
	}
	at := time.Now()
	rec, err := r.get(ctx, side, get, in.Change.Ref)
	r.count(side.String()+".reads", 1)
	if err == nil { // settled by it, an edit that the list showed would count as taken back
		err = r.notBehind(ctx, side, in.Change.Ref, rec.Fields, at)
	}
	switch class := connectors.ClassOf(err); {
	case class == connectors.NotFound && in.Change.Op == record.Delete:
		_, err := r.door().Settle(ctx, in, record.Record{Ref: in.Change.Ref}, true)
		r.count(side.String()+".adopted", 1)
		return false, err
	case class == connectors.NotFound, class == connectors.OutOfScope, class == connectors.Moved:
		return false, r.drop(ctx, in, "the record is not there any more")
	case err != nil:
		return true, err
	case in.Change.Op == record.Delete && r.young(in):
		return true, nil
	case in.Change.Op == record.Delete:
		if err := r.drop(ctx, in, "the record is still there"); err != nil {
			return true, err
		}
		return false, r.see(ctx, side, rec, at, "get")
	case r.holdsSent(side, in.Change.Fields, rec.Fields):
		_, err := r.door().Settle(ctx, in, rec, true)
		r.count(side.String()+".adopted", 1)
		return false, err
	case r.young(in):
		return true, nil
	case unknowable(in, rec.Fields):
		return true, r.wonder(ctx, in)
	}
	if err := r.dropUnmade(ctx, in, rec); err != nil {
		return true, err
	}
	if err := r.editedBack(ctx, in, rec.Fields); err != nil {
		return true, err
	}
	return false, r.see(ctx, side, rec, at, "get")
}

// editedBack takes paths out of the base of a record that hold neither what an update without an
// answer was to change there nor what it was to write: a user edited them since. Where that is what
// the base has, it would count as no edit, and the other side's value would be written over it.
func (r *run) editedBack(ctx context.Context, in record.Intent, now record.Fields) error {
	pair, ok, err := r.Store.PairOf(ctx, in.Place, in.Change.Ref)
	if err != nil || !ok {
		return err
	}
	side := in.Place.Side
	var paths [2][]string
	for p, sent := range in.Change.Fields {
		was, is := in.Change.Before[p], now[p]
		if was.Observed() && is.Observed() && !is.Equal(was) && !is.Equal(sent) && r.asSettled(pair.Sides[side].Base[p], is) {
			paths[side] = append(paths[side], p)
		}
	}
	if len(paths[side]) == 0 {
		return nil
	}
	slices.Sort(paths[side])
	return r.Store.Distrust(ctx, r.lease, pair.Link, paths, !pair.Doubted)
}

// unknowable reports whether a read can't tell whether a change landed, and sending
// it again is more than writing the same values once more: a status may have been
// acted upon.
func unknowable(in record.Intent, now record.Fields) bool {
	return in.Change.Op == record.Action && len(onlyShown(in.Change.Fields, now)) == 0
}

// wonder hands a change to a person of which no read tells what became. The first
// read that shows it ends it all the same.
func (r *run) wonder(ctx context.Context, in record.Intent) error {
	if in.State == record.Lost {
		return nil
	}
	r.count("lost", 1)
	const why = "the record does not show what was to be changed"
	if err := r.Store.FailIntent(ctx, r.lease, in.ID, record.Lost, "", why, time.Now()); err != nil {
		return err
	}
	side := in.Place.Side
	e, _, err := r.Store.Entry(ctx, r.place(side), in.Change.Ref)
	if err != nil {
		return err
	}
	return r.alert(ctx, e.Num, "unknown_outcome", fmt.Sprintf(
		"a change of %s of %s was sent, and nobody knows whether it arrived: "+why+"; nothing more is written to it until it does, or a person says",
		in.Change.Ref, r.side(side).System))
}

// holdsSent reports whether a record holds what was sent, as far as it shows it,
// allowing for what the system makes of a value. One that shows nothing of it does
// not.
func (r *run) holdsSent(side record.Side, sent, now record.Fields) bool {
	shown := onlyShown(sent, now)
	if len(shown) == 0 {
		return false
	}
	if now.Agrees(shown) {
		return true
	}
	a, _ := r.job.Mapping.Read(side, now.With(shown))
	b, _ := r.job.Mapping.Read(side, now)
	return b.Equal(a)
}

// onlyShown is what was sent of the paths that a record shows.
func onlyShown(sent, now record.Fields) record.Fields {
	out := record.Fields{}
	for p, v := range sent {
		if now[p].Observed() {
			out[p] = v
		}
	}
	return out
}

// settleUpdateByList concludes an update of a record that can't be read by id, by
// what a list showed of it since the update was sent.
func (r *run) settleUpdateByList(ctx context.Context, in record.Intent) error {
	side := in.Place.Side
	e, ok, err := r.Store.Entry(ctx, r.place(side), in.Change.Ref)
	if err != nil || !ok {
		return err
	}
	settled := in.SentAt.Add(r.side(side).Settle)
	switch {
	case e.State == record.Quarantined:
		return nil // it is listed, and what it holds nobody knows
	case e.State == record.Stranger && !r.young(in): // its id names another record by now
		return r.drop(ctx, in, "the record is not there any more")
	case e.Seen != nil && e.Seen.At.After(in.SentAt) && r.holdsSent(side, in.Change.Fields, e.Last()):
		_, err := r.door().Settle(ctx, in, e.LastRecord(), true)
		r.count(side.String()+".adopted", 1)
		return err
	case e.Seen != nil && e.Seen.At.After(settled) && unknowable(in, e.Seen.Fields):
		return r.wonder(ctx, in)
	case e.Seen != nil && e.Seen.At.After(settled), e.Seen == nil && r.scanned[side] && r.listedSince(ctx, side, in):
		return r.dropUnmade(ctx, in, e.LastRecord())
	}
	return nil
}

// dropUnmade ends a change that was sent, and that its record does not show once it has settled.
func (r *run) dropUnmade(ctx context.Context, in record.Intent, now record.Record) error {
	r.findUnmadeChange(in)
	if err := r.askUnanswered(ctx, in, now); err != nil {
		return err
	}
	return r.drop(ctx, in, "the record does not hold what was sent")
}
