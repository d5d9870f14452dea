package pace

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

const aDay = 24 * time.Hour

// A day of work under declared quotas: nothing is refused, and what isn't reserved
// is used.
func TestADayDeclared(t *testing.T) {
	type row struct {
		quotas []Quota
		limits func() (all []counter, windows func() []int)
		usable int
		say    bool
		places int
		skip   int // windows that had not begun with the work
	}
	first := func(n int, per time.Duration, clock bool) func() ([]counter, func() []int) {
		return func() ([]counter, func() []int) {
			w := &firstFixed{limit: n, per: per, clock: clock}
			return []counter{w}, func() []int { return w.full }
		}
	}
	slide := func(n int, per time.Duration) func() ([]counter, func() []int) {
		return func() ([]counter, func() []int) {
			w := &log{limit: n, per: per}
			return []counter{w}, func() []int { return w.full }
		}
	}
	minute := []Quota{{50, time.Minute, Fixed}}
	slides := []Quota{{50, time.Minute, Sliding}}
	tests := map[string]row{
		"from the first request":       {quotas: minute, limits: first(50, time.Minute, false), usable: 45},
		"from the first, four at once": {quotas: minute, limits: first(50, time.Minute, false), usable: 45, places: 4},
		"an hour, from the first":      {quotas: []Quota{{1000, time.Hour, Fixed}}, limits: first(1000, time.Hour, false), usable: 900},
		"by the clock, told":           {quotas: minute, limits: first(50, time.Minute, true), usable: 45, say: true},
		"by the clock, told, four":     {quotas: minute, limits: first(50, time.Minute, true), usable: 45, say: true, places: 4},
		"by the clock, silent":         {quotas: slides, limits: first(50, time.Minute, true), usable: 45, skip: 1},
		"sliding":                      {quotas: slides, limits: slide(50, time.Minute), usable: 45},
		"sliding, told, four at once":  {quotas: slides, limits: slide(50, time.Minute), usable: 45, say: true, places: 4},
		"an hour, sliding":             {quotas: []Quota{{1000, time.Hour, Sliding}}, limits: slide(1000, time.Hour), usable: 900},
		"a minute's and an hour's quota": {
			quotas: []Quota{{50, time.Minute, Fixed}, {1000, time.Hour, Fixed}}, usable: 900,
			limits: func() ([]counter, func() []int) {
				w := &firstFixed{limit: 1000, per: time.Hour}
				return []counter{&firstFixed{limit: 50, per: time.Minute}, w}, func() []int { return w.full }
			},
		},
		"a second's, an hour's and a day's": {
			quotas: []Quota{{5, time.Second, Sliding}, {600, time.Hour, Sliding}, {100_000, aDay, Fixed}}, usable: 540,
			limits: func() ([]counter, func() []int) {
				w := &log{limit: 600, per: time.Hour}
				return []counter{&log{limit: 5, per: time.Second}, w, &firstFixed{limit: 100_000, per: aDay}}, func() []int { return w.full }
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				limits, windows := tt.limits()
				s := &server{limits: limits, latency: between(5*time.Millisecond, 120*time.Millisecond)}
				if tt.say {
					s.say = standard
				}
				l := New(Config{Quotas: tt.quotas, Concurrency: tt.places, Reserve: Reserve})
				time.Sleep(17 * time.Second) //nolint:forbidigo // virtual time; not at a whole minute
				hard(t, l, s, max(tt.places, 1), aDay)
				full := windows()[tt.skip:]
				if len(s.refused) > 0 {
					t.Errorf("%d of %d requests were refused", len(s.refused), s.taken+len(s.refused))
				}
				if low := least(full); low*100 < tt.usable*95 {
					t.Errorf("a window of %d had %d requests, of %d that may go", len(full), low, tt.usable)
				}
			})
		})
	}
}

// hard has several goroutines work for a time.
func hard(t *testing.T, l *Limiter, s *server, goroutines int, long time.Duration) {
	end := time.Now().Add(long)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() { work(t, l, s, Scan, end) })
	}
	wg.Wait()
}

