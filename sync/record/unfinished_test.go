package record_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"nightporter/sync/record"
)

func TestUnfinishedNext(t *testing.T) {
	ended := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	u := record.Unfinished{Since: ended, Within: 24 * time.Hour}
	for _, tt := range []struct{ age, next time.Duration }{
		{0, time.Minute},
		{90 * time.Second, 150 * time.Second},
		{2 * time.Minute, 3 * time.Minute},
		{time.Hour, 90 * time.Minute},
		{15 * time.Hour, 22*time.Hour + 30*time.Minute},
		{16 * time.Hour, 24 * time.Hour},
		{30 * time.Hour, 45 * time.Hour}, // no read was answered so far
		{300 * time.Hour, 324 * time.Hour},
		{20 * time.Hour, 24 * time.Hour},             // never past the end without a read at it
		{-time.Hour, -time.Hour + time.Minute},       // clocks that disagree
		{24*time.Hour - time.Second, 24 * time.Hour}, // and not a minute after it
	} {
		if got := u.Next(ended.Add(tt.age)).Sub(ended); got != tt.next {
			t.Errorf("read at %s: got the next at %s, want %s", tt.age, got, tt.next)
		}
	}
}

// However often it is asked, a record is read a bounded number of times until it is
// over: this is what a call costs that never gets a transcript.
func TestUnfinishedIsBounded(t *testing.T) {
	const most = 20
	rapid.Check(t, func(t *rapid.T) {
		u := record.Unfinished{Since: time.Unix(1_800_000_000, 0), Within: 24 * time.Hour}
		now := u.Since.Add(time.Duration(rapid.Int64Range(0, int64(u.Within)).Draw(t, "age when first read")))
		reads := 1
		for now.Before(u.Over()) {
			next := u.Next(now)
			if next.Sub(now) < time.Minute && !next.Equal(u.Over()) {
				t.Fatalf("read at %s and again at %s", now, next)
			}
			late := time.Duration(rapid.Int64Range(0, int64(10*time.Minute)).Draw(t, "late"))
			now = next.Add(late) // it is read by the run that comes next
			reads++
		}
		if reads > most {
			t.Fatalf("%d reads in a day, want %d at most", reads, most)
		}
	})
}
