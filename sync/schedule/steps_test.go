package schedule_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"nightporter/sync/schedule"
)

// stage is a part of a life: the Runner runs, the clock is set, the Runner runs on,
// is stopped and stays down.
type stage struct {
	up, on, down time.Duration
	step         time.Duration // of the wall clock
	kick         bool
}

// life is a Runner's over restarts, with a wall clock that somebody sets.
type life struct {
	mu      sync.Mutex
	wall    time.Duration // how far the wall clock is ahead of the time that passes
	takes   time.Duration
	jobs    []schedule.Job
	ledger  *schedule.Memory
	ran     map[string]int // by binding, civil time and pass
	minute  time.Time      // last start of the minute cadence, in the time that passes
	jumps   int
	trouble string
}

func (l *life) now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Add(l.wall)
}

func (l *life) say(format string, args ...any) {
	if l.trouble == "" {
		l.trouble = fmt.Sprintf(format, args...)
	}
}

func (l *life) run(ctx context.Context, d schedule.Due) error {
	l.mu.Lock()
	if d.Binding == "minute" && d.What == schedule.Left {
		if gap := time.Since(l.minute); gap > 3*time.Minute {
			l.say("no run of the minute cadence for %v", gap)
		}
		l.minute = time.Now()
	}
	takes := l.takes
	l.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(takes):
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !d.Slot.IsZero() {
		key := fmt.Sprint(d.Binding, " ", d.Slot.Civil, " ", d.Slot.Fold)
		if l.ran[key]++; l.ran[key] > 1 {
			l.say("%s ran twice", key)
		}
	}
	return nil
}

// newest wants the newest slot of each job that is not in the future to be run.
func (l *life) newest(when string) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, j := range l.jobs {
		begun := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
		s := j.Left.Last(begun, now.Add(-l.takes-31*time.Second))
		if s.IsZero() || j.Left.Next(s.At).At.Before(now) {
			continue // a newer one is being run
		}
		if key := fmt.Sprint(j.Binding, " ", s.Civil, " ", s.Fold); l.ran[key] == 0 {
			l.say("%s, at %v on the wall, %s did not run", when, now.UTC(), key)
		}
	}
}

func (l *life) live(t *testing.T, s stage) {
	t.Helper()
	r := runner(t, l.ledger, l.jobs, schedule.Options{
		Run: l.run, Now: l.now, Poll: -1, Splay: -1, Concurrency: len(l.jobs), Grace: 5 * time.Second,
		Jumped: func(time.Duration) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.jumps++
		},
	})
	l.minute = time.Now()
	during(t, r, func() {
		pass(s.up)
		l.newest("before the clock is set")
		l.mu.Lock()
		l.wall += s.step
		jumps := l.jumps
		l.mu.Unlock()
		if s.kick {
			request(t, r, "night", schedule.Kick)
		}
		pass(s.on)
		l.newest("after the clock was set")
		l.mu.Lock()
		defer l.mu.Unlock()
		if (l.jumps > jumps) != (s.step != 0) {
			l.say("the clock was set by %v, and that was noticed %d times", s.step, l.jumps-jumps)
		}
		if gap := time.Since(l.minute); gap > 3*time.Minute {
			l.say("no run of the minute cadence for %v", gap)
		}
	})
}

