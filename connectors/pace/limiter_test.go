package pace

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sleep passes virtual time.
func sleep(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // virtual time

func TestReserve(t *testing.T) {
	for _, window := range []Window{Fixed, Sliding} {
		t.Run(string(window), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{limits: []counter{&log{limit: 20, per: time.Minute}}, kinds: map[string]int{}}
				if window == Fixed {
					s.limits = []counter{&firstFixed{limit: 20, per: time.Minute}}
				}
				l := New(Config{Quotas: []Quota{{20, time.Minute, window}}, Reserve: Reserve})
				began := time.Now()
				go work(t, l, s, Scan, began.Add(2*time.Minute))
				go work(t, l, s, Write, began.Add(2*time.Minute))
				// The last tenth has not begun, which only a fixed window has, and what the
				// others may use is used up.
				wait := map[Window]time.Duration{Fixed: 53 * time.Second, Sliding: 59900 * time.Millisecond}[window]
				sleep(wait)
				synctest.Wait()
				if got := l.Snapshot().Quotas[0]; got.Kept != 2 || got.Left < 2 {
					t.Errorf("before the last tenth: %+v", got)
				}
				for range 2 {
					at := time.Now()
					one(t, l, s, Booking)
					if waited := time.Since(at); waited > 0 {
						t.Errorf("a booking waited %s", waited)
					}
				}
				sleep(119*time.Second - wait)
				synctest.Wait()
				// No booking came in the second window. A fixed one is used to its end;
				// of a sliding one the reserve stays what it is.
				got := 0
				s.mu.Lock()
				arrivals, refused := slices.Clone(s.arrivals), len(s.refused)
				s.mu.Unlock()
				for _, at := range arrivals {
					if at.Sub(began) >= time.Minute && at.Sub(began) < 2*time.Minute {
						got++
					}
				}
				want := map[Window]int{Fixed: 20, Sliding: 18}[window]
				if got < want-1 || got > want || refused > 0 {
					t.Errorf("%d requests in the second window, %d refused; want %d, 0", got, refused, want)
				}
				sleep(time.Minute)
			})
		})
	}
}

func TestReleaseIsInTheLastTenth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{limits: []counter{&firstFixed{limit: 100, per: time.Minute}}}
		l := New(Config{Quotas: []Quota{{100, time.Minute, Fixed}}, Reserve: Reserve})
		began := time.Now()
		work(t, l, s, Write, began.Add(time.Minute))
		for i, at := range s.arrivals {
			if i >= 90 && i < 100 && at.Sub(began) < 54*time.Second {
				t.Errorf("request %d of the reserve went after %s", i+1, at.Sub(began))
			}
		}
		if len(s.arrivals) != 101 || s.arrivals[99].Sub(began) >= time.Minute {
			t.Errorf("%d requests, want 100 in the minute and the next one's first", len(s.arrivals))
		}
	})
}

func TestFirstThingsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{limits: []counter{&log{limit: 1000, per: time.Minute}}, latency: between(10*time.Millisecond, 20*time.Millisecond), kinds: map[string]int{}}
		l := New(Config{})
		var mu sync.Mutex
		var order []Priority
		var wg sync.WaitGroup
		go one(t, l, s, Scan) // is on its way when the others come
		synctest.Wait()
		for _, p := range []Priority{Scan, Read, Write, Booking} {
			for range 2 {
				wg.Go(func() {
					one(t, l, s, p)
					mu.Lock()
					defer mu.Unlock()
					order = append(order, p)
				})
			}
		}
		synctest.Wait()
		if diff := cmp.Diff(map[Priority]int{Booking: 2, Write: 2, Read: 2, Scan: 2}, l.Snapshot().Queue); diff != "" {
			t.Errorf("queue (-want +got):\n%s", diff)
		}
		wg.Wait()
		want := []Priority{Booking, Booking, Write, Write, Read, Read, Scan, Scan}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

