package settle

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/match"
	"nightporter/sync/record"
)

// settleUpdate reads the record. Our value there: it landed. The old value, or
// nothing of it shown: it is not known to have landed, and is planned again. Anything
// else: somebody edited it, and both sides are merged as changed.
func (r *Room) settleUpdate(ctx context.Context, in record.Intent) (bool, error) {
	side := in.Place.Side
	get, ok := r.Side(side).Conn.(connectors.Getter)
	if !ok || !r.Side(side).Can.Get {
		return true, nil // only a list can tell
	}
	at := time.Now()
	rec, err := r.Get(ctx, side, get, in.Change.Ref)
	r.Count(side.String()+".reads", 1)
	if err == nil { // settled by it, an edit that the list showed would count as taken back
		err = r.observe.NotBehind(ctx, side, in.Change.Ref, rec.Fields, at)
	}
	deletes := in.Change.Op == record.Delete
	switch class := connectors.ClassOf(err); {
	case class == connectors.NotFound && deletes:
		return false, r.adoptDone(ctx, in, record.Record{Ref: in.Change.Ref})
	case class == connectors.NotFound, class == connectors.OutOfScope, class == connectors.Moved:
		return false, r.Drop(ctx, in, "the record is not there any more")
	case err != nil:
		return true, err
	case !deletes && r.match.HoldsSent(side, in.Change.Fields, rec.Fields):
		return false, r.adoptDone(ctx, in, rec)
	case r.Young(in):
		return true, nil
	case deletes:
		err = r.Drop(ctx, in, "the record is still there")
	case unknowable(in, rec.Fields):
		return true, r.wonder(ctx, in)
	default:
		err = r.notDone(ctx, in, rec)
	}
	if err != nil {
		return true, err
	}
	return false, r.observe.See(ctx, side, rec, at, "get")
}

// adoptDone settles a change as a read shows that it was done.
func (r *Room) adoptDone(ctx context.Context, in record.Intent, rec record.Record) error {
	_, err := r.trials.Door().Settle(ctx, in, rec, true)
	r.Count(in.Place.Side.String()+".adopted", 1)
	return err
}

// notDone ends an update that a read shows not to have been done, or to have been taken back.
func (r *Room) notDone(ctx context.Context, in record.Intent, rec record.Record) error {
	if err := r.dropUnmade(ctx, in, rec); err != nil {
		return err
	}
	return r.editedBack(ctx, in, rec.Fields)
}

// editedBack takes paths out of the base of a record that hold neither what an update without an
// answer was to change there nor what it was to write: a user edited them since. Where that is what
// the base has, it would count as no edit, and the other side's value would be written over it.
func (r *Room) editedBack(ctx context.Context, in record.Intent, now record.Fields) error {
	pair, ok, err := r.store.PairOf(ctx, in.Place, in.Change.Ref)
	if err != nil || !ok {
		return err
	}
	side := in.Place.Side
	var paths [2][]string
	for p, sent := range in.Change.Fields {
		was, is := in.Change.Before[p], now[p]
		if was.Observed() && is.Observed() && !is.Equal(was) && !is.Equal(sent) && r.AsSettled(pair.Sides[side].Base[p], is) {
			paths[side] = append(paths[side], p)
		}
	}
	if len(paths[side]) == 0 {
		return nil
	}
	slices.Sort(paths[side])
	return r.store.Distrust(ctx, r.Lease, pair.Link, paths, !pair.Doubted)
}

// unknowable reports whether a read can't tell whether a change landed, and sending
// it again is more than writing the same values once more: a status may have been
// acted upon.
func unknowable(in record.Intent, now record.Fields) bool {
	return in.Change.Op == record.Action && len(match.OnlyShown(in.Change.Fields, now)) == 0
}

// wonder hands a change to a person of which no read tells what became. The first
// read that shows it ends it all the same.
func (r *Room) wonder(ctx context.Context, in record.Intent) error {
	if in.State == record.Lost {
		return nil
	}
	r.Count("lost", 1)
	const why = "the record does not show what was to be changed"
	if err := r.store.FailIntent(ctx, r.Lease, in.ID, record.Lost, "", why, time.Now()); err != nil {
		return err
	}
	side := in.Place.Side
	e, _, err := r.store.Entry(ctx, r.Place(side), in.Change.Ref)
	if err != nil {
		return err
	}
	return r.Alert(ctx, e.Num, "unknown_outcome", fmt.Sprintf(
		"a change of %s of %s was sent, and nobody knows whether it arrived: "+why+"; nothing more is written to it until it does, or a person says",
		in.Change.Ref, r.Side(side).System))
}

// settleUpdateByList concludes an update of a record that can't be read by id, by
// what a list showed of it since the update was sent.
func (r *Room) settleUpdateByList(ctx context.Context, in record.Intent) error {
	side := in.Place.Side
	e, ok, err := r.store.Entry(ctx, r.Place(side), in.Change.Ref)
	if err != nil || !ok {
		return err
	}
	settled := in.SentAt.Add(r.Side(side).Settle)
	switch {
	case e.State == record.Quarantined:
		return nil // it is listed, and what it holds nobody knows
	case e.State == record.Stranger && !r.Young(in): // its id names another record by now
		return r.Drop(ctx, in, "the record is not there any more")
	case e.Seen != nil && e.Seen.At.After(in.SentAt) && r.match.HoldsSent(side, in.Change.Fields, e.Last()):
		_, err := r.trials.Door().Settle(ctx, in, e.LastRecord(), true)
		r.Count(side.String()+".adopted", 1)
		return err
	case e.Seen != nil && e.Seen.At.After(settled) && unknowable(in, e.Seen.Fields):
		return r.wonder(ctx, in)
	case e.Seen != nil && e.Seen.At.After(settled), e.Seen == nil && r.trust.Scanned[side] && r.listedSince(ctx, side, in):
		return r.dropUnmade(ctx, in, e.LastRecord())
	}
	return nil
}

// dropUnmade ends a change that was sent, and that its record does not show once it has settled.
func (r *Room) dropUnmade(ctx context.Context, in record.Intent, now record.Record) error {
	r.findUnmadeChange(in)
	if err := r.askUnanswered(ctx, in, now); err != nil {
		return err
	}
	return r.Drop(ctx, in, "the record does not hold what was sent")
}
