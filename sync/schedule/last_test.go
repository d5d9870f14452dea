package schedule

import (
	"testing"
	"time"
)

// The last slot of twenty years is found in few looks, and not by walking through all of them.
func TestOutside38LastLooksAtFewSlots(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 30, 0, time.UTC)
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"every 1m": "2026-11-21T11:00", "* * * * *": "2026-11-21T11:00", "30 3 * * *": "2026-11-21T03:30", "0 12 29 2 *": "2024-02-29T12:00",
	} {
		s, err := Parse(text, rome)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Last(now.AddDate(-20, 0, 0), now); got.Civil != want {
			t.Errorf("Last of %q is %s, want %s", text, got.Civil, want)
		}
		looks := 0
		got := lastBy(func(at time.Time) Slot { looks++; return s.Next(at) }, now.AddDate(-20, 0, 0), now)
		if got.Civil != want || looks > 100 {
			t.Errorf("%q: %s after a look at %d slots, want %s after 100 at most", text, got.Civil, looks, want)
		}
	}
}