func TestNobodyStarves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{limits: []counter{&log{limit: 1 << 30, per: time.Minute}}, latency: between(10*time.Millisecond, 20*time.Millisecond), kinds: map[string]int{}}
		l := New(Config{})
		end := time.Now().Add(time.Hour)
		var wg sync.WaitGroup
		for _, p := range []Priority{Write, Write, Read, Scan} {
			wg.Go(func() { work(t, l, s, p, end) })
		}
		wg.Wait()
		all := s.taken
		for _, p := range []Priority{Read, Scan} {
			if share := float64(s.kinds[p.String()]) / float64(all); share < 0.08 || share > 0.12 {
				t.Errorf("%s had %.3f of %d requests, want a tenth", p, share, all)
			}
		}
	})
}

// A refusal that says how long stops everybody, bookings too.
func TestARefusalIsEverybodys(t *testing.T) {
	forms := map[string]func(now time.Time, h http.Header){
		"seconds": func(_ time.Time, h http.Header) { h.Set("Retry-After", "30") },
		"date": func(now time.Time, h http.Header) {
			h.Set("Retry-After", now.Add(30*time.Second).UTC().Format(http.TimeFormat))
			h.Set("Date", now.UTC().Format(http.TimeFormat))
		},
		"date of a server that is an hour behind": func(now time.Time, h http.Header) {
			h.Set("Retry-After", now.Add(30*time.Second-time.Hour).UTC().Format(http.TimeFormat))
			h.Set("Date", now.Add(-time.Hour).UTC().Format(http.TimeFormat))
		},
		"date of a server that is an hour ahead": func(now time.Time, h http.Header) {
			h.Set("Retry-After", now.Add(30*time.Second+time.Hour).UTC().Format(http.TimeFormat))
			h.Set("Date", now.Add(time.Hour).UTC().Format(http.TimeFormat))
		},
		"milliseconds": func(_ time.Time, h http.Header) { h.Set("x-ms-retry-after-ms", "30000") },
		"reset alone": func(now time.Time, h http.Header) {
			h.Set("X-RateLimit-Remaining", "0")
			h.Set("X-RateLimit-Reset", fmt.Sprint(now.Add(30*time.Second).UnixMilli()))
		},
		"a header of its own": func(_ time.Time, h http.Header) { h.Set("X-Again", "30") },
	}
	for name, form := range forms {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			t.Run(fmt.Sprintf("%s %d", name, status), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := New(Config{Concurrency: 4, ResetHeader: "X-Again"})
					turn, err := l.Wait(t.Context(), Write, time.Minute)
					if err != nil {
						t.Fatal(err)
					}
					h := http.Header{}
					form(time.Now(), h)
					began := time.Now()
					if wait := turn.Done(status, h, true); wait < 30*time.Second || wait > 32*time.Second {
						t.Errorf("wait %s, want 30s", wait)
					}
					if s := l.Snapshot(); s.Waiting.Sub(began) < 30*time.Second || s.Refused != 1 {
						t.Errorf("snapshot %+v", s)
					}
					var wg sync.WaitGroup
					for p := range Priority(priorities) {
						wg.Go(func() {
							turn, err := l.Wait(t.Context(), p, time.Minute)
							if waited := time.Since(began); err != nil || waited < 30*time.Second || waited > 32*time.Second {
								t.Errorf("%s waited %s, %v", p, waited, err)
							}
							turn.Done(http.StatusOK, nil, false)
						})
					}
					wg.Wait()
				})
			})
		}
	}
}

func TestALongPauseIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{})
		turn, err := l.Wait(t.Context(), Scan, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		waiting := make(chan error)
		go func() { // was in the queue when the refusal came
			_, err := l.Wait(t.Context(), Booking, time.Minute)
			waiting <- err
		}()
		synctest.Wait()
		turn.Done(http.StatusTooManyRequests, http.Header{"Retry-After": {"3600"}}, true)
		sleep(time.Second)
		_, err = l.Wait(t.Context(), Booking, time.Minute)
		for _, err := range []error{err, <-waiting} {
			later, ok := errors.AsType[*Later](err)
			if !ok || later.Wait < 3599*time.Second {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("the house sleeps")
		l := New(Config{Quotas: []Quota{{1, time.Hour, Sliding}}})
		turn, err := l.Wait(t.Context(), Write, 0)
		if err != nil {
			t.Fatal(err)
		}
		turn.Done(http.StatusOK, nil, false)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		began := time.Now()
		if _, err := l.Wait(ctx, Booking, time.Hour); !errors.Is(err, why) || time.Since(began) != time.Second {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
		if _, err := l.Wait(ctx, Booking, time.Hour); !errors.Is(err, why) {
			t.Errorf("of a done context: %v", err)
		}
		if s := l.Snapshot(); len(s.Queue) > 0 || s.Flying != 0 {
			t.Errorf("left behind: %+v", s)
		}
	})
}

// A request whose turn comes while its context ends leaves nothing behind.
func TestATurnThatNobodyTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{Quotas: []Quota{{1 << 20, time.Hour, Sliding}}})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		unused := 0
		for range 64 {
			w := &waiter{priority: Write, turn: make(chan error, 1)}
			l.mu.Lock()
			l.grant(time.Now(), Write)
			w.turn <- nil
			l.mu.Unlock()
			turn, err := l.await(ctx, w)
			if err != nil {
				unused++
			} else {
				turn.Done(http.StatusOK, nil, false)
			}
			if s := l.Snapshot(); s.Flying != 0 || l.laws[0].(*sliding).flying != 0 { //nolint:forcetypeassert // it is one
				t.Fatalf("%d on their way", s.Flying)
			}
		}
		if unused == 0 {
			t.Error("no context ended in time")
		}
	})
}

// What arrived after the system's window had begun anew, while ours had not, counts
// in the new one.
func TestAnswersAroundTheEndOfAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		w := &firstFixed{limit: 10, per: time.Minute}
		l := New(Config{Quotas: []Quota{{10, time.Minute, Fixed}}, Concurrency: 20})
		send := func(up, down time.Duration) {
			turn, err := l.Wait(t.Context(), Booking, 0)
			if err != nil {
				t.Error(err)
				return
			}
			sleep(up)
			mu.Lock()
			ok, _ := w.take(time.Now())
			mu.Unlock()
			sleep(down)
			if !ok {
				t.Error("refused")
			}
			turn.Done(http.StatusOK, nil, false)
		}
		send(0, 2*time.Second) // the window began at 0, for all we know at 2s
		sleep(57500 * time.Millisecond)
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() { send(time.Second, 100*time.Millisecond) })
		}
		wg.Wait()
		for range 20 {
			wg.Go(func() { send(0, 0) })
		}
		wg.Wait()
	})
}

// What answers tell is kept without being declared.
func TestQuotasAreLearned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &firstFixed{limit: 60, per: time.Minute, clock: true}
		s := &server{limits: []counter{w}, say: standard, latency: between(5*time.Millisecond, 60*time.Millisecond)}
		l := New(Config{Reserve: Reserve})
		hard(t, l, s, 2, aDay)
		if low := least(w.full); len(s.refused) > 0 || low*100 < 54*95 {
			t.Errorf("%d refused, a window of %d had %d requests", len(s.refused), len(w.full), low)
		}
		q := l.Snapshot().Quotas
		if len(q) != 1 || !q[0].Learned || q[0].Limit != 60 {
			t.Errorf("learned %+v", q)
		}
	})
}

