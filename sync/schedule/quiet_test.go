package schedule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nightporter/sync/schedule"
)

func quiet(t testing.TB, text, zone string) *schedule.Quiet {
	t.Helper()
	q, err := schedule.ParseQuiet(text, location(t, zone))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestQuiet(t *testing.T) {
	tests := map[string]struct {
		quiet, zone, at string
		end, next       string // wall clock; end is "" when not in quiet hours
	}{
		"before":                     {"02:00-03:15", "Europe/Rome", "2026-11-21T00:59:59Z", "", "11-21 02:00 +0100"},
		"begins":                     {"02:00-03:15", "Europe/Rome", "2026-11-21T01:00:00Z", "11-21 03:15 +0100", "11-22 02:00 +0100"},
		"ends":                       {"02:00-03:15", "Europe/Rome", "2026-11-21T02:15:00Z", "", "11-22 02:00 +0100"},
		"over midnight, before":      {"23:30-01:00", "Europe/Rome", "2026-11-21T22:45:00Z", "11-22 01:00 +0100", "11-22 23:30 +0100"},
		"over midnight, after":       {"23:30-01:00", "Europe/Rome", "2026-11-21T23:45:00Z", "11-22 01:00 +0100", "11-22 23:30 +0100"},
		"up to midnight":             {"23:00-24:00", "UTC", "2026-11-21T23:45:00Z", "11-22 00:00 +0000", "11-22 23:00 +0000"},
		"several, the second":        {"02:00-03:15, 13:00-14:00", "UTC", "2026-11-21T13:30:00Z", "11-21 14:00 +0000", "11-22 02:00 +0000"},
		"several that adjoin":        {"02:00-03:00,03:00-04:00, 03:30-05:00", "UTC", "2026-11-21T02:30:00Z", "11-21 05:00 +0000", "11-21 03:00 +0000"},
		"spring, over the gap":       {"01:30-03:15", "Europe/Rome", "2026-03-29T00:45:00Z", "03-29 03:15 +0200", "03-30 01:30 +0200"},
		"spring, ends in the gap":    {"01:30-02:30", "Europe/Rome", "2026-03-29T00:45:00Z", "03-29 03:00 +0200", "03-30 01:30 +0200"},
		"spring, begins in the gap":  {"02:30-03:15", "Europe/Rome", "2026-03-29T01:00:00Z", "03-29 03:15 +0200", "03-30 02:30 +0200"},
		"spring, wholly in the gap":  {"02:10-02:50", "Europe/Rome", "2026-03-29T01:00:00Z", "", "03-30 02:10 +0200"},
		"autumn, ends in 2nd pass":   {"01:30-02:30", "Europe/Rome", "2026-10-25T00:45:00Z", "10-25 02:30 +0100", "10-26 01:30 +0100"},
		"autumn, in the second pass": {"02:00-03:15", "Europe/Rome", "2026-10-25T01:10:00Z", "10-25 03:15 +0100", "10-26 02:00 +0100"},
		"autumn, begins in 1st pass": {"02:30-03:15", "Europe/Rome", "2026-10-25T00:30:00Z", "10-25 03:15 +0100", "10-26 02:30 +0100"},
		"on Sundays":                 {"sun 02:00-03:15", "Europe/Rome", "2026-11-21T01:30:00Z", "", "11-22 02:00 +0100"},
		"on Sundays, in them":        {"sun 02:00-03:15", "Europe/Rome", "2026-11-22T01:30:00Z", "11-22 03:15 +0100", "11-29 02:00 +0100"},
		"no midnight in Cairo":       {"00:00-02:00", "Africa/Cairo", "2026-04-23T22:00:00Z", "04-24 02:00 +0300", "04-25 00:00 +0300"},
		"half an hour, Lord Howe":    {"01:45-02:15", "Australia/Lord_Howe", "2026-10-03T15:20:00Z", "10-04 02:30 +1100", "10-05 01:45 +1100"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			q, loc, at := quiet(t, tt.quiet, tt.zone), location(t, tt.zone), instant(t, tt.at)
			end := ""
			if until, in := q.Until(at); in {
				end = until.In(loc).Format("01-02 15:04 -0700")
			}
			got := []string{end, q.Next(at).In(loc).Format("01-02 15:04 -0700")}
			if diff := cmp.Diff([]string{tt.end, tt.next}, got); diff != "" {
				t.Errorf("end and next of %q at %s (-want +got):\n%s", tt.quiet, tt.at, diff)
			}
		})
	}
}

