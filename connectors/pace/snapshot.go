package pace

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Snapshot is what a limiter is doing, for status and metrics.
type Snapshot struct {
	Quotas  []Left
	Waiting time.Time        // the system asked to be left alone until then; zero if not
	Rate    float64          // requests a minute that were found out; 0 if that wasn't needed
	Queue   map[Priority]int // who waits, without those at zero
	Sent    map[Priority]int // since the start
	Refused int              // of Sent
	Flying  int              // on their way now
	Doubts  []Doubt          // what answers tell of quotas and is not believed
	Next    time.Time        // when somebody who waits has his turn; zero if nobody waits
}

// Snapshot looks at the limiter.
func (l *Limiter) Snapshot() Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	s := Snapshot{
		Rate: l.adapt.rate * 60, Queue: map[Priority]int{}, Sent: map[Priority]int{}, Refused: l.refused, Flying: l.flying,
	}
	if l.until.After(now) {
		s.Waiting = l.until
	}
	for _, w := range l.laws {
		s.Quotas = append(s.Quotas, w.left(now))
	}
	for _, w := range l.told {
		s.Quotas = append(s.Quotas, w.left(now))
	}
	l.quotas(func(f *fixed) {
		if d, ok := f.doubt(now); ok {
			s.Doubts = append(s.Doubts, d)
		}
	})
	slices.SortFunc(s.Doubts, func(a, b Doubt) int { return cmp.Compare(a.Quota, b.Quota) })
	if p, ok := l.choose(); ok {
		s.Next = l.ready(now, p == Booking)
	}
	slices.SortFunc(s.Quotas[len(l.laws):], func(a, b Left) int { return cmp.Compare(a.Quota, b.Quota) })
	for p := range Priority(priorities) {
		if n := len(l.queues[p]); n > 0 {
			s.Queue[p] = n
		}
		if l.sent[p] > 0 {
			s.Sent[p] = l.sent[p]
		}
	}
	return s
}

// Plan is how long n requests take from now on, none of them for a booking, and
// nobody else sending any. The bookings' reserve is not counted on. Answers are
// taken to need as long as the last ones did.
func (l *Limiter) Plan(n int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if n <= 0 {
		return 0
	}
	most := time.Duration(n) * l.took / time.Duration(max(l.cfg.Concurrency, 1))
	for _, q := range l.cfg.Quotas {
		most = max(most, lasts(q.Requests-l.cfg.kept(q.Requests), q.Per, n, q.Window == Fixed))
	}
	for _, f := range l.told {
		if !f.belied {
			most = max(most, lasts(f.limit-f.kept, f.per, n, true))
		}
	}
	if l.adapt.rate > 0 {
		most = max(most, lasting(float64(n)/l.adapt.rate, time.Second))
	}
	return max(0, l.until.Sub(now)) + min(most, math.MaxInt64/4)
}

// lasts is how long n requests take where usable go in each window. The first half
// of a window's go as they come and the others in even steps; after its first length
// a sliding window has even steps only.
func lasts(usable int, per time.Duration, n int, fixed bool) time.Duration {
	full := (n - 1) / usable
	if full > 0 && !fixed {
		return lasting(float64(n)/float64(usable), per)
	}
	rest := float64(n-full*usable) / float64(usable)
	return lasting(float64(full)+max(0, 2*rest-1), per)
}
