package statetest

import (
	"testing"

	"nightporter/sync/record"
)

// roomChecked: what asking for the room of a booking has shown is kept for its link, and replaced.
func roomChecked(_ *testing.T, h *House) {
	first, other := h.linkedAs("1", text("name", "Ada")), h.linkedAs("2", text("name", "Eve"))
	for _, c := range []record.RoomCheck{
		{Asked: h.Now, Shown: "a"}, {Asked: h.Now, Shown: "a", Fate: record.RoomTouched}, {Asked: h.Now, Shown: "b", Fate: record.RoomGaveWay},
	} {
		c.Entry = h.entry(left, "l1").Num
		h.ok(h.Store.NoteRoomCheck(h.Ctx, h.Lease, first, c))
		got, ok, err := h.Store.RoomCheck(h.Ctx, first)
		h.ok(err)
		is(h, "noted", ok, true)
		is(h, "when it was asked for", got.Asked.Equal(c.Asked), true)
		got.Asked = c.Asked
		is(h, "what is known", got, c)
	}
	_, ok, err := h.Store.RoomCheck(h.Ctx, other)
	h.ok(err)
	is(h, "noted of another booking", ok, false)
}
