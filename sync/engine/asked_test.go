package engine

import (
	"context"
	"testing"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// journal is a store of which the runs are asked, and when creates are asked for.
type journal struct {
	run.Bounds
	run.Sent
	runs  []record.Run // newest first
	since time.Time
}

func (j *journal) Runs(_ context.Context, _ record.Binding, n int) ([]record.Run, error) {
	return j.runs[:min(n, len(j.runs))], nil
}

func (j *journal) Created(_ context.Context, _ record.Place, since time.Time) ([]record.Intent, error) {
	j.since = since
	return nil, nil
}

// askFor is how far back the first run asks, as package door has it.
const askFor = 2 * time.Minute

// Bookings are asked for again until a run has ended that came so far as to ask, two minutes after they were entered,
// however long nobody ran since.
func TestAskAgainLooksBack(t *testing.T) {
	const end = 10 * time.Second // how long a run takes
	now := time.Now()
	run := func(ago time.Duration, outcome record.Outcome) record.Run {
		return record.Run{ID: int64(ago), Started: now.Add(-ago), Ended: now.Add(end - ago), Outcome: outcome}
	}
	dry := run(5*time.Minute, record.Done)
	dry.Dry = true
	var failing []record.Run
	for i := range 700 {
		failing = append(failing, run(time.Duration(i+10)*time.Second, record.Failed))
	}
	current := run(0, record.Running)
	for _, tt := range []struct {
		name string
		runs []record.Run
		want time.Duration
	}{
		{"a run a moment ago", []record.Run{run(time.Minute, record.Done)}, time.Minute - end + askFor},
		{"a run an hour ago", []record.Run{run(time.Hour, record.Done), run(2*time.Hour, record.Done)}, time.Hour - end + askFor},
		{"killed an hour ago", []record.Run{run(time.Hour, record.Broken), run(2*time.Hour, record.Done)}, 2*time.Hour - end + askFor},
		{"failed since", []record.Run{run(time.Minute, record.Failed), run(time.Hour, record.Halted), run(2*time.Hour, record.Waits)}, 2*time.Hour - end + askFor},
		{"a dry run asks nothing", []record.Run{dry, run(time.Hour, record.Done)}, time.Hour - end + askFor},
		{"failed for long", append(failing, run(5*time.Hour, record.Done)), 5*time.Hour - end + askFor},
		{"never came to its end", []record.Run{run(time.Minute, record.Broken), run(3*time.Hour, record.Broken)}, 3*time.Hour + askFor},
		{"the first run", nil, askFor},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := &journal{runs: append([]record.Run{current}, tt.runs...)}
			job := &Job{Binding: "stays", Booking: &Booking{Asks: true, Authority: record.Right}}
			r := newRun(&Engine{House{Stores: Stores{Bounds: store, Sent: store}}}, job, record.Lease{Run: current.ID}, Options{})
			if err := r.askAgain(t.Context()); err != nil {
				t.Fatal(err)
			}
			// What counts from this moment is later than now by what the test took so far.
			if got := now.Sub(store.since); got > tt.want || got < tt.want-time.Since(now) {
				t.Errorf("asked for what was entered in the last %s, want %s", got, tt.want)
			}
		})
	}
}
