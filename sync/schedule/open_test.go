package schedule

import (
	"strings"
	"testing"
	"time"
)

// Outside of the hours named nothing is open, and what is shut ends when they begin.
func TestParseOpen(t *testing.T) {
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		v, err := time.ParseInLocation("2006-01-02 15:04", text, rome)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct{ open, at, until string }{
		{"09:00-20:00", "2026-05-04 09:00", ""},
		{"09:00-20:00", "2026-05-04 19:59", ""},
		{"09:00-20:00", "2026-05-04 20:00", "2026-05-05 09:00"},
		{"09:00-20:00", "2026-05-05 00:00", "2026-05-05 09:00"},
		{"09:00-12:30, 15:00-20:00", "2026-05-04 13:00", "2026-05-04 15:00"},
		{"20:00-02:00", "2026-05-04 01:00", ""},
		{"20:00-02:00", "2026-05-04 02:00", "2026-05-04 20:00"},
		{"00:00-24:00", "2026-05-04 03:00", ""},
		{"09:00-20:00", "2026-03-29 08:59", "2026-03-29 09:00"}, // the clock was put on in that night
		{"02:30-03:30", "2026-10-25 01:00", "2026-10-25 02:30"},
	} {
		q, err := ParseOpen(c.open, rome)
		if err != nil {
			t.Fatal(err)
		}
		end, shut := q.Until(at(c.at))
		if shut != (c.until != "") || shut && end.In(rome).Format("2006-01-02 15:04") != c.until {
			t.Errorf("%s at %s: got %v until %s, want until %q", c.open, c.at, shut, end, c.until)
		}
	}
	for _, bad := range []string{"", "9-20", "09:00-25:00", "09:00-09:00"} {
		if _, err := ParseOpen(bad, rome); err == nil || !strings.Contains(err.Error(), "hours") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}