// Random quotas, servers and latencies: no refusal, ever.
func TestNeverRefused(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(rt, "requests")
		per := rapid.SampledFrom([]time.Duration{time.Second, 10 * time.Second, time.Minute, time.Hour}).Draw(rt, "per")
		kind := rapid.SampledFrom([]string{"first", "clock", "sliding"}).Draw(rt, "server")
		reserve := rapid.SampledFrom([]float64{0, 0.1, 0.5}).Draw(rt, "reserve")
		places := rapid.IntRange(1, 5).Draw(rt, "concurrency")
		slow := rapid.IntRange(1, 2000).Draw(rt, "latency")
		rests := rapid.SliceOfN(rapid.IntRange(0, 130), 1, 8).Draw(rt, "rests")
		window := Sliding
		told := rapid.Bool().Draw(rt, "told")
		if kind == "first" || told && per >= 10*time.Second && kind == "clock" {
			window = rapid.SampledFrom([]Window{Sliding, Fixed}).Draw(rt, "window")
		}
		synctest.Test(t, func(t *testing.T) {
			s := &server{latency: between(0, time.Duration(slow)*time.Millisecond)}
			switch kind {
			case "first", "clock":
				s.limits = []counter{&firstFixed{limit: n, per: per, clock: kind == "clock"}}
			case "sliding":
				s.limits = []counter{&log{limit: n, per: per}}
			}
			if told {
				s.say = standard
			}
			l := New(Config{Quotas: []Quota{{n, per, window}}, Reserve: reserve, Concurrency: places})
			if window == Fixed && kind == "clock" {
				// Only an answer tells where the clock's window is.
				one(t, l, s, Scan)
			}
			for i, rest := range rests {
				time.Sleep(time.Duration(rest) * per / 100) //nolint:forbidigo // virtual time
				var wg sync.WaitGroup
				for range places {
					wg.Go(func() {
						for range n/places + i {
							one(t, l, s, Priority(i%4))
						}
					})
				}
				wg.Wait()
			}
			if len(s.refused) > 0 {
				rt.Fatalf("%d of %d refused", len(s.refused), s.taken+len(s.refused))
			}
		})
	})
}

// Nobody declared anything and the system says how long: one refusal a window,
// nothing early, 90 % used.
func TestADayOfRetryAfter(t *testing.T) {
	t.Parallel()
	for _, q := range []Quota{{50, time.Minute, Fixed}, {1000, time.Hour, Fixed}, {50, time.Minute, Sliding}} {
		t.Run(q.String()+" "+string(q.Window), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, slide := &firstFixed{limit: q.Requests, per: q.Per}, &log{limit: q.Requests, per: q.Per}
				s := &server{limits: []counter{w}, say: retryAfter, latency: between(5*time.Millisecond, 60*time.Millisecond)}
				if q.Window == Sliding {
					s.limits = []counter{slide}
				}
				hard(t, New(Config{Reserve: Reserve}), s, 3, aDay)
				full := w.full
				if q.Window == Sliding {
					full = slide.full
				}
				if most := s.mostRefused(q.Per * 9 / 10); most != 1 {
					t.Errorf("%d refusals in a window, %d in all, want 1", most, len(s.refused))
				}
				if s.early > 0 {
					t.Errorf("%d requests were early", s.early)
				}
				sum := 0
				for _, n := range full {
					sum += n
				}
				if sum*100 < len(full)*q.Requests*90 {
					t.Errorf("%d requests in %d windows of %d", sum, len(full), q.Requests)
				}
				t.Logf("used %.1f %%, %d refusals in %d windows", 100*float64(sum)/float64(len(full)*q.Requests), len(s.refused), len(full))
			})
		})
	}
}

// Nothing is declared and nothing is said: at most one refusal a minute, 60 % used.
func TestADayOfBareRefusals(t *testing.T) {
	t.Parallel()
	for _, q := range []Quota{
		{50, time.Minute, Fixed},
		{50, time.Minute, Sliding},
		{1000, time.Hour, Fixed},
		{1000, time.Hour, Sliding},
		{2, time.Second, Fixed},
		{3, 10 * time.Second, Fixed},
		{2000, aDay / 4, Fixed},
	} {
		t.Run(q.String()+" "+string(q.Window), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &server{latency: between(5*time.Millisecond, 40*time.Millisecond)}
				s.limits = []counter{&firstFixed{limit: q.Requests, per: q.Per}}
				if q.Window == Sliding {
					s.limits = []counter{&log{limit: q.Requests, per: q.Per}}
				}
				hard(t, New(Config{}), s, 3, aDay)
				if most := s.mostRefused(time.Minute); most != 1 {
					t.Errorf("%d refusals in a minute, want 1", most)
				}
				budget := float64(q.Requests) * float64(aDay) / float64(q.Per)
				if float64(s.taken) < budget*0.6 {
					t.Errorf("%d requests of %.0f", s.taken, budget)
				}
				t.Logf("used %.1f %%, %d refusals", 100*float64(s.taken)/budget, len(s.refused))
			})
		})
	}
}
