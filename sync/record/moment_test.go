package record

import (
	"testing"
	"time"
	_ "time/tzdata"
)

// A time that is told names the zone that it is meant in, also in the hour that comes twice.
func TestOutsideAMomentNamesItsZone(t *testing.T) {
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[time.Time]string{
		{}: "",
		time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC):    "2026-07-01 14:00:00 CEST",
		time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC):  "2026-10-25 02:30:00 CEST",
		time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC):  "2026-10-25 02:30:00 CET",
		time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC): "2027-01-01 00:30:00 CET",
	} {
		if got := Moment(at, rome); got != want {
			t.Errorf("%s: got %q, want %q", at, got, want)
		}
	}
}
