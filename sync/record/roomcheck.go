package record

import "time"

// RoomCheck is what we know about the room of a booking that we entered. A run asks for the room again and notes this.
type RoomCheck struct {
	Entry   int64     // the record that was entered: a person may have joined the link with another one since
	Asked   time.Time // when its room was first asked for
	Shown   string    // a digest of the status, the days and the guest that a read showed first; "" if none did yet
	Changed bool      // somebody has changed one of these since, even if it is as it was by now
	GaveWay bool      // it was decided that the booking gives way, and the other side is to be told
	Over    bool      // it is decided what becomes of the booking: its room is never asked for again
}
