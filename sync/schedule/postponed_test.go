package schedule_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/schedule"
)

// A run that is postponed is made when it says so, or on request, and is no failure.
func TestPostponedRunStaysDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs []time.Duration
		begun := time.Now()
		until := begun.Add(10 * time.Minute)
		l := schedule.NewMemory()
		r, err := schedule.New(t.Context(), []schedule.Job{{Binding: "guests", Left: spec(t, "every 1m", "UTC")}}, schedule.Options{
			Ledger: l, Splay: -1,
			Run: func(context.Context, schedule.Due) error {
				runs = append(runs, time.Since(begun).Round(time.Second))
				if time.Now().Before(until) {
					return &schedule.PostponedError{Until: until, Why: "the system is away"}
				}
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		during(t, r, func() {
			<-time.After(5*time.Minute + 30*time.Second)
			if n := len(runs); n != 1 {
				t.Errorf("tried %d times in five minutes, want once: at %v", n, runs)
			}
			if _, err := r.Request(t.Context(), "guests", schedule.Left); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Minute)
			if n := len(runs); n != 2 {
				t.Errorf("tried %d times, want once more on request: at %v", n, runs)
			}
			<-time.After(7 * time.Minute)
		})
		if n := len(runs); n < 4 || runs[2] != 10*time.Minute {
			t.Errorf("ran at %v, want from the tenth minute on each minute", runs)
		}
		if b, err := l.Load(t.Context(), "guests"); err != nil || b.Fails != 0 {
			t.Errorf("%d failures, %v", b.Fails, err)
		}
	})
}

// A job that nobody mends is tried more and more seldom; one of bookings each hour.
func TestQuarantineDecays(t *testing.T) {
	for _, first := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			runs := 0
			r, err := schedule.New(t.Context(), []schedule.Job{{Binding: "guests", First: first, Left: spec(t, "every 1m", "UTC")}}, schedule.Options{
				Ledger: schedule.NewMemory(), Splay: -1, Failed: func(context.Context, schedule.Due, error) {},
				Run: func(context.Context, schedule.Due) error { runs++; return errRun },
			})
			if err != nil {
				t.Fatal(err)
			}
			during(t, r, func() {
				<-time.After(26 * time.Hour)
				day := runs
				if day < 25 || day > 33 {
					t.Errorf("bookings %t: %d tries in the first day", first, day)
				}
				<-time.After(28 * 24 * time.Hour)
				before := runs
				<-time.After(10 * 24 * time.Hour)
				want := [2]int{9, 11}
				if first {
					want = [2]int{238, 241}
				}
				if got := runs - before; got < want[0] || got > want[1] {
					t.Errorf("bookings %t: %d tries in ten days a month later, want %d to %d", first, got, want[0], want[1])
				}
			})
		})
	}
}
