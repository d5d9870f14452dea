package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/schedule"
)

// diary is a run function that writes down what was run, relative to the beginning.
type diary struct {
	mu    sync.Mutex
	begun time.Time
	lines []string
	takes map[string]time.Duration // how long a binding's run takes
	fails map[string]int           // how many of its next runs fail
}

func newDiary() *diary {
	return &diary{begun: time.Now(), takes: map[string]time.Duration{}, fails: map[string]int{}}
}

var errRun = errors.New("the other system is down")

func (d *diary) run(ctx context.Context, due schedule.Due) error {
	d.mu.Lock()
	line := fmt.Sprintf("%v %s %s", time.Since(d.begun), due.Binding, due.What)
	if !due.Slot.IsZero() {
		line += " " + due.Slot.Civil[11:]
	}
	takes := d.takes[due.Binding]
	failing := d.fails[due.Binding] > 0
	if failing {
		d.fails[due.Binding]--
		line += " fails"
	}
	d.lines = append(d.lines, line)
	d.mu.Unlock()
	if takes > 0 {
		select {
		case <-ctx.Done():
			d.mu.Lock()
			defer d.mu.Unlock()
			d.lines = append(d.lines, fmt.Sprintf("%v %s broken off", time.Since(d.begun), due.Binding))
			return ctx.Err()
		case <-time.After(takes):
		}
	}
	if failing {
		return errRun
	}
	return nil
}

func (d *diary) want(t *testing.T, want ...string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if diff := cmp.Diff(want, d.lines); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	d.lines = nil
}

// during runs a Runner beside what happens in its time.
func during(t *testing.T, r *schedule.Runner, happens func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error)
	go func() { over <- r.Run(ctx) }()
	happens()
	cancel()
	if err := <-over; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func request(t *testing.T, r *schedule.Runner, binding string, what schedule.What) {
	t.Helper()
	if _, err := r.Request(t.Context(), binding, what); err != nil {
		t.Errorf("Request: %v", err)
	}
}

func stays(t testing.TB) schedule.Job {
	return schedule.Job{
		Binding: "stays", First: true, Systems: []string{"pms", "platform"},
		Left: spec(t, "webhook, or every 2m", "UTC"), Right: spec(t, "every 1m", "UTC"), Full: spec(t, "45 3 * * *", "UTC"),
	}
}

func guests(t testing.TB) schedule.Job {
	return schedule.Job{Binding: "guests", Systems: []string{"pms", "platform"}, Full: spec(t, "30 3 * * *", "UTC")}
}

var quick = schedule.Options{Poll: -1, Splay: -1}

func with(run func(context.Context, schedule.Due) error) schedule.Options {
	o := quick
	o.Run = run
	return o
}

func TestEachSideHasItsCadence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		r := runner(t, schedule.NewMemory(), []schedule.Job{stays(t)}, with(d.run))
		during(t, r, func() { pass(150 * time.Second) })
		d.want(t, "1m0s stays right 00:01", "2m0s stays left 00:02", "2m0s stays right 00:02")
	})
}

func TestRequestDuringARunIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		d.takes["stays"] = 20 * time.Second
		r := runner(t, schedule.NewMemory(), []schedule.Job{{Binding: "stays"}}, with(d.run))
		during(t, r, func() {
			pass(time.Second)
			request(t, r, "stays", schedule.Kick)
			pass(5 * time.Second)
			for range 3 {
				request(t, r, "stays", schedule.Kick) // during the run: one more run, not three
			}
			request(t, r, "stays", schedule.Full)
			pass(2 * time.Minute)
		})
		d.want(t, "1s stays kick", "21s stays kick", "41s stays full")
	})
}

// What comes in during the last run before a stop is there after the restart.
func TestRequestDuringTheLastRunIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ledger := newDiary(), schedule.NewMemory()
		d.takes["stays"] = 20 * time.Second
		opts := with(d.run)
		opts.Grace = time.Minute
		r := runner(t, ledger, []schedule.Job{{Binding: "stays"}}, opts)
		during(t, r, func() {
			request(t, r, "stays", schedule.Kick)
			pass(5 * time.Second)
			request(t, r, "stays", schedule.Kick)
			pass(5 * time.Second)
		})
		during(t, runner(t, ledger, []schedule.Job{{Binding: "stays"}}, opts), func() { pass(time.Minute) })
		d.want(t, "0s stays kick", "20s stays kick")
	})
}

