package pace

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// asks sends requests at once, one after the other, for a time, and gives when each went.
func asks(t *testing.T, l *Limiter, during time.Duration, answer func(i int) (int, http.Header)) []time.Duration {
	t.Helper()
	begun := time.Now()
	var at []time.Duration
	for time.Since(begun) < during {
		turn, err := l.Wait(t.Context(), Scan, mostWait)
		if err != nil {
			t.Fatal(err)
		}
		status, h := answer(len(at))
		at = append(at, time.Since(begun))
		if turn.Done(status, h, status == http.StatusTooManyRequests); len(at) > 1000 {
			break
		}
	}
	return at
}

// A quota that an answer tells of is doubted when it lets nothing go for longer than a
// quarter of an hour. What a refusal says, what is configured, and a wait that is shorter
// are kept to as before.
func TestOutside19WhatIsDoubted(t *testing.T) {
	full := func(reset string) http.Header {
		return http.Header{"X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {reset}}
	}
	good := func(h http.Header) func(int) (int, http.Header) {
		return func(int) (int, http.Header) { return http.StatusOK, h }
	}
	for name, tc := range map[string]struct {
		cfg     Config
		answer  func(i int) (int, http.Header)
		second  time.Duration // when the second request goes, within two seconds
		third   time.Duration // and the third
		doubted bool
	}{
		"a day": {answer: good(full("86400")), second: mostSilence, third: mostSilence, doubted: true},
		"ten minutes": {
			answer: good(full("600")), second: 10 * time.Minute, third: 20 * time.Minute,
		},
		"a refusal says so too": {
			answer: func(i int) (int, http.Header) {
				if i == 1 {
					return http.StatusTooManyRequests, full("7200")
				}
				return http.StatusOK, full("7200")
			},
			second: mostSilence, third: mostSilence + 2*time.Hour, doubted: true,
		},
		"configured, and used by others": {
			cfg: Config{Quotas: []Quota{{1000, 24 * time.Hour, Fixed}}}, answer: good(full("80000")),
			second: mostSilence, third: mostSilence, doubted: true,
		},
		"configured, and used by us": {
			cfg:    Config{Quotas: []Quota{{2, 24 * time.Hour, Fixed}}},
			answer: good(nil), second: 24*time.Hour - 24*time.Hour/50, third: 24 * time.Hour,
		},
		"an error of the server tells nothing": {
			answer: func(int) (int, http.Header) { return http.StatusBadGateway, full("86400") },
			second: mostSilence, third: 2 * mostSilence, doubted: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := New(tc.cfg)
				var doubted bool
				at := asks(t, l, 25*time.Hour, func(i int) (int, http.Header) {
					doubted = doubted || len(l.Snapshot().Doubts) > 0
					return tc.answer(i)
				})
				near := func(a, b time.Duration) bool { return (a - b).Abs() <= 3*time.Second }
				if len(at) < 3 || !near(at[1], tc.second) || !near(at[2], tc.third) {
					t.Errorf("requests went at %v, want the second at %s and the third at %s", at[:min(len(at), 5)], tc.second, tc.third)
				}
				if doubted != tc.doubted {
					t.Errorf("doubted: got %t, want %t", doubted, tc.doubted)
				}
			})
		})
	}
}

// A quota that was shown to be wrong counts again once it is plausible.
func TestOutside19PlausibleAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Config{})
		at := asks(t, l, 20*time.Minute, func(i int) (int, http.Header) {
			h := http.Header{"X-Ratelimit-Limit": {"100"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"86400"}}
			if i >= 10 {
				h.Set("X-Ratelimit-Reset", "60")
			}
			return http.StatusOK, h
		})
		if len(at) < 12 || len(at) > 20 {
			t.Errorf("requests in 20 minutes: got %d, want 11 and then one a minute", len(at))
		}
		if d := l.Snapshot().Doubts; len(d) > 0 {
			t.Errorf("still doubted: %+v", d)
		}
	})
}
