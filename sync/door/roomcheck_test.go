package door

import (
	"testing"
	"time"

	"nightporter/sync/record"
)

// What becomes of a booking follows from its fate, from whether its room is free, and from the time.
func TestDecideRoom(t *testing.T) {
	type next struct {
		fate   record.RoomFate
		stands string
	}
	const (
		open, touched, held = record.RoomOpen, record.RoomTouched, record.RoomHeld
		gives, gave, stands = record.RoomGivesWay, record.RoomGaveWay, record.RoomStands
	)
	for fate, want := range map[record.RoomFate]struct{ soonFree, soonSold, lateFree, lateSold next }{
		open:    {next{open, ""}, next{gives, ""}, next{stands, ""}, next{stands, standsLate}},
		touched: {next{touched, ""}, next{touched, standsTouched}, next{stands, ""}, next{stands, standsTouched}},
		held:    {next{held, ""}, next{gives, ""}, next{held, ""}, next{held, ""}},
		gives:   {next{open, ""}, next{gives, ""}, next{stands, ""}, next{stands, standsLate}},
		gave:    {next{gave, ""}, next{gave, ""}, next{gave, ""}, next{gave, ""}},
		stands:  {next{stands, ""}, next{stands, ""}, next{stands, ""}, next{stands, ""}},
	} {
		asked := time.Unix(1000, 0)
		for name, x := range map[string]struct {
			free bool
			at   time.Time
			want next
		}{
			"free":       {true, asked.Add(askFor - 1), want.soonFree},
			"sold":       {false, asked.Add(askFor - 1), want.soonSold},
			"free, late": {true, asked.Add(askFor), want.lateFree},
			"sold, late": {false, asked.Add(askFor), want.lateSold},
		} {
			var got next
			got.fate, got.stands = decideRoom(record.RoomCheck{Asked: asked, Fate: fate}, x.free, x.at)
			if got != x.want {
				t.Errorf("%q, %s: got %v, want %v", fate, name, got, x.want)
			}
		}
	}
}

// A booking that shows another thing than it showed first was touched, also if it is put back. One that was to give way
// and is over gave way.
func TestSeenAgain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		check record.RoomCheck
		now   shownNow
		fate  record.RoomFate
		shown string
	}{
		{"nothing shown yet", record.RoomCheck{}, shownNow{}, record.RoomOpen, ""},
		{"shown for the first time", record.RoomCheck{}, shownNow{Digest: "a"}, record.RoomOpen, "a"},
		{"changed before it was shown", record.RoomCheck{}, shownNow{Digest: "a", Changed: true}, record.RoomTouched, "a"},
		{"as it was shown first", record.RoomCheck{Shown: "a"}, shownNow{Digest: "a", Changed: true}, record.RoomOpen, "a"},
		{"changed since", record.RoomCheck{Shown: "a"}, shownNow{Digest: "b"}, record.RoomTouched, "a"},
		{"put back", record.RoomCheck{Shown: "a", Fate: record.RoomTouched}, shownNow{Digest: "a"}, record.RoomTouched, "a"},
		{"not shown any more", record.RoomCheck{Shown: "a"}, shownNow{}, record.RoomOpen, "a"},
		{"the desk ended it", record.RoomCheck{Shown: "a"}, shownNow{Digest: "b", Dead: true}, record.RoomTouched, "a"},
		{"it was to give way, and is over", record.RoomCheck{Shown: "a", Fate: record.RoomGivesWay}, shownNow{Digest: "b", Dead: true}, record.RoomGaveWay, "a"},
		{"it gave way, and was taken back", record.RoomCheck{Shown: "a", Fate: record.RoomGaveWay}, shownNow{Digest: "a"}, record.RoomTouched, "a"},
		{"it was to give way, and was changed", record.RoomCheck{Shown: "a", Fate: record.RoomHeld}, shownNow{Digest: "b"}, record.RoomTouched, "a"},
	} {
		if got := seenAgain(tt.check, tt.now); got.Fate != tt.fate || got.Shown != tt.shown {
			t.Errorf("%s: got %q and %q, want %q and %q", tt.name, got.Fate, got.Shown, tt.fate, tt.shown)
		}
	}
}
