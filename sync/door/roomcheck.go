package door

import (
	"slices"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// askFor is how long a booking may still give way, counted from the first question about its room.
const askFor = 2 * time.Minute

// Why a booking without a room stands, as the desk is told.
const (
	standsTouched = "it was changed since it was entered"
	standsLate    = "it was found too late to give way"
)

// shownNow is what a booking shows when its room is asked for.
type shownNow struct {
	Digest  string // of its status, days and guest; "" if no read has shown them yet
	Changed bool   // they are others than those that it was entered with
	Dead    bool   // it takes no room
}

// seenAgain adds to what is known of a room what its booking shows now. If the booking shows another status, other
// days or another guest than it showed first, somebody has decided about it. That stays so if it is put back. If it is
// over and was to give way, it gave way. If it gave way and is there again, somebody took that back.
func seenAgain(c record.RoomCheck, s shownNow) record.RoomCheck {
	touched := s.Dead || s.Changed && c.Shown == "" || c.Shown != "" && s.Digest != "" && s.Digest != c.Shown
	if c.Shown == "" {
		c.Shown = s.Digest
	}
	switch {
	case s.Dead && c.Fate.GivesWay():
		c.Fate = record.RoomGaveWay
	case touched, !s.Dead && c.Fate == record.RoomGaveWay: // what gave way was taken back
		c.Fate = record.RoomTouched
	}
	return c
}

// decideRoom decides what becomes of a booking, once its room was asked for. A booking gives way only if nobody has
// changed it, and only within askFor: later, the desk may have sold the room because it knows better. The first
// question after askFor is the last one. A booking that waits for a person is left to that person then. It also
// returns why a booking without a room stands, or "".
func decideRoom(c record.RoomCheck, free bool, now time.Time) (next record.RoomFate, stands string) {
	late := now.Sub(c.Asked) >= askFor
	kept := func(within record.RoomFate) record.RoomFate {
		if late {
			return record.RoomStands
		}
		return within
	}
	switch {
	case c.Fate == record.RoomStands, c.Fate == record.RoomGaveWay, c.Fate == record.RoomHeld && (late || free):
		return c.Fate, ""
	case free && c.Fate == record.RoomGivesWay:
		return kept(record.RoomOpen), ""
	case free:
		return kept(c.Fate), ""
	case c.Fate == record.RoomTouched:
		return kept(c.Fate), standsTouched
	case late:
		return record.RoomStands, standsLate
	}
	return record.RoomGivesWay, ""
}

// shown is what a booking shows of what the desk may decide about it.
func (r *Room) shown(s run.SeenSide, entered record.Fields) shownNow {
	b := r.Job.Booking
	names := []string{b.Status, b.First, b.Last}
	for _, ref := range r.Job.References {
		names = append(names, ref.Field)
	}
	out := shownNow{Changed: r.decidedSince(entered, s), Dead: slices.Contains(b.Dead, s.Now[b.Status].Text())}
	values := record.Fields{}
	for _, name := range names {
		onlySent := func(path string) bool { return slices.Contains(s.Since.Sent, path) }
		if slices.ContainsFunc(r.Job.Mapping.Inputs(b.Authority, name), onlySent) {
			return out
		}
		if v := s.Now[name]; v.Observed() {
			values[name] = v
		}
	}
	out.Digest = values.Digest().String()
	if r.Job.Seal != nil {
		out.Digest = record.Seal(r.Job.Seal, record.OfText(out.Digest)).Text()
	}
	return out
}
