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

// settleUpdate reads the record of a change without an answer. If it holds our value, the change was done. If it
// holds the old value, or shows nothing of it, the change is not known to be done, and is planned again once its
// system has had the time to show it. If it holds anything else, somebody edited it, and both sides are merged as
// changed. A delete was done if the record is not there. It reports whether the change stays open.
func (r *Room) settleUpdate(ctx context.Context, in record.Intent) (bool, error) {
	side := in.Place.Side
	get, ok := r.Side(side).Conn.(connectors.Getter)
	if !ok || !r.Side(side).Can.Get {
		return true, nil // only a list can tell
	}
	at := time.Now()
	rec, err := r.Get(ctx, side, get, in.Change.Ref)
	r.Count(side.String()+".reads", 1)
	if err == nil { // settled by a read that is behind, an edit that the list showed would count as taken back
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

// adoptDone settles a change by a read that shows that it was done.
func (r *Room) adoptDone(ctx context.Context, in record.Intent, rec record.Record) error {
	_, err := r.trials.Door().Settle(ctx, in, rec, true)
	r.Count(in.Place.Side.String()+".adopted", 1)
	return err
}

// notDone ends an update that was not done, as a read shows, or that was taken back.
func (r *Room) notDone(ctx context.Context, in record.Intent, rec record.Record) error {
	if err := r.dropUnmade(ctx, in, rec); err != nil {
		return err
	}
	return r.editedBack(ctx, in, rec.Fields)
}

// editedBack finds the paths of a record that hold neither the value before an update without an answer nor the
// value that it sent: a user edited them since. If such a value is the one in the base, it would count as no edit,
// and the other side's value would be written over it. So these paths leave the base.
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

// unknowable reports whether a read can't tell whether a status action was done. To send one again is more than to
// write the same values once more: somebody may have acted upon the status.
func unknowable(in record.Intent, now record.Fields) bool {
	return in.Change.Op == record.Action && len(match.OnlyShown(in.Change.Fields, now)) == 0
}

// wonder hands a change to a person if no read tells what became of it. The first read that shows the change ends
// it all the same.
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

// mayBeTakenBack has a booking stand that was to give way, if that change may have been done: the record shows another
// version, and the booking is there. Then the desk has taken it back, and a booking gives way once at most.
func (r *Room) mayBeTakenBack(ctx context.Context, in record.Intent, now record.Record) error {
	b := r.Job.Booking
	if b == nil || in.Link == 0 || in.Place.Side != b.Authority {
		return nil
	}
	known, _, err := r.store.RoomCheck(ctx, in.Link)
	if err != nil || !known.Fate.GivesWay() {
		return err
	}
	e, _, err := r.store.Entry(ctx, in.Place, in.Change.Ref)
	if err != nil || !r.mayHaveArrived(in, e, now) {
		return err
	}
	known.Fate = record.RoomTouched
	return r.store.NoteRoomCheck(ctx, r.Lease, in.Link, known)
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
		return nil // the record is listed, and nobody knows what it holds
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

// dropUnmade ends a change that was sent, and that its record does not show once the system has settled. A person
// is asked about fields that a user may have edited meanwhile.
func (r *Room) dropUnmade(ctx context.Context, in record.Intent, now record.Record) error {
	r.findUnmadeChange(in)
	if err := r.askUnanswered(ctx, in, now); err != nil {
		return err
	}
	if err := r.mayBeTakenBack(ctx, in, now); err != nil {
		return err
	}
	return r.Drop(ctx, in, "the record does not hold what was sent")
}