// Whatever restarts, suspends and hands on the clock do: no civil slot runs twice,
// the newest one is never left out, an interval never waits for the clock, and a
// request is answered.
func TestRestartsAndClocks(t *testing.T) {
	zones := []string{"Europe/Rome", "Africa/Cairo", "Australia/Lord_Howe", "America/Sao_Paulo"}
	seconds := func(lo, hi int) *rapid.Generator[time.Duration] {
		return rapid.Map(rapid.IntRange(lo, hi), func(n int) time.Duration { return time.Duration(n) * time.Second })
	}
	stages := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) stage {
		return stage{
			up:   seconds(90, 2*3600).Draw(t, "up"),
			step: rapid.OneOf(rapid.Just(time.Duration(0)), seconds(-2400, -5), seconds(5, 3600), seconds(3600, 40*3600)).Draw(t, "step"),
			on:   seconds(90, 2*3600).Draw(t, "on"),
			down: rapid.OneOf(seconds(0, 90), seconds(0, 60*3600)).Draw(t, "down"),
			kick: rapid.Bool().Draw(t, "kick"),
		}
	}), 1, 6)
	rapid.Check(t, func(rt *rapid.T) {
		zone := rapid.SampledFrom(zones).Draw(rt, "zone")
		from := seconds(0, 720*24*3600).Draw(rt, "from")
		takes := seconds(0, 20).Draw(rt, "takes")
		plan := stages.Draw(rt, "stages")
		var trouble string
		synctest.Test(t, func(t *testing.T) {
			l := &life{ledger: schedule.NewMemory(), ran: map[string]int{}, takes: takes, wall: from}
			for name, text := range map[string]string{
				"minute": "every 1m", "quarter": "*/15 * * * *", "night": "30 2 * * *", "midnight": "0 0 * * *", "hours": "0 */2 * * *",
			} {
				l.jobs = append(l.jobs, schedule.Job{Binding: name, Left: spec(t, text, zone)})
			}
			// The night before is behind it, so that every line has something to miss.
			l.live(t, stage{up: 26 * time.Hour, on: time.Minute})
			for _, s := range plan {
				l.live(t, s)
				pass(s.down)
			}
			l.live(t, stage{up: 2 * time.Minute, on: 2 * time.Minute})
			if open, err := l.ledger.Requests(t.Context()); err != nil || len(open) != 0 {
				l.say("requests left open: %v, %v", open, err)
			}
			trouble = l.trouble
		})
		if trouble != "" {
			rt.Fatal(trouble)
		}
	})
}

// After the clock was ahead by years for a while, today is done as ever.
func TestClockThatWasYearsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		ledger := schedule.NewMemory()
		jobs := []schedule.Job{guests(t), {Binding: "minute", Left: spec(t, "every 1m", "UTC")}}
		ahead := time.Duration(0)
		var mu sync.Mutex
		opts := with(func(ctx context.Context, due schedule.Due) error {
			if due.Binding == "minute" {
				return nil
			}
			return d.run(ctx, due)
		})
		opts.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return time.Now().Add(ahead)
		}
		set := func(to time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			ahead = to
		}
		during(t, runner(t, ledger, jobs, opts), func() {
			pass(4*time.Hour + 10*time.Second)
			set(10 * 365 * 24 * time.Hour)
			pass(10 * time.Hour)
			set(0)
			pass(24 * time.Hour)
		})
		during(t, runner(t, ledger, jobs, opts), func() { pass(24 * time.Hour) })
		d.want(t, "3h30m0s guests full 03:30", "4h0m30s guests full 03:30", "27h30m0s guests full 03:30", "51h30m0s guests full 03:30")
	})
}

// The clock is set back by days: no night is done again, and yet polling goes on.
func TestClockSetBackByDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		var mu sync.Mutex
		behind, minutes := time.Duration(0), 0
		opts := with(func(ctx context.Context, due schedule.Due) error {
			mu.Lock()
			if due.Binding == "minute" {
				minutes++
				mu.Unlock()
				return nil
			}
			mu.Unlock()
			return d.run(ctx, due)
		})
		opts.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return time.Now().Add(-behind)
		}
		jobs := []schedule.Job{guests(t), {Binding: "minute", Left: spec(t, "every 1m", "UTC")}}
		during(t, runner(t, schedule.NewMemory(), jobs, opts), func() {
			pass(100 * time.Hour) // five nights
			mu.Lock()
			behind, minutes = 72*time.Hour, 0
			mu.Unlock()
			pass(96 * time.Hour) // the 2nd 04:00 to the 6th 04:00
		})
		want := []string{}
		for night := range 5 {
			want = append(want, fmt.Sprintf("%dh30m0s guests full 03:30", 24*night+3))
		}
		d.want(t, append(want, "195h30m0s guests full 03:30")...)
		if minutes < 96*60-10 || minutes > 96*60+10 {
			t.Errorf("%d runs of the minute cadence in 96 hours", minutes)
		}
	})
}