// Who waits for a busy system goes in this order: a kick of a job with bookings,
// other runs of such a job and kicks of others, the rest.
func TestWhoWaitsLongerGoesAfterBookings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		d.takes["long"] = time.Minute
		opts := with(d.run)
		opts.Beside = func(_, _ schedule.Job) bool { return false }
		jobs := []schedule.Job{{Binding: "long"}, {Binding: "guests"}, {Binding: "calls"}, {Binding: "stays", First: true}}
		r := runner(t, schedule.NewMemory(), jobs, opts)
		during(t, r, func() {
			request(t, r, "long", schedule.Full)
			for _, next := range []struct {
				binding string
				what    schedule.What
			}{{"guests", schedule.Full}, {"calls", schedule.Kick}, {"stays", schedule.Full}, {"stays", schedule.Kick}} {
				pass(time.Second)
				request(t, r, next.binding, next.what)
			}
			pass(time.Minute)
		})
		d.want(t, "0s long full", "1m0s stays kick", "1m0s calls kick", "1m0s stays full", "1m0s guests full")
	})
}

// A command in another process files its request in the ledger alone.
func TestRequestOfAnotherProcessIsFoundWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ledger := newDiary(), schedule.NewMemory()
		r := runner(t, ledger, []schedule.Job{guests(t)}, schedule.Options{Run: d.run})
		during(t, r, func() {
			pass(10*time.Second + 300*time.Millisecond)
			for _, binding := range []string{"guests", "nobody"} {
				if _, err := ledger.Request(t.Context(), binding, schedule.Full, time.Now()); err != nil {
					t.Error(err)
				}
			}
			pass(time.Minute)
		})
		d.want(t, "11s guests full")
	})
}

func TestRequestSurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ledger := newDiary(), schedule.NewMemory()
		d.takes["guests"] = time.Hour
		opts := with(d.run)
		opts.Grace = 10 * time.Second
		r := runner(t, ledger, []schedule.Job{guests(t)}, opts)
		during(t, r, func() {
			request(t, r, "guests", schedule.Full)
			pass(time.Minute)
		})
		d.want(t, "0s guests full", "1m10s guests broken off")
		if book, err := ledger.Load(t.Context(), "guests"); err != nil || book.Fails != 0 {
			t.Errorf("a run that was broken off counts as a failure: %+v, %v", book, err)
		}
		d.takes["guests"] = time.Minute
		during(t, runner(t, ledger, []schedule.Job{guests(t)}, opts), func() { pass(time.Hour) })
		d.want(t, "1m10s guests full")
	})
}

func TestStopLetsARunEndWithinItsGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		d.takes["stays"] = 30 * time.Second
		opts := with(d.run)
		opts.Grace = time.Minute
		during(t, runner(t, schedule.NewMemory(), []schedule.Job{stays(t)}, opts), func() { pass(70 * time.Second) })
		if took := time.Since(d.begun); took != 90*time.Second {
			t.Errorf("stopped after %v, want 90s, when the run was over", took)
		}
		d.want(t, "1m0s stays right 00:01")
	})
}

func TestStopNamesWhatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := runner(t, schedule.NewMemory(), []schedule.Job{stays(t)}, with(func(context.Context, schedule.Due) error {
			<-release
			return nil
		}))
		ctx, cancel := context.WithTimeout(t.Context(), 70*time.Second)
		defer cancel()
		if err := r.Run(ctx); err == nil || !strings.Contains(err.Error(), `"stays"`) {
			t.Errorf("Run: got %v, want an error that names stays", err)
		}
		close(release)
		synctest.Wait()
	})
}

