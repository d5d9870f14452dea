package schedule

import (
	"testing"
	"time"
)

// Whatever is written as a cadence, it is refused or its slots follow each other: each
// later than the one before, the newest found from afar being the last of those found
// one by one, and what String gives read as the same cadence.
func FuzzSpec(f *testing.F) {
	for _, s := range []string{
		"every 2m", "03:30", "0 3 * * *", "@daily", "webhook", "webhook, or every 2m", "*/5 * * * *", "0 0 29 2 *", "0 0 31 2 *", "30 2 * * 0#1", "every 1ns", "every 9999999h",
		"24:00", "webhook or", "0 0 1 1 * 2026", "TZ=UTC 0 3 * * *", "CRON_TZ=Europe/Rome 0 3 * * *", "@every 1s", "0-59/61 * * * *", "? ? ? ? ?",
	} {
		f.Add(s, int64(1774706400), uint8(0))
		f.Add(s, int64(1792886400), uint8(1))
	}
	var zones []*time.Location
	for _, name := range []string{"Europe/Rome", "Australia/Lord_Howe", "Africa/Cairo", "UTC"} {
		z, err := time.LoadLocation(name)
		if err != nil {
			f.Fatal(err)
		}
		zones = append(zones, z)
	}
	f.Fuzz(func(t *testing.T, text string, unix int64, at uint8) {
		if unix < 946684800 || unix > 4102444800 { // 2000 to 2100
			return
		}
		z := zones[int(at)%len(zones)]
		s, err := Parse(text, z)
		if err != nil {
			return
		}
		again, err := Parse(s.String(), z)
		if err != nil || again.String() != s.String() || again.Timed() != s.Timed() || again.Webhook() != s.Webhook() || again.Interval() != s.Interval() {
			t.Fatalf("%q is %q, and that %v (%v)", text, s, again, err)
		}
		from := time.Unix(unix, 0)
		last := from
		var slots []Slot
		for range 5 {
			n := s.Next(last)
			if n.IsZero() {
				break
			}
			if !n.At.After(last) || again.Next(last) != n {
				t.Fatalf("%q: behind %s comes %s", text, last, n.At)
			}
			slots, last = append(slots, n), n.At
		}
		if len(slots) > 0 && !s.Timed() {
			t.Fatalf("%q has no slots, and has %+v", text, slots)
		}
		for i, n := range slots {
			if got := s.Last(from, n.At); got != slots[i] {
				t.Fatalf("%q: the newest of %s to %s is %+v, want %+v", text, from, n.At, got, slots[i])
			}
		}
	})
}
