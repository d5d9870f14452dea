package webhook

import (
	"maps"
	"sync/atomic"
	"time"

	"nightporter/sync/record"
)

// Counts is what became of the deliveries of one system since the start.
type Counts struct {
	Kept      atomic.Int64 // deliveries that were verified and kept
	Unknown   atomic.Int64 // of them those that name nothing we know
	Strange   atomic.Int64 // events that name nothing we know, in deliveries of several too
	Forged    atomic.Int64 // not signed, or not by a secret that is known here
	Stale     atomic.Int64 // signed too long ago, or for a time to come
	Malformed atomic.Int64 // too large, cut off, or no JSON
	Busy      atomic.Int64 // more than are taken, or than could be kept or verified now

	came, refused atomic.Int64 // the last one that was verified, and that was not taken
}

// Came is when a delivery was verified last, the zero time for never.
func (c *Counts) Came() time.Time { return instant(c.came.Load()) }

// Refused is when one was answered by an error last, the zero time for never.
func (c *Counts) Refused() time.Time { return instant(c.refused.Load()) }

func instant(millis int64) time.Time {
	if millis == 0 {
		return time.Time{}
	}
	return time.UnixMilli(millis)
}

// Counts is what became of the deliveries of each system that was received from since
// the start.
func (r *Receiver) Counts() map[record.System]*Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.counts)
}

func (r *Receiver) countsOf(s record.System) *Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.counts[s]
	if c == nil {
		c = &Counts{}
		r.counts[s] = c
	}
	return c
}