// After a gap everything is due: bookings go first.
func TestBookingsGoFirstAfterAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ledger := newDiary(), schedule.NewMemory()
		jobs := []schedule.Job{guests(t), stays(t)}
		during(t, runner(t, ledger, jobs, with(d.run)), func() { pass(time.Second) })
		pass(50*time.Hour - time.Second + 30*time.Second)
		d.begun = time.Now()
		d.takes["guests"], d.takes["stays"] = 10*time.Second, time.Second
		during(t, runner(t, ledger, jobs, with(d.run)), func() { pass(5 * time.Second) })
		d.want(t, "0s stays left 02:00", "1s stays right 02:00", "2s stays full 03:45", "3s guests full 03:30")
	})
}

// What is always due does not keep others waiting for ever.
func TestBookingsDoNotStarveGuests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		d.takes["stays"] = 3 * time.Minute
		r := runner(t, schedule.NewMemory(), []schedule.Job{guests(t), stays(t)}, with(d.run))
		during(t, r, func() {
			pass(time.Hour)
			request(t, r, "guests", schedule.Full)
			pass(20 * time.Minute)
		})
		for _, line := range d.lines {
			if strings.HasSuffix(line, "guests full") {
				return
			}
		}
		t.Errorf("guests never ran within 20 minutes: %q", d.lines)
	})
}

func TestSystemsAreShared(t *testing.T) {
	job := func(name string, systems ...string) schedule.Job {
		return schedule.Job{Binding: name, Left: spec(t, "every 1m", "UTC"), Systems: systems}
	}
	jobs := []schedule.Job{job("a", "pms", "platform"), job("b", "crm", "platform"), job("c", "mail", "crm"), job("d", "x"), job("e", "y")}
	tests := map[string]struct {
		opts schedule.Options
		want []string
	}{
		"no": {schedule.Options{}, []string{
			"1m0s a left 00:01", "1m0s c left 00:01", "1m0s d left 00:01", "1m0s e left 00:01", "1m10s b left 00:01",
		}},
		"at most two": {schedule.Options{Concurrency: 2}, []string{
			"1m0s a left 00:01", "1m0s c left 00:01", "1m10s b left 00:01", "1m10s d left 00:01", "1m20s e left 00:01",
		}},
		"yes": {schedule.Options{Concurrency: 5, Beside: func(_, _ schedule.Job) bool { return true }}, []string{
			"1m0s a left 00:01", "1m0s b left 00:01", "1m0s c left 00:01", "1m0s d left 00:01", "1m0s e left 00:01",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDiary()
				for _, j := range jobs {
					d.takes[j.Binding] = 10 * time.Second
				}
				tt.opts.Run, tt.opts.Poll = d.run, -1
				during(t, runner(t, schedule.NewMemory(), jobs, tt.opts), func() { pass(100 * time.Second) })
				slices.Sort(d.lines)
				d.want(t, tt.want...)
			})
		})
	}
}

func TestFailuresAreFurtherAndFurtherApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ledger := newDiary(), schedule.NewMemory()
		job := schedule.Job{Binding: "guests", Left: spec(t, "every 1m", "UTC")}
		d.fails["guests"] = 9
		r := runner(t, ledger, []schedule.Job{job}, with(d.run))
		during(t, r, func() { pass(40 * time.Minute) })
		d.want(t, "1m0s guests left 00:01 fails", "2m0s guests left 00:02 fails", "4m0s guests left 00:04 fails",
			"8m0s guests left 00:08 fails", "16m0s guests left 00:16 fails", "32m0s guests left 00:32 fails")
		// A restart forgets nothing of it, and after the seventh failure it is an hour.
		r = runner(t, ledger, []schedule.Job{job}, with(d.run))
		during(t, r, func() { pass(200 * time.Minute) })
		d.want(t, "1h4m0s guests left 01:04 fails", "2h4m0s guests left 02:04 fails", "3h4m0s guests left 03:04 fails")
		// It succeeds, and is as quick as ever.
		during(t, runner(t, ledger, []schedule.Job{job}, with(d.run)), func() { pass(400 * time.Second) })
		d.want(t, "4h4m0s guests left 04:04", "4h5m0s guests left 04:05", "4h6m0s guests left 04:06")
	})
}

func TestNightThatFailsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		d.fails["guests"] = 2
		during(t, runner(t, schedule.NewMemory(), []schedule.Job{guests(t)}, with(d.run)), func() { pass(28 * time.Hour) })
		d.want(t, "3h30m0s guests full 03:30 fails", "4h30m0s guests full 03:30 fails", "5h30m0s guests full 03:30", "27h30m0s guests full 03:30")
	})
}

// While a binding rests after failures, a person is served at once and a kick
// within a minute.
func TestRequestsAfterFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		d.fails["guests"] = 5
		r := runner(t, schedule.NewMemory(), []schedule.Job{guests(t)}, with(d.run))
		during(t, r, func() {
			pass(3*time.Hour + 40*time.Minute) // failed at 03:30, to be tried at 04:30
			request(t, r, "guests", schedule.Full)
			pass(10 * time.Minute)
			request(t, r, "guests", schedule.Kick)
			pass(30 * time.Second)
			request(t, r, "guests", schedule.Kick)
			pass(59 * time.Second)
		})
		d.want(t, "3h30m0s guests full 03:30 fails", "3h40m0s guests full 03:30 fails",
			"3h50m0s guests kick fails", "3h51m0s guests kick fails")
	})
}

func TestPanicIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		var log strings.Builder
		opts := with(func(ctx context.Context, due schedule.Due) error {
			if due.Slot.Civil == "2000-01-01T00:01" {
				panic("Ada Beispiel, ada@example.com")
			}
			return d.run(ctx, due)
		})
		opts.Log = slog.New(slog.NewJSONHandler(&log, nil))
		job := schedule.Job{Binding: "guests", Left: spec(t, "every 1m", "UTC")}
		during(t, runner(t, schedule.NewMemory(), []schedule.Job{job}, opts), func() { pass(200 * time.Second) })
		d.want(t, "2m0s guests left 00:02", "3m0s guests left 00:03")
		if got := log.String(); !strings.Contains(got, "panic (string)") || strings.Contains(got, "Ada") {
			t.Errorf("log has no panic, or a guest: %s", got)
		}
	})
}

func TestQuietHoursAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		job := schedule.Job{
			Binding: "guests", Left: spec(t, "every 1h", "UTC"),
			Quiet: []*schedule.Quiet{quiet(t, "02:00-03:15", "UTC"), quiet(t, "03:00-03:20", "UTC")},
		}
		var quietAt []string
		opts := with(func(ctx context.Context, due schedule.Due) error {
			quietAt = append(quietAt, due.Quiet.Format("02 15:04"))
			return d.run(ctx, due)
		})
		r := runner(t, schedule.NewMemory(), []schedule.Job{job}, opts)
		during(t, r, func() {
			pass(150 * time.Minute)
			request(t, r, "guests", schedule.Full)
			pass(100 * time.Minute)
		})
		d.want(t, "1h0m0s guests left 01:00", "3h20m0s guests full", "3h20m0s guests left 03:00", "4h0m0s guests left 04:00")
		if want := []string{"01 02:00", "02 02:00", "02 02:00", "02 02:00"}; !cmp.Equal(want, quietAt) {
			t.Errorf("next quiet hours %q, want %q", quietAt, want)
		}
	})
}

func TestCatchUp(t *testing.T) {
	tests := map[string]struct {
		catchUp schedule.CatchUp
		late    time.Duration
		down    time.Duration
		want    []string
	}{
		"run once":           {schedule.RunOnce, 0, 100 * time.Hour, []string{"100h0m1s guests full 03:30"}},
		"not too late":       {schedule.RunOnce, 3 * time.Hour, 6 * time.Hour, []string{"6h0m1s guests full 03:30"}},
		"too late":           {schedule.RunOnce, 2 * time.Hour, 6 * time.Hour, nil},
		"skip":               {schedule.Skip, 0, 6 * time.Hour, nil},
		"skip, hardly late":  {schedule.Skip, 0, 3*time.Hour + 34*time.Minute, []string{"3h34m1s guests full 03:30"}},
		"skip, within limit": {schedule.Skip, time.Hour, 4 * time.Hour, []string{"4h0m1s guests full 03:30"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, ledger := newDiary(), schedule.NewMemory()
				job := guests(t)
				job.CatchUp, job.MaxLateness = tt.catchUp, tt.late
				during(t, runner(t, ledger, []schedule.Job{job}, with(d.run)), func() { pass(time.Second) })
				pass(tt.down)
				var log strings.Builder
				opts := with(d.run)
				opts.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}))
				for range 2 { // what was left out stays left out
					during(t, runner(t, ledger, []schedule.Job{job}, opts), func() { pass(time.Hour) })
				}
				d.want(t, tt.want...)
				if log.Len() > 0 {
					t.Errorf("errors in the log: %s", log.String())
				}
			})
		})
	}
}

func TestReloadLosesNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ledger := newDiary(), schedule.NewMemory()
		d.takes["guests"] = 10 * time.Minute
		r := runner(t, ledger, []schedule.Job{guests(t)}, with(d.run))
		reload := func(jobs ...schedule.Job) {
			if err := r.Reload(t.Context(), jobs); err != nil {
				t.Errorf("Reload: %v", err)
			}
		}
		late := guests(t)
		late.Full = spec(t, "30 5 * * *", "UTC")
		during(t, r, func() {
			pass(3*time.Hour + 35*time.Minute)
			reload()               // gone during its run
			reload(guests(t))      // and back, still in its run
			pass(10 * time.Minute) // 03:45
			reload(late)           // today's 05:30 comes as well
			pass(3 * time.Hour)    // 06:45
			reload()               // gone over the next night
			pass(24 * time.Hour)   // 06:45
			reload(late)           // back: what it missed is caught up
			pass(time.Hour)        //
			if err := r.Reload(t.Context(), []schedule.Job{late, late}); err == nil {
				t.Error("Reload takes a binding twice")
			}
			pass(24 * time.Hour)
		})
		d.want(t, "3h30m0s guests full 03:30", "5h30m0s guests full 05:30", "30h45m0s guests full 05:30", "53h30m0s guests full 05:30")
	})
}

func TestReloadForgetsABindingWhoseRunIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		d.takes["guests"] = 10 * time.Minute
		r := runner(t, schedule.NewMemory(), []schedule.Job{guests(t)}, with(d.run))
		during(t, r, func() {
			pass(3*time.Hour + 35*time.Minute)
			if err := r.Reload(t.Context(), nil); err != nil {
				t.Error(err)
			}
			if got := r.Status(); len(got) != 1 || !got[0].Running {
				t.Errorf("status %+v, want the run that goes on", got)
			}
			pass(time.Hour)
			if got := r.Status(); len(got) != 0 {
				t.Errorf("status %+v, want none", got)
			}
		})
		d.want(t, "3h30m0s guests full 03:30")
	})
}

func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		d.takes["stays"], d.fails["stays"] = 10*time.Second, 1
		r := runner(t, schedule.NewMemory(), []schedule.Job{stays(t)}, with(d.run))
		at := func(h, m, s int) time.Time { return time.Date(2000, 1, 1, h, m, s, 0, time.UTC) }
		during(t, r, func() {
			pass(65 * time.Second)
			request(t, r, "stays", schedule.Kick)
			synctest.Wait()
			want := []schedule.Status{
				{Binding: "stays", What: schedule.Left, Next: at(0, 2, 0)},
				{Binding: "stays", What: schedule.Right, Next: at(0, 1, 0), Running: true},
				{Binding: "stays", What: schedule.Full, Next: at(3, 45, 0)},
				{Binding: "stays", What: schedule.Kick, Asked: true},
			}
			if diff := cmp.Diff(want, r.Status()); diff != "" {
				t.Errorf("status in a run (-want +got):\n%s", diff)
			}
			pass(10 * time.Second)
			for _, s := range r.Status() {
				if s.Fails != 1 || !s.NotUntil.Equal(at(0, 2, 10)) {
					t.Errorf("status after a failure: %+v", s)
				}
			}
			if beat := r.Beat(); time.Since(beat) > 30*time.Second {
				t.Errorf("last beat at %v", beat)
			}
		})
	})
}

// A ledger that can't be written ends no daemon and loses no slot.
func TestLedgerThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ledger := newDiary(), &brokenLedger{Memory: schedule.NewMemory()}
		r := runner(t, ledger, []schedule.Job{guests(t)}, with(d.run))
		ledger.broken = 1
		during(t, r, func() { pass(8 * time.Hour) })
		d.want(t, "3h30m0s guests full 03:30", "4h30m0s guests full 03:30")
	})
}

