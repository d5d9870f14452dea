package serve

import (
	"testing"
	"time"

	"nightporter/sync/record"
)

// A record that others wait for is asked for again after a while, whoever waits, and
// at once when the clock was set back.
func TestChaseIsBounded(t *testing.T) {
	var c chase
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	w := record.Wait{Binding: "guests", Ref: record.Ref{Kind: "contacts", ID: "7"}}
	other := w
	other.Ref.ID = "8"
	for _, step := range []struct {
		name string
		w    record.Wait
		at   time.Duration
		want bool
	}{
		{"the first time", w, 0, true},
		{"right after", w, time.Second, false},
		{"by another that waits", record.Wait{Entry: 5, Binding: w.Binding, Ref: w.Ref, Since: now}, time.Second, false},
		{"another record", other, time.Second, true},
		{"later", w, chaseEvery, true},
		{"the clock was set back", w, 0, true},
	} {
		if got := c.again(step.w, now.Add(step.at)); got != step.want {
			t.Errorf("%s: got %v, want %v", step.name, got, step.want)
		}
	}
}
