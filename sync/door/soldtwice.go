package door

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/proof"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// AskFrom returns the time since when bookings were entered whose rooms may have to be asked for again. A room is asked
// for until the first run that ends askFor after its booking was entered. So it is asked for after a crash, and once
// more by a run that comes late, however long nobody ran.
func (r *Room) AskFrom(ctx context.Context) (time.Time, error) {
	since := time.Now()
	for n := 20; ; n *= 10 {
		runs, err := r.store.Runs(ctx, r.Job.Binding, n)
		if err != nil {
			return since, err
		}
		for _, run := range runs {
			if run.ID == r.Lease.Run || run.Dry {
				continue
			}
			if run.Outcome == record.Done || run.Outcome == record.Waits {
				return proof.Earlier(since, run.Ended).Add(-askFor), nil
			}
			since = proof.Earlier(since, run.Started)
		}
		if len(runs) < n {
			return since.Add(-askFor), nil
		}
	}
}

// AskAgain asks whether the room of a booking that we entered is still its own. If not, the desk sold it in the same
// moment: our booking gives way, the platform is told, and so is the desk. If somebody has decided about the booking
// since, it stands, whatever the room, and the desk is told. Example: the desk has confirmed it, or the guest is in the
// house. entered is the native values that the booking was entered with, nil if it was entered just now.
func (r *Room) AskAgain(ctx context.Context, link record.LinkID, entered record.Fields) error {
	b := r.Job.Booking
	asker, ok := r.Side(b.Authority).Conn.(connectors.Asker)
	if !ok {
		return nil
	}
	check, _, err := r.store.RoomCheck(ctx, link)
	if err != nil || check.Fate == record.RoomStands {
		return err
	}
	pair, ok, err := r.store.Pair(ctx, link)
	if err != nil || !ok {
		return err
	}
	e := pair.Sides[b.Authority]
	if check.Entry == 0 {
		check.Entry, check.Asked = e.Num, time.Now()
	}
	switch {
	case check.Entry != e.Num, run.Aside(e.State): // what we entered is gone, or is in another link
		check.Fate = record.RoomStands
		return r.store.NoteRoomCheck(ctx, r.Lease, link, check)
	case e.State.Doubted(), pair.State == record.LinkUnsure: // it may be gone, or a change of it got no answer yet
		return nil
	}
	return r.askNow(ctx, asker, pair, check, entered)
}

// askNow asks for the room of a booking that is there, does what follows, and notes it.
func (r *Room) askNow(ctx context.Context, asker connectors.Asker, pair record.Pair, check record.RoomCheck, entered record.Fields) error {
	b := r.Job.Booking
	s, err := r.refer.SideOf(ctx, b.Authority, pair.Sides[b.Authority])
	if err != nil {
		return err
	}
	if check.Fate == record.RoomGivesWay {
		if check.Fate, err = r.givesOrGave(ctx, pair.Link, check); err != nil {
			return err
		}
	}
	shown := r.shown(s, entered)
	check = seenAgain(check, shown)
	if moved, err := r.movedAcross(ctx, pair); err != nil {
		return err
	} else if moved && check.Fate != record.RoomGaveWay {
		check.Fate = record.RoomTouched
	}
	free := shown.Dead
	if !free {
		if free, err = asker.Accepts(ctx, s.Ref, s.Native, r.MarkOf(pair.Entity)); err != nil {
			return err
		}
	}
	was := check.Fate
	next, stands := decideRoom(check, free, time.Now())
	check.Fate = next
	switch {
	case stands != "":
		err = r.TellStands(ctx, s.Since, "has no room any more by accept_if", stands)
	case was == record.RoomGivesWay && !next.GivesWay():
		err = r.TellFree(ctx, s.Since)
	case next == record.RoomGivesWay:
		if err := r.store.NoteRoomCheck(ctx, r.Lease, pair.Link, check); err != nil { // if the run is killed, the next one tells the other side
			return err
		}
		check.Fate, err = r.giveWay(ctx, pair, s)
	}
	if err != nil {
		return err
	}
	return r.store.NoteRoomCheck(ctx, r.Lease, pair.Link, check)
}