type brokenLedger struct {
	*schedule.Memory
	broken int
}

func (l *brokenLedger) Settle(ctx context.Context, e schedule.Entry) error {
	if l.broken > 0 {
		l.broken--
		return errors.New("disk full")
	}
	return l.Memory.Settle(ctx, e)
}

func TestSplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := []schedule.Job{guests(t), stays(t)}
		jobs[1].Systems = nil
		splay := schedule.Splay("guests", 24*time.Hour, 10*time.Minute)
		if splay <= 0 || splay >= 10*time.Minute {
			t.Fatalf("splay of guests is %v: the test shows nothing", splay)
		}
		at := map[string]time.Duration{}
		begun := time.Now()
		opts := schedule.Options{Poll: -1, Concurrency: 1, Run: func(_ context.Context, d schedule.Due) error {
			at[d.Binding+d.What.String()] = time.Since(begun) - d.Slot.At.Sub(begun)
			return nil
		}}
		during(t, runner(t, schedule.NewMemory(), jobs, opts), func() { pass(4 * time.Hour) })
		want := map[string]time.Duration{
			"guestsfull": splay, "staysright": 0,
			"staysleft": schedule.Splay("stays", 2*time.Minute, 10*time.Minute), "staysfull": schedule.Splay("stays", 24*time.Hour, 10*time.Minute),
		}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("later than the slot by (-want +got):\n%s", diff)
		}
	})
}

// Its splay pushes no slot into quiet hours, and none past the next slot: here the
// next one falls into a gap, and comes five minutes after instead of an hour.
func TestSplayStaysInItsRoom(t *testing.T) {
	tests := map[string]struct {
		cadence, quiet string
		want           []string // from, to for each run, in Rome
	}{
		"before quiet hours": {"55 1 * * *", "01:57-04:00", []string{"01:55", "01:57"}},
		"before the next":    {"55 1,2 * * *", "13:00-14:00", []string{"01:55", "03:00", "03:00", "03:10"}},
		"within quiet hours": {"30 3 * * *", "03:15-04:00, 04:01-05:00", []string{"04:00", "04:01"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const binding = "guests"
				if s := schedule.Splay(binding, 24*time.Hour, 10*time.Minute); s < 5*time.Minute ||
					schedule.Splay(binding, time.Hour, 10*time.Minute) != s {
					t.Fatalf("splay is %v: the test shows nothing", s)
				}
				rome := location(t, "Europe/Rome")
				pass(time.Until(time.Date(2000, 3, 25, 23, 0, 0, 0, time.UTC))) // the clock is changed in this night
				job := schedule.Job{Binding: binding, Left: spec(t, tt.cadence, "Europe/Rome"), Quiet: []*schedule.Quiet{quiet(t, tt.quiet, "Europe/Rome")}}
				var got []string
				opts := schedule.Options{Poll: -1, Run: func(context.Context, schedule.Due) error {
					got = append(got, time.Now().In(rome).Format("15:04:05"))
					return nil
				}}
				during(t, runner(t, schedule.NewMemory(), []schedule.Job{job}, opts), func() { pass(12 * time.Hour) })
				if 2*len(got) != len(tt.want) {
					t.Fatalf("runs at %q, want one in each of %q", got, tt.want)
				}
				for i, at := range got {
					if from, to := tt.want[2*i], tt.want[2*i+1]; at < from || at >= to {
						t.Errorf("run at %s, want from %s to before %s", at, from, to)
					}
				}
			})
		})
	}
}

// However many long runs there are, bookings wait for none of them.
func TestBookingsWaitForNoLongRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		var jobs []schedule.Job
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			jobs = append(jobs, schedule.Job{Binding: name, Systems: []string{name}})
			d.takes[name] = time.Hour
		}
		jobs = append(jobs, schedule.Job{Binding: "stays", First: true, Systems: []string{"pms"}})
		r := runner(t, schedule.NewMemory(), jobs, with(d.run))
		during(t, r, func() {
			for _, j := range jobs[:5] {
				request(t, r, j.Binding, schedule.Full)
				pass(time.Second)
			}
			request(t, r, "stays", schedule.Kick)
			pass(2 * time.Hour)
		})
		d.want(t, "0s a full", "1s b full", "2s c full", "3s d full", "5s stays kick", "1h0m0s e full")
	})
}

