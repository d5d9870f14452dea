package pace

import "time"

// sliding is a quota of which no stretch of time of its length may hold more. A
// request counts from when it is sent until one length after its answer, because
// the system may have counted it at any moment between.
type sliding struct {
	name  string
	limit int
	kept  int
	per   time.Duration

	spans  []span // oldest first
	used   int    // in spans
	booked int    // of those, and of flying
	flying int

	since time.Time // when work began after a rest
	last  time.Time
	next  time.Time // in even steps
}

// span is requests that were answered within a thousandth of the length.
type span struct {
	from, to  time.Time
	n, booked int
}

// guard lets a moment pass after a request has left the window: systems differ in
// whether the edge belongs to it.
const guard = time.Millisecond

func (s *sliding) drop(now time.Time) {
	n := 0
	for n < len(s.spans) && !now.Before(s.spans[n].to.Add(s.per+guard)) {
		s.used -= s.spans[n].n
		s.booked -= s.spans[n].booked
		n++
	}
	s.spans = s.spans[n:]
	if len(s.spans) == 0 {
		s.spans = nil
	}
}

func (s *sliding) usable() int { return s.limit - max(0, s.kept-s.booked) }

func (s *sliding) step() time.Duration { return s.per / time.Duration(s.limit-s.kept) }

func (s *sliding) ready(now time.Time, booking bool) time.Time {
	s.drop(now)
	most, total := s.limit, s.used+s.flying
	if !booking {
		most = s.usable()
	}
	switch {
	case total >= most && len(s.spans) == 0:
		return time.Time{}
	case total >= most:
		return s.spans[0].to.Add(s.per + guard)
	case booking, s.rested(now):
		return now
	}
	return s.spread(now, most, total)
}

// rested reports whether the quota is as good as untouched.
func (s *sliding) rested(now time.Time) bool {
	return (s.used+s.flying)*10 < s.limit && !now.Before(s.since.Add(s.per))
}

// spread lets half of the quota go as it comes after a rest, the other half in even
// steps to the end of the first length, and everything in even steps from then on.
// Otherwise the first burst would come back with each length.
func (s *sliding) spread(now time.Time, most, total int) time.Time {
	end := s.since.Add(s.per)
	if !s.last.Before(end) {
		return s.next
	}
	if total*2 < most || s.last.IsZero() {
		return now
	}
	return s.last.Add(end.Sub(s.last) / time.Duration(most-total))
}

func (s *sliding) take(now time.Time, booking bool) {
	s.drop(now)
	if booking {
		s.booked++
		s.flying++
		return
	}
	if s.rested(now) {
		s.since = now
	}
	s.flying++
	s.last = now
	step := s.step()
	if now.Sub(s.next) > step || now.Before(s.since.Add(s.per)) {
		s.next = now
	}
	s.next = s.next.Add(step)
}

func (s *sliding) done(_, now time.Time, booking, _ bool) {
	s.flying--
	s.used++
	booked := 0
	if booking {
		booked = 1
	}
	if n := len(s.spans); n > 0 && now.Sub(s.spans[n-1].from) < s.per/1000 {
		l := &s.spans[n-1]
		l.to, l.n, l.booked = now, l.n+1, l.booked+booked
		return
	}
	s.spans = append(s.spans, span{from: now, to: now, n: 1, booked: booked})
}

func (s *sliding) left(now time.Time) Left {
	s.drop(now)
	l := Left{Quota: s.name, Limit: s.limit, Left: max(0, s.limit-s.used-s.flying)}
	l.Kept = min(l.Left, max(0, s.kept-s.booked))
	if len(s.spans) > 0 {
		l.Resets = s.spans[0].to.Add(s.per + guard)
	}
	return l
}
