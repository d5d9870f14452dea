package door

import (
	"slices"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// askFor is how long a booking may still give way, counted from the first question about its room.
const askFor = 2 * time.Minute

// becomes is what becomes of a booking that we entered, once its room was asked for again.
type becomes int

const (
	itStands  becomes = iota // there is room for it
	itIsTold                 // it stands without a room, and the desk is told
	itGoesWay                // it gives way
)

// shownNow is what a booking shows when its room is asked for.
type shownNow struct {
	Digest  string // of its status, days and guest; "" if no read has shown them yet
	Changed bool   // they are others than those that it was entered with
	Dead    bool   // it takes no room
}

// seenAgain adds to what is known of a room what its booking shows now. If the booking shows another status, other
// days or another guest than it showed first, somebody has decided about it. That stays so if it is put back.
func seenAgain(c record.RoomCheck, s shownNow) record.RoomCheck {
	if c.Shown == "" {
		c.Changed = c.Changed || s.Changed
		c.Shown = s.Digest
	}
	c.Changed = c.Changed || s.Dead || s.Digest != "" && s.Digest != c.Shown
	return c
}

// decideRoom says what becomes of a booking. A booking gives way only if nobody has changed it, and only within askFor:
// later, the desk may have sold the room because it knows better. The first question after askFor is the last one (Over).
func decideRoom(c record.RoomCheck, dead, free bool, now time.Time) (becomes, record.RoomCheck) {
	late := now.Sub(c.Asked) >= askFor
	c.Over = late
	switch {
	case dead, free:
		return itStands, c
	case c.Changed, late:
		return itIsTold, c
	}
	return itGoesWay, c
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