// What came of a run that a person asked for says nothing of the job's own failures: not
// to the runner, and not to one that is started later.
func TestAnswerLeavesFailuresAlone(t *testing.T) {
	for name, tc := range map[string]struct {
		answer error
		fails  int
	}{
		"told":    {fmt.Errorf("of its end: %w", schedule.ErrAnswered), 3},
		"it went": {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, ledger := newDiary(), schedule.NewMemory()
				job := schedule.Job{Binding: "guests", Left: spec(t, "every 1m", "UTC")}
				d.fails["guests"] = 3
				r := runner(t, ledger, []schedule.Job{job}, with(func(ctx context.Context, due schedule.Due) error {
					if due.What == schedule.Asked {
						return tc.answer
					}
					return d.run(ctx, due)
				}))
				during(t, r, func() {
					pass(4*time.Minute + time.Second)
					request(t, r, "guests", schedule.Asked)
					pass(time.Second)
					if got := r.Status()[0].Fails; got != tc.fails {
						t.Errorf("failures of the runner: got %d, want %d", got, tc.fails)
					}
				})
				book, err := ledger.Load(t.Context(), "guests")
				if err != nil || book.Fails != tc.fails {
					t.Errorf("failures in the ledger: got %d (%v), want %d", book.Fails, err, tc.fails)
				}
				if open, err := ledger.Requests(t.Context()); err != nil || len(open) != 0 {
					t.Errorf("open requests: got %v (%v), want none", open, err)
				}
			})
		})
	}
}

// A run that ends because quiet hours began has not failed: it is made when they are
// over, and not a rest later.
func TestQuietHoursAreNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		job := schedule.Job{Binding: "guests", Left: spec(t, "30 1 * * *", "UTC"), Quiet: []*schedule.Quiet{quiet(t, "02:00-02:05", "UTC")}}
		d.takes["guests"] = time.Hour
		r := runner(t, schedule.NewMemory(), []schedule.Job{job}, with(func(ctx context.Context, due schedule.Due) error {
			ctx, cancel := context.WithDeadline(ctx, due.Quiet)
			defer cancel()
			return d.run(ctx, due)
		}))
		during(t, r, func() {
			pass(2*time.Hour + time.Minute)
			if got := r.Status()[0].Fails; got != 0 {
				t.Errorf("failures once quiet hours began: got %d, want none", got)
			}
			d.takes["guests"] = time.Minute
			pass(30 * time.Minute)
		})
		d.want(t, "1h30m0s guests left 01:30", "2h0m0s guests broken off", "2h5m0s guests left 01:30")
	})
}

// Who hangs is known by it, though the clock was set back by an hour.
func TestStillGoesByTheTimeThatPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts, back := with(newDiary().run), time.Duration(0)
		opts.Now = func() time.Time { return time.Now().Add(-back) }
		r := runner(t, schedule.NewMemory(), []schedule.Job{stays(t)}, opts)
		during(t, r, func() {
			pass(time.Hour)
			if got := r.Still(); got > 30*time.Second {
				t.Errorf("still while it runs: got %v, want 30s at most", got)
			}
		})
		back = time.Hour
		pass(5 * time.Minute)
		if got := r.Still(); got < 5*time.Minute {
			t.Errorf("still after it ended: got %v, want 5m", got)
		}
	})
}

// The grace is what it was last said to be.
func TestGraceIsChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		d.takes["stays"] = time.Hour
		opts := with(d.run)
		opts.Grace = time.Minute
		r := runner(t, schedule.NewMemory(), []schedule.Job{stays(t)}, opts)
		during(t, r, func() {
			pass(70 * time.Second)
			r.Grace(5 * time.Second)
		})
		d.want(t, "1m0s stays right 00:01", "1m15s stays broken off")
	})
}
