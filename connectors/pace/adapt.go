package pace

import (
	"math"
	"time"
)

// How a pace is found that a system doesn't tell.
const (
	aMinute    = time.Minute  // bare refusals are no closer than that
	mostPause  = time.Hour    // between two attempts at a system that stays shut
	calm       = 10 * aMinute // without a refusal the pace grows faster
	growth     = 0.01         // of the pace, in a minute
	calmGrowth = 0.05         // of the pace, in a minute, after a calm time
	cut        = 0.95         // of the pace, after a refusal that came late
	halve      = 0.5          // of the pace, after one that came within a minute
)

// adapt finds the pace of a system that refuses without saying how long. It grows
// slowly and is cut by a refusal. A refusal that meets the first request after a
// pause tells nothing of the pace, only that the pause was too short; it tells how
// long the system's window is, and so what the pace must have been.
type adapt struct {
	rate float64 // requests a second; 0: none was needed yet
	next time.Time
	last time.Time

	n       int       // accepted since began
	began   time.Time // the first accepted request after a pause
	refused time.Time
	shut    int // refusals since the last accepted request
	pause   time.Duration
	recent  [32]time.Time
	grants  int
}

func (a *adapt) ready(now time.Time) time.Time {
	if a.rate == 0 {
		return now
	}
	return a.next
}

func (a *adapt) take(now time.Time) {
	a.recent[a.grants%len(a.recent)] = now
	a.grants++
	if a.rate == 0 {
		return
	}
	step := a.step()
	if late := now.Sub(a.next); late < step { // there was work for more
		by := growth
		if now.Sub(a.refused) > calm {
			by = calmGrowth
		}
		a.rate *= 1 + by*min(now.Sub(a.last), 2*step).Minutes()
		a.next = a.next.Add(step)
	} else {
		a.next = now.Add(step)
	}
	a.last = now
}

func (a *adapt) step() time.Duration { return time.Duration(float64(time.Second) / a.rate) }

// accepted counts a request that was not refused.
func (a *adapt) accepted(granted, now time.Time) {
	if granted.Before(a.refused) {
		return
	}
	if a.shut > 1 {
		// The system stayed shut over several pauses: what it took before is what
		// it takes in a window as long as all that.
		a.rate = min(a.rate, max(float64(a.n), 1)/now.Sub(a.began).Seconds())
		a.next = now.Add(a.step())
	}
	if a.shut > 0 || a.began.IsZero() {
		a.n, a.began, a.shut = 0, now, 0
	}
	a.n++
}

// refuse takes a bare refusal in and says how long to pause. base is the first
// pause.
func (a *adapt) refuse(now time.Time, base time.Duration) time.Duration {
	a.refused = now
	a.shut++
	if a.shut > 1 {
		a.pause = min(a.pause*3/2, mostPause)
		return a.pause
	}
	ran := now.Sub(a.began)
	if a.began.IsZero() {
		ran = 0
	}
	rate := a.rate * cut
	switch {
	case a.rate == 0:
		rate = a.speed(now) * halve
	case ran < aMinute:
		rate = a.rate * halve
	}
	a.rate = max(rate, float64(a.n)/(ran+aMinute).Seconds(), 1/mostPause.Seconds())
	a.pause = base
	a.next = now.Add(base)
	return base
}

// speed is how fast the last requests were sent.
func (a *adapt) speed(now time.Time) float64 {
	n := min(a.grants, len(a.recent))
	if n < 2 {
		return 1
	}
	took := now.Sub(a.recent[(a.grants-n)%len(a.recent)]).Seconds()
	return float64(n) / math.Max(took, 0.001)
}
