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
		{"mon-fri 09:00-20:00", "2026-05-08 20:00", "2026-05-11 09:00"}, // a Friday
		{"mon-fri 09:00-20:00", "2026-05-09 12:00", "2026-05-11 09:00"},
		{"mon-fri 09:00-20:00", "2026-05-11 12:00", ""},
		{"Mon-Fri 09:00-20:00, sat 10:00-13:00", "2026-05-09 09:30", "2026-05-09 10:00"},
		{"Mon-Fri 09:00-20:00, sat 10:00-13:00", "2026-05-09 12:00", ""},
		{"fri 20:00-02:00", "2026-05-09 01:00", ""},
		{"fri 20:00-02:00", "2026-05-09 02:00", "2026-05-15 20:00"},
		{"sat 20:00-02:00", "2026-05-10 01:59", ""}, // a Sunday, where the week begins
		{"fri-mon 09:00-20:00", "2026-05-10 12:00", ""},
		{"fri-mon 09:00-20:00", "2026-05-12 12:00", "2026-05-15 09:00"},
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
	for _, bad := range []string{"", "9-20", "09:00-25:00", "09:00-09:00", "lun 09:00-20:00", "mon-fri", "mon-fri 09:00-12:00, 15:00-20:00"} {
		if _, err := ParseOpen(bad, rome); err == nil || !strings.Contains(err.Error(), "hours") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

// What waited for hours to begin is told so once, at the first look when they have, and at none
// when they end or go on over midnight.
func TestHoursHaveBegun(t *testing.T) {
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		if text == "" {
			return time.Time{}
		}
		v, err := time.Parse("2006-01-02 15:04:05 -0700", text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for name, c := range map[string]struct {
		open, since, now string
		want             bool
	}{
		"not yet":                      {"09:00-20:00", "2026-05-04 08:59:58 +0200", "2026-05-04 08:59:59 +0200", false},
		"the moment they begin":        {"09:00-20:00", "2026-05-04 08:59:59 +0200", "2026-05-04 09:00:00 +0200", true},
		"told already":                 {"09:00-20:00", "2026-05-04 09:00:00 +0200", "2026-05-04 09:00:01 +0200", false},
		"they end":                     {"09:00-20:00", "2026-05-04 19:59:59 +0200", "2026-05-04 20:00:00 +0200", false},
		"the second of the day":        {"09:00-12:30, 15:00-20:00", "2026-05-04 14:59:59 +0200", "2026-05-04 15:00:00 +0200", true},
		"both, while nobody looked":    {"09:00-12:30, 15:00-20:00", "2026-05-04 08:00:00 +0200", "2026-05-04 13:00:00 +0200", false},
		"over midnight, they begin":    {"20:00-02:00", "2026-05-04 19:59:59 +0200", "2026-05-04 20:00:00 +0200", true},
		"over midnight, they go on":    {"20:00-02:00", "2026-05-04 23:59:59 +0200", "2026-05-05 00:00:00 +0200", false},
		"over midnight, they end":      {"20:00-02:00", "2026-05-05 01:59:59 +0200", "2026-05-05 02:00:00 +0200", false},
		"over midnight, in two parts":  {"20:00-24:00, 00:00-02:00", "2026-05-04 23:59:59 +0200", "2026-05-05 00:00:00 +0200", false},
		"the whole day":                {"00:00-24:00", "", "2026-05-04 03:00:00 +0200", false},
		"never looked, in them":        {"09:00-20:00", "", "2026-05-04 12:00:00 +0200", true},
		"never looked, outside":        {"09:00-20:00", "", "2026-05-04 21:00:00 +0200", false},
		"nobody looked for days":       {"09:00-20:00", "2026-05-01 10:00:00 +0200", "2026-05-04 12:00:00 +0200", true},
		"the clock was set back":       {"09:00-20:00", "2026-05-04 12:00:00 +0200", "2026-05-04 11:00:00 +0200", false},
		"spring, the night before":     {"09:00-20:00", "2026-03-29 08:59:59 +0200", "2026-03-29 09:00:00 +0200", true},
		"spring, an hour too late":     {"09:00-20:00", "2026-03-29 09:59:59 +0200", "2026-03-29 10:00:00 +0200", false},
		"spring, in the gap":           {"02:30-05:00", "2026-03-29 01:59:59 +0100", "2026-03-29 03:00:00 +0200", true},
		"spring, after the gap":        {"02:30-05:00", "2026-03-29 03:29:59 +0200", "2026-03-29 03:30:00 +0200", false},
		"spring, shut in the gap":      {"02:50-02:10", "2026-03-29 01:59:59 +0100", "2026-03-29 03:00:00 +0200", false},
		"autumn, in the first pass":    {"02:30-05:00", "2026-10-25 02:29:59 +0200", "2026-10-25 02:30:00 +0200", false},
		"autumn, in the second pass":   {"02:30-05:00", "2026-10-25 02:29:59 +0100", "2026-10-25 02:30:00 +0100", true},
		"after the weekend":            {"mon-fri 09:00-20:00", "2026-05-08 21:00:00 +0200", "2026-05-11 09:00:00 +0200", true},
		"midnight of the weekend":      {"mon-fri 09:00-20:00", "2026-05-08 21:00:00 +0200", "2026-05-10 00:00:00 +0200", false},
		"told on Monday":               {"mon-fri 09:00-20:00", "2026-05-11 09:00:00 +0200", "2026-05-11 12:00:00 +0200", false},
		"days without a shut minute":   {"mon-thu 00:00-24:00", "2026-05-10 12:00:00 +0200", "2026-05-14 12:00:00 +0200", true},
		"autumn, they end in the pass": {"01:00-02:30", "2026-10-25 02:59:59 +0200", "2026-10-25 02:00:00 +0100", false},
	} {
		q, err := ParseOpen(c.open, rome)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.Ended(at(c.since), at(c.now)); got != c.want {
			t.Errorf("%s: %s, from %s to %s: got %v, want %v", name, c.open, c.since, c.now, got, c.want)
		}
	}
	if (*Quiet)(nil).Ended(time.Time{}, time.Now()) {
		t.Error("no hours have begun")
	}
}
