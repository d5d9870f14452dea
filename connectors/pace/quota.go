package pace

import (
	"fmt"
	"math"
	"time"
)

// Window says how a system counts.
type Window string

// The windows. Sliding is safe with every system, because no stretch of time of the
// quota's length ever holds more requests than it allows; Fixed uses the window
// that answers tell of, or else one that starts with the first request.
const (
	Sliding Window = "sliding"
	Fixed   Window = "fixed"
)

// Quota is how many requests a system takes in a time.
type Quota struct {
	Requests int
	Per      time.Duration
	Window   Window // empty: Sliding
}

// String is the quota in words.
func (q Quota) String() string {
	for _, unit := range []struct {
		per  time.Duration
		name string
	}{{time.Second, "a second"}, {time.Minute, "a minute"}, {time.Hour, "an hour"}, {24 * time.Hour, "a day"}} {
		if q.Per == unit.per {
			return fmt.Sprintf("%d %s", q.Requests, unit.name)
		}
	}
	return fmt.Sprintf("%d in %s", q.Requests, q.Per)
}

// Reserve is the part of each quota that is kept for bookings unless a
// configuration says otherwise.
const Reserve = 0.1

// Config is how a system wants to be treated.
type Config struct {
	Quotas      []Quota       // all of them hold
	Concurrency int           // requests at the same time; 0: one
	Reserve     float64       // the part of each quota that only bookings may use, 0 to below 1
	Pause       time.Duration // after a refusal that says nothing; 0: a minute
	ResetHeader string        // one more header that tells when a refusal is over
}

// kept is how many of n requests are for bookings only. Others keep at least one.
func (c Config) kept(n int) int {
	return max(0, min(int(math.Round(float64(n)*c.Reserve)), n-1))
}

// law is one limit. Its methods are called under the limiter's lock.
type law interface {
	// ready is when the next request may go: now or before for at once, the zero
	// time if only an answer can tell.
	ready(now time.Time, booking bool) time.Time
	// take counts a request that is being sent.
	take(now time.Time, booking bool)
	// done counts its end; answered says that the system saw it.
	done(granted, now time.Time, booking, answered bool)
	// left is what the limit has now, and when that is next more.
	left(now time.Time) Left
}

// Left is what a quota has left.
type Left struct {
	Quota   string    // in words
	Learned bool      // from answers, not from the configuration
	Limit   int       // requests in all; 0 where answers say only what is left
	Left    int       // of those
	Kept    int       // of Left, for bookings only
	Resets  time.Time // when Left grows again; zero if it is whole
}
