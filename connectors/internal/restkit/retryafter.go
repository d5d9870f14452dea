package restkit

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// mostWait keeps sums of times within range; no server means more.
const mostWait = 366 * 24 * time.Hour

// RetryAfter reads how long an answer asks to wait, in either form of the header.
// A date is measured against the answer's own Date where it has one, so that a
// clock that is off doesn't shorten the wait.
func RetryAfter(h http.Header, now time.Time) (wait time.Duration, asked bool) {
	s := strings.TrimSpace(h.Get("Retry-After"))
	if s == "" {
		return 0, false
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil && n >= 0 {
		if n > mostWait.Seconds() {
			return mostWait, true
		}
		return time.Duration(n * float64(time.Second)), true
	}
	at, err := http.ParseTime(s)
	if err != nil {
		return 0, false
	}
	return until(at, h, now), true
}

// Reset reads a header that tells when a quota starts anew: seconds from now, or
// a unix time in seconds or milliseconds, told apart by their size.
func Reset(h http.Header, name string, now time.Time) (wait time.Duration, asked bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(h.Get(name)), 10, 64)
	switch {
	case name == "" || err != nil || n < 0:
		return 0, false
	case n < 1e8:
		return min(time.Duration(n)*time.Second, mostWait), true
	case n < 1e11:
		return until(time.Unix(n, 0), h, now), true
	}
	return until(time.UnixMilli(n), h, now), true
}

func until(at time.Time, h http.Header, now time.Time) time.Duration {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return min(max(at.Sub(now), 0), mostWait)
}
