package outbox

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// delays are how long a destination is left alone after each failed try in a row, as
// Standard Webhooks proposes them. The last one is repeated.
var delays = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	// patience is how long an event waits for a destination that takes nothing before it
	// is given up: the sum of the delays.
	patience = 75*time.Hour + 35*time.Minute + 5*time.Second
	// longest is the most that a destination can ask to be left alone for.
	longest = 24 * time.Hour
	// jitter is the part of a delay by which it may be longer: receivers of many
	// installations are not to be met by all of them at once.
	jitter = 0.1
)

// Schedule is how long to wait before each next try. The zero one begins anew.
type Schedule struct {
	Fails int            // tries that failed in a row so far
	Asked time.Duration  // what the receiver asked for (Retry-After); never less is waited
	Rand  func() float64 // in [0, 1); nil: a random one
}

var _ backoff.BackOff = (*Schedule)(nil)

// NextBackOff is the delay after one more failed try.
func (s *Schedule) NextBackOff() time.Duration {
	d := delays[min(s.Fails, len(delays)-1)]
	s.Fails++
	draw := s.Rand
	if draw == nil {
		draw = rand.Float64
	}
	d += time.Duration(jitter * draw() * float64(d))
	d = max(d, min(s.Asked, longest))
	s.Asked = 0
	return d
}

// Reset begins anew: a try went well.
func (s *Schedule) Reset() { s.Fails, s.Asked = 0, 0 }

// overdue reports whether an event that waits since a moment, and was not taken now, is
// to be given up: it waited long enough, and the destination was tried often enough. How
// long alone says nothing where nobody was there to try, or the clock was set.
func overdue(fails int, since, now time.Time) bool {
	return fails >= len(delays) && now.Sub(since) >= patience
}

// remaining is how long a destination is still to be left alone. A moment that no
// schedule gives was noted before the clock was set back.
func remaining(next, now time.Time) time.Duration {
	d := next.Sub(now)
	if next.IsZero() || d <= 0 || d > longest+longest/4 {
		return 0
	}
	return d
}

// asked is how long a receiver wants to be left alone, 0 if it does not say.
func asked(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
