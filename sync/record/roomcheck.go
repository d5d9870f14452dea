package record

import "time"

// RoomFate says what becomes of a booking that we entered, by what asking for its room again has shown.
type RoomFate string

// The fates of a booking. Only a booking whose fate is RoomOpen, RoomHeld or RoomGivesWay may still give way.
const (
	RoomOpen     RoomFate = ""          // nobody has changed it: it gives way if its room is gone
	RoomTouched  RoomFate = "touched"   // somebody has changed it since: it stands, and the desk is told if its room is gone
	RoomHeld     RoomFate = "held"      // it gives way if a person says so
	RoomGivesWay RoomFate = "gives_way" // it is to give way, and nobody knows yet that its system took that
	RoomGaveWay  RoomFate = "gave_way"  // it gave way; if it is taken back, it counts as changed
	RoomStands   RoomFate = "stands"    // it stands, and its room is never asked for again
)

// GivesWay reports whether it was decided that the booking gives way: if it is over in its system, the other side is to
// be told so.
func (f RoomFate) GivesWay() bool { return f == RoomHeld || f == RoomGivesWay || f == RoomGaveWay }

// RoomCheck is what we know about the room of a booking that we entered. A run asks for the room again and notes this.
type RoomCheck struct {
	Entry int64     // the record that was entered: a person may have joined the link with another one since
	Asked time.Time // when its room was first asked for
	Shown string    // a digest of the status, the days and the guest that a read showed first; "" if none did yet
	Fate  RoomFate
}