// Somebody else uses the same credential: what the system says counts.
func TestOthersUseItToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &firstFixed{limit: 100, per: time.Minute, clock: true}
		s := &server{limits: []counter{w}, say: standard}
		l := New(Config{Quotas: []Quota{{100, time.Minute, Fixed}}, Reserve: Reserve})
		one(t, l, s, Scan)
		end := time.Now().Add(time.Hour)
		go func() {
			for at := time.Now().Truncate(time.Minute); at.Before(end); at = at.Add(time.Minute) {
				sleep(time.Until(at))
				for range 40 {
					s.mu.Lock()
					w.take(time.Now())
					s.mu.Unlock()
					sleep(100 * time.Millisecond)
				}
			}
		}()
		hard(t, l, s, 1, time.Hour)
		if low := least(w.full); len(s.refused) > 0 || low < 95 || s.taken > 60*60+10 {
			t.Errorf("%d refused of %d, a window had %d of 100", len(s.refused), s.taken, low)
		}
		sleep(time.Minute)
	})
}

func TestSetKeepsWhatWasCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		minute := Quota{10, time.Minute, Sliding}
		l := New(Config{Quotas: []Quota{minute}})
		for range 4 {
			turn, err := l.Wait(t.Context(), Booking, 0)
			if err != nil {
				t.Fatal(err)
			}
			turn.Done(http.StatusOK, nil, false)
		}
		flying, err := l.Wait(t.Context(), Booking, 0)
		if err != nil {
			t.Fatal(err)
		}
		l.Set(Config{Quotas: []Quota{{0, time.Hour, Fixed}, {100, time.Hour, Sliding}, minute, minute}})
		flying.Done(http.StatusOK, nil, false)
		var left []int
		for _, q := range l.Snapshot().Quotas {
			left = append(left, q.Left)
		}
		if diff := cmp.Diff([]int{99, 5}, left); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
	})
}

func TestPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, window := range []Window{Fixed, Sliding} {
			l := New(Config{Quotas: []Quota{{50, time.Minute, window}, {1000, time.Hour, window}}, Reserve: Reserve})
			w := &firstFixed{limit: 1000, per: time.Hour}
			s := &server{limits: []counter{w}, latency: between(10*time.Millisecond, 11*time.Millisecond)}
			said, began := l.Plan(4000), time.Now()
			for range 4000 {
				one(t, l, s, Write)
			}
			took := time.Since(began)
			if said < 4*time.Hour || said > 5*time.Hour || took > said+time.Minute || took < said*7/10 {
				t.Errorf("%s: said %s, took %s", window, said, took)
			}
		}
		if got := New(Config{}).Plan(1000); got != 0 {
			t.Errorf("without a quota: %s", got)
		}
	})
}

// What a system said once, and never again, does not hold for good: neither a quota, nor
// the place where it refused, from which on requests go one at a time.
func TestOldSayingsAreForgotten(t *testing.T) {
	once := http.Header{"X-Ratelimit-Limit": {"2"}, "X-Ratelimit-Remaining": {"1"}, "X-Ratelimit-Reset": {"60"}}
	for name, tc := range map[string]struct {
		status  int
		h       http.Header
		refused bool
	}{
		"a quota":   {http.StatusOK, once, false},
		"a refusal": {http.StatusTooManyRequests, http.Header{"Retry-After": {"60"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := New(Config{Concurrency: 4})
				wait := func(d time.Duration) {
					timer := time.NewTimer(d)
					<-timer.C
				}
				turn := func() Turn {
					turn, err := l.Wait(t.Context(), Scan, time.Hour)
					if err != nil {
						t.Fatal(err)
					}
					return turn
				}
				for range 10 {
					turn().Done(http.StatusOK, http.Header{}, false)
				}
				turn().Done(tc.status, tc.h, tc.refused)
				for range 30 { // a busy hour each hour
					for range 4 {
						turn().Done(http.StatusOK, http.Header{}, false)
					}
					wait(time.Hour)
				}
				begun := time.Now()
				for range 25 {
					turns := []Turn{turn(), turn(), turn(), turn()} // side by side, or for ever
					for _, tn := range turns {
						tn.Done(http.StatusOK, http.Header{}, false)
					}
				}
				if took := time.Since(begun); took > 0 {
					t.Errorf("100 requests a day later took %v, want no wait", took)
				}
			})
		})
	}
}