// givesOrGave returns RoomGaveWay if the journal has that a booking gave way, and RoomGivesWay otherwise. A run that
// was killed right after the change was answered did not note it with the room.
func (r *Room) givesOrGave(ctx context.Context, link record.LinkID, check record.RoomCheck) (record.RoomFate, error) {
	b := r.Job.Booking
	made, err := r.store.Written(ctx, link, check.Asked)
	gave := slices.ContainsFunc(made, func(in record.Intent) bool {
		return in.Place.Side == b.Authority && slices.ContainsFunc(in.Fields, func(f record.FieldReason) bool {
			return f.Field == b.Status && f.After.Text() == b.Refused
		})
	})
	if gave {
		return record.RoomGaveWay, err
	}
	return record.RoomGivesWay, err
}

// movedAcross reports whether the other side shows other days or another guest than the two were last settled on.
// Example: the guest has moved the booking on the platform, and the next run brings that to the PMS.
func (r *Room) movedAcross(ctx context.Context, pair record.Pair) (bool, error) {
	other := r.Job.Booking.Authority.Other()
	s, err := r.refer.SideOf(ctx, other, pair.Sides[other])
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(r.PlacedBy(), func(field string) bool {
		was, now := s.Settled[field], s.Now[field]
		return was.Known() && now.Observed() && !was.Same(s.Key, now)
	}), nil
}

// decidedSince reports whether the status or the days of a booking are others than those that it was entered with. The
// status of bookings that wait for an answer says nothing: a system may give it to all that are entered.
func (r *Room) decidedSince(entered record.Fields, s run.SeenSide) bool {
	if entered == nil {
		return false
	}
	b := r.Job.Booking
	was, _ := r.Job.Mapping.Read(b.Authority, entered)
	differs := func(f string) bool {
		return was[f].Observed() && s.Now[f].Observed() && !s.Now[f].Equal(was[f])
	}
	if differs(b.First) || differs(b.Last) {
		return true
	}
	now := s.Now[b.Status]
	unsent := !was[b.Status].Observed() && b.Pending != "" && !now.Empty()
	return now.Observed() && now.Text() != b.Pending && (unsent || differs(b.Status))
}

// tellSoldTwice tells the desk that a room was sold twice, and what becomes of our booking.
func (r *Room) tellSoldTwice(ctx context.Context, s run.SeenSide, becomes string) error {
	return r.TellRoom(ctx, s.Entry, fmt.Sprintf("%s was sold twice in the same moment: the booking that came from %s %s",
		s.Ref, r.Side(r.Job.Booking.Authority.Other()).System, becomes))
}

// refuses reports whether an action takes a linked booking back on the side with authority.
func (r *Room) refuses(a plan.Action) bool {
	b := r.Job.Booking
	tells := func(f record.FieldReason) bool { return f.Field == b.Status && f.After.Text() == b.Refused }
	return b != nil && b.Refused != "" && a.Link != 0 && a.Side == b.Authority && slices.ContainsFunc(a.Fields, tells)
}

// gaveWay is called after each action. If the action took a booking back on the side with authority, because its room
// was sold twice, the other side of that booking must be told. Both records of the link look unchanged then, so gaveWay
// marks the link to be decided again, and returns the record of the other side to be read first. For any other action
// it returns nothing.
func (r *Room) gaveWay(ctx context.Context, a plan.Action) ([]run.ToRead, error) {
	b := r.Job.Booking
	if !r.refuses(a) {
		return nil, nil
	}
	pair, ok, err := r.store.Pair(ctx, a.Link)
	if err != nil || !ok {
		return nil, err
	}
	other := pair.Sides[b.Authority.Other()]
	return []run.ToRead{{Side: other.Place.Side, Ref: other.Ref}}, r.store.Touch(ctx, r.Lease, []int64{pair.Sides[0].Num, pair.Sides[1].Num})
}