func TestNoQuiet(t *testing.T) {
	for name, q := range map[string]*schedule.Quiet{"nil": nil, "zero": {}} {
		if _, in := q.Until(time.Unix(0, 0)); in || !q.Next(time.Unix(0, 0)).IsZero() {
			t.Errorf("%s Quiet has quiet hours", name)
		}
	}
}

func TestParseQuietRefuses(t *testing.T) {
	tests := map[string]string{
		"":                         `"02:00-03:15"`,
		"02:00":                    "not understood",
		"02:00-03:15;04:00-05:00":  "not understood",
		"02:60-03:15":              "no such time",
		"24:00-03:15":              "no such time",
		"02:00-24:01":              "no such time",
		"02:00-02:00":              "two different times",
		"00:00-24:00":              "no minute of the day",
		"08:00-20:00, 19:00-08:00": "no minute of the day",
	}
	for text, want := range tests {
		if q, err := schedule.ParseQuiet(text, time.UTC); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseQuiet(%q) = %v, %v, want an error that says %q", text, q, err, want)
		}
	}
}

// Quiet hours last exactly as long as Until says, minute by minute.
func TestQuietUntilIsTheFirstMinuteOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom([]string{"Europe/Rome", "Africa/Cairo", "Australia/Lord_Howe", "America/Sao_Paulo"}).Draw(t, "zone")
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		text := rapid.SampledFrom([]string{"02:00-03:15", "23:30-01:00, 00:30-02:10", "00:00-00:45", "13:00-14:00"}).Draw(t, "quiet")
		q, err := schedule.ParseQuiet(text, loc)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Unix(rapid.Int64Range(1.5e9/60, 1.8e9/60).Draw(t, "minute")*60, 0)
		end, in := q.Until(at)
		if !in {
			if next := q.Next(at); !next.After(at) {
				t.Fatalf("next quiet hours at %v, not after %v", next, at)
			} else if _, in := q.Until(next); !in {
				t.Fatalf("not quiet at %v, where quiet hours begin", next)
			} else if _, in := q.Until(next.Add(-time.Minute)); in {
				t.Fatalf("quiet a minute before %v, where quiet hours begin", next)
			}
			return
		}
		for m := at; m.Before(end); m = m.Add(time.Minute) {
			if e, in := q.Until(m); !in || !e.Equal(end) {
				t.Fatalf("at %v quiet is %v until %v, but at %v until %v", m, in, e, at, end)
			}
		}
		if e, in := q.Until(end); in {
			t.Fatalf("still quiet at %v, until %v", end, e)
		}
	})
}

// Quiet hours ended if some minute was quiet, and now none is: in every night of a changed
// clock too.
func TestQuietEndedIsThatItWasQuiet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom([]string{"Europe/Rome", "Africa/Cairo", "Australia/Lord_Howe", "America/Sao_Paulo"}).Draw(t, "zone")
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		text := rapid.SampledFrom([]string{"02:00-03:15", "02:10-02:50", "23:30-01:00, 00:30-02:10", "00:00-00:45", "20:00-09:00"}).Draw(t, "quiet")
		q, err := schedule.ParseQuiet(text, loc)
		if err != nil {
			t.Fatal(err)
		}
		nights := []string{"2026-03-29T00:00:00Z", "2026-10-25T00:00:00Z", "2026-04-23T22:00:00Z", "2026-10-03T15:00:00Z", "2018-11-04T03:00:00Z", "2026-05-04T00:00:00Z"}
		night, err := time.Parse(time.RFC3339, rapid.SampledFrom(nights).Draw(t, "night"))
		if err != nil {
			t.Fatal(err)
		}
		now := night.Add(time.Duration(rapid.IntRange(-600, 900).Draw(t, "minute")) * time.Minute)
		since := now.Add(-time.Duration(rapid.IntRange(0, 1440).Draw(t, "ago")) * time.Minute)
		quiet := false
		for at := since; at.Before(now); at = at.Add(time.Minute) {
			_, in := q.Until(at)
			quiet = quiet || in
		}
		_, still := q.Until(now)
		if got := q.Ended(since, now); got != (quiet && !still) {
			t.Fatalf("%q in %s from %s to %s: got %v; some minute was quiet: %v, now: %v", text, zone, since, now, got, quiet, still)
		}
	})
}