// However a system names its quotas, they don't fill the memory.
func TestToldQuotasAreBounded(t *testing.T) {
	l := New(Config{})
	for i := range 1000 {
		turn, err := l.Wait(t.Context(), Booking, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		turn.Done(http.StatusOK, http.Header{"Ratelimit": {fmt.Sprintf(`"request%d";r=5000000;t=3600`, i)}}, false)
	}
	if n := len(l.Snapshot().Quotas); n == 0 || n > mostTold {
		t.Errorf("quotas: got %d, want %d at most", n, mostTold)
	}
}

func TestGroup(t *testing.T) {
	var g Group
	platform := Use{"host/env:KEY", "platform", Config{Quotas: []Quota{{50, time.Minute, Fixed}}, Concurrency: 4}}
	calls := Use{"host/env:KEY", "calls", Config{Quotas: []Quota{{900, time.Hour, Fixed}}, Concurrency: 2, Reserve: 0.2}}
	second := Use{"host/env:OTHER", "second", Config{}}
	a, b, other := g.Limiter(platform), g.Limiter(calls), g.Limiter(second)
	if a != b || a == other {
		t.Error("one limiter for a credential, and only for that")
	}
	if diff := cmp.Diff(platform.Config, a.cfg); diff != "" {
		t.Errorf("until another system is kept (-want +got):\n%s", diff)
	}
	g.Keep([]Use{platform, calls, second})
	want := Config{Quotas: []Quota{{900, time.Hour, Fixed}, {50, time.Minute, Fixed}}, Concurrency: 2, Reserve: 0.2}
	if diff := cmp.Diff(want, a.cfg); diff != "" {
		t.Errorf("together (-want +got):\n%s", diff)
	}
	if got := g.Snapshots(); len(got) != 3 || got["calls"].Quotas[1].Limit != 50 {
		t.Errorf("snapshots %+v", got)
	}
	loose := Use{"host/env:KEY", "platform", Config{Concurrency: 8}}
	if again := g.Limiter(loose); again != a {
		t.Error("after a reload: another limiter")
	}
	if diff := cmp.Diff(want, a.cfg); diff != "" {
		t.Errorf("after a reload that was refused (-want +got):\n%s", diff)
	}
	g.Keep([]Use{loose})
	if diff := cmp.Diff(loose.Config, a.cfg); diff != "" {
		t.Errorf("after a system is gone (-want +got):\n%s", diff)
	}
	if got := g.Snapshots(); len(got) != 1 {
		t.Errorf("snapshots of systems that are gone: %+v", got)
	}
	if back := g.Limiter(second); back != other {
		t.Error("a credential that came back: another limiter, which has counted nothing")
	}
}

func TestPriorityInContext(t *testing.T) {
	ctx := t.Context()
	if From(ctx, Read) != Read || From(With(ctx, Booking), Read) != Booking || From(With(ctx, 99), Scan) != Scan {
		t.Error("a context's priority is not kept, or one that is none is")
	}
}

func BenchmarkWait(b *testing.B) {
	h := http.Header{"Content-Type": {"application/json"}, "Date": {"Sat, 21 Nov 2026 10:00:00 GMT"}}
	for name, cfg := range map[string]Config{
		"no limit":   {},
		"three laws": {Quotas: []Quota{{1 << 30, time.Second, Sliding}, {1 << 40, time.Minute, Sliding}, {1 << 40, time.Hour, Fixed}}, Reserve: Reserve},
	} {
		b.Run(name, func(b *testing.B) {
			l := New(cfg)
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				turn, err := l.Wait(ctx, Scan, 0)
				if err != nil {
					b.Fatal(err)
				}
				turn.Done(http.StatusOK, h, false)
			}
		})
	}
}
