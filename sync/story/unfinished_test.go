package story

import (
	"slices"
	"testing"
	"time"

	"nightporter/sync/record"
)

func TestUnfinished(t *testing.T) {
	waits := record.Unfinished{Since: day(2), Within: 24 * time.Hour}
	ended := waits
	ended.Ended = day(3).Add(time.Minute)
	failed := waits
	failed.Failed = "HTTP 500"
	for _, tt := range []struct {
		name  string
		u     record.Unfinished
		lacks []string
		want  string
	}{
		{
			"it is waited for", waits,
			[]string{"transcript", "summary"},
			"what comes later of it, transcript and summary, is not there yet in platform: it is waited for until 2026-05-03 10:00:00 UTC, and read again from 2026-05-02 16:00:00 UTC on",
		},
		{"it can't be read", failed, []string{"summary"}, "summary of it can't be read in platform: HTTP 500; it is asked for again from 2026-05-02 16:00:00 UTC on"},
		{"it goes on", waits, nil, "it still goes on in platform: it is waited for until 2026-05-03 10:00:00 UTC, and read again from 2026-05-02 16:00:00 UTC on"},
		{
			"it was waited for", ended,
			[]string{"summary"},
			"at 2026-05-03 10:01:00 UTC there was no summary in platform, and it counts as finished without: it had been waited for since 2026-05-02 10:00:00 UTC",
		},
		{"it went on for too long", ended, nil, "at 2026-05-03 10:01:00 UTC it still went on in platform: it counts as finished, as it is"},
	} {
		f := inStep()
		u := tt.u
		u.Lacks = tt.lacks
		f.Sides[record.Left].Entry.Unfinished, f.Sides[record.Left].Entry.Recheck = &u, day(2).Add(6*time.Hour)
		s := Tell(f)
		if !slices.Contains(s.Notes, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, s.Notes, tt.want)
		}
		if !s.InStep {
			t.Errorf("%s: it is said not to be in step: %q", tt.name, s.Why)
		}
	}
}
