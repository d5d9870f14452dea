package pace

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// counter is a limit as a server enforces it, strictly.
type counter interface {
	// take counts a request at a time, or says how long until it would be taken.
	take(at time.Time) (ok bool, wait time.Duration)
	remaining(at time.Time) (left int, reset time.Duration)
	size() (int, time.Duration)
}

// firstFixed is a window that begins with the first request after the last one.
// With a clock it begins at each multiple of its length instead.
type firstFixed struct {
	limit int
	per   time.Duration
	clock bool
	start time.Time
	n     int
	full  []int // of the windows that are over
}

func (w *firstFixed) roll(at time.Time, first bool) {
	if !w.start.IsZero() && at.Before(w.start.Add(w.per)) {
		return
	}
	if w.clock {
		now := at.Truncate(w.per)
		for !w.start.IsZero() && w.start.Before(now) {
			w.full = append(w.full, w.n)
			w.start, w.n = w.start.Add(w.per), 0
		}
		w.start = now
		return
	}
	if !w.start.IsZero() && first {
		w.full = append(w.full, w.n)
	}
	if first {
		w.start, w.n = at, 0
	}
}

func (w *firstFixed) take(at time.Time) (bool, time.Duration) {
	w.roll(at, true)
	if w.n >= w.limit {
		return false, w.start.Add(w.per).Sub(at)
	}
	w.n++
	return true, 0
}

func (w *firstFixed) remaining(at time.Time) (int, time.Duration) {
	return w.limit - w.n, w.start.Add(w.per).Sub(at)
}

func (w *firstFixed) size() (int, time.Duration) { return w.limit, w.per }

// log is a sliding window. full are the counts of stretches one after the other.
type log struct {
	limit int
	per   time.Duration
	start time.Time
	at    []time.Time
	n     int
	full  []int
}

func (w *log) take(at time.Time) (bool, time.Duration) {
	for len(w.at) > 0 && !at.Before(w.at[0].Add(w.per)) {
		w.at = w.at[1:]
	}
	if w.start.IsZero() {
		w.start = at
	}
	for !at.Before(w.start.Add(w.per)) {
		w.full = append(w.full, w.n)
		w.start, w.n = w.start.Add(w.per), 0
	}
	if len(w.at) >= w.limit {
		return false, w.at[0].Add(w.per).Sub(at)
	}
	w.at = append(w.at, at)
	w.n++
	return true, 0
}

func (w *log) remaining(at time.Time) (int, time.Duration) {
	return w.limit - len(w.at), w.at[0].Add(w.per).Sub(at)
}

func (w *log) size() (int, time.Duration) { return w.limit, w.per }

// server is an http.RoundTripper with limits. It notes what it refused, and what
// came before it had said it might.
type server struct {
	limits  []counter
	latency func() time.Duration // of half a way
	say     func(s *server, at time.Time, h http.Header, refused bool, wait time.Duration)

	mu       sync.Mutex
	taken    int
	refused  []time.Time
	until    time.Time // as it said in its last refusal
	early    int
	kinds    map[string]int
	arrivals []time.Time
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.latency != nil {
		time.Sleep(s.latency()) //nolint:forbidigo // virtual time
	}
	status, h := s.judge(r)
	if s.latency != nil {
		time.Sleep(s.latency()) //nolint:forbidigo // virtual time
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

func (s *server) judge(r *http.Request) (int, http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, h := time.Now(), http.Header{}
	if at.Before(s.until) {
		s.early++
	}
	var wait time.Duration
	for _, l := range s.limits {
		// A request that one limit refuses is not counted by those before it in any
		// way that matters here: the tests that refuse have one limit.
		if ok, w := l.take(at); !ok {
			wait = max(wait, w)
		}
	}
	if s.say != nil {
		s.say(s, at, h, wait > 0, wait)
	}
	if wait > 0 {
		s.refused = append(s.refused, at)
		return http.StatusTooManyRequests, h
	}
	s.taken++
	if s.kinds != nil {
		s.kinds[r.Method]++
	}
	s.arrivals = append(s.arrivals, at)
	return http.StatusOK, h
}

// mostRefused is the largest number of refusals within any stretch of a length.
func (s *server) mostRefused(per time.Duration) int {
	most := 0
	for i := range s.refused {
		n := 0
		for _, at := range s.refused[i:] {
			if at.Sub(s.refused[i]) < per {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// retryAfter says it in whole seconds, rounded up, and keeps callers to it.
func retryAfter(s *server, at time.Time, h http.Header, refused bool, wait time.Duration) {
	if refused {
		secs := int((wait + time.Second - 1) / time.Second)
		h.Set("Retry-After", fmt.Sprint(secs))
		s.until = at.Add(time.Duration(secs) * time.Second)
	}
}

// standard says what is left with every answer.
func standard(s *server, at time.Time, h http.Header, refused bool, wait time.Duration) {
	n, _ := s.limits[0].size()
	left, reset := s.limits[0].remaining(at)
	h.Set("X-RateLimit-Limit", fmt.Sprint(n))
	h.Set("X-RateLimit-Remaining", fmt.Sprint(left))
	h.Set("X-RateLimit-Reset", fmt.Sprint(at.Add(reset).Unix()))
	h.Set("Date", at.UTC().Format(http.TimeFormat))
	retryAfter(s, at, h, refused, wait)
}

func between(low, high time.Duration) func() time.Duration {
	return func() time.Duration { return low + rand.N(high-low) }
}

// work sends requests of a priority, one after the other, until a time.
func work(t *testing.T, l *Limiter, s *server, p Priority, end time.Time) {
	for time.Now().Before(end) {
		if !one(t, l, s, p) {
			return
		}
	}
}

// one sends one request and reports whether it was sent.
func one(t *testing.T, l *Limiter, s *server, p Priority) bool {
	turn, err := l.Wait(t.Context(), p, mostWait)
	if err != nil {
		t.Errorf("wait: %v", err)
		return false
	}
	r, err := http.NewRequestWithContext(t.Context(), p.String(), "https://api.example.com/", nil)
	if err != nil {
		t.Errorf("request: %v", err)
		return false
	}
	resp, err := s.RoundTrip(r)
	if err != nil {
		t.Errorf("send: %v", err)
		return false
	}
	defer resp.Body.Close()
	turn.Done(resp.StatusCode, resp.Header, resp.StatusCode == http.StatusTooManyRequests)
	return true
}

// least is the smallest of some counts but the first, which began in the middle.
func least(full []int) int {
	low := full[1]
	for _, n := range full[1:] {
		low = min(low, n)
	}
	return low
}
