package schedule

import (
	"sync/atomic"
	"time"
)

// stretch is a time during which a zone keeps one offset from UTC: from start until just before end. A zero
// end means for ever. before is the offset up to start.
type stretch struct {
	start, end     time.Time
	offset, before time.Duration
}

// zone says what the wall clock shows. It remembers the stretch that was used last. It is safe for use from
// several goroutines.
type zone struct {
	loc  *time.Location
	last atomic.Pointer[stretch]
}

// at returns the stretch that holds t.
func (z *zone) at(t time.Time) *stretch {
	if s := z.last.Load(); s != nil && !t.Before(s.start) && (s.end.IsZero() || t.Before(s.end)) {
		return s
	}
	local := t.In(z.loc)
	_, offset := local.Zone()
	s := &stretch{offset: time.Duration(offset) * time.Second}
	s.start, s.end = local.ZoneBounds()
	s.start, s.end = s.start.UTC(), utcOrZero(s.end)
	s.before = s.offset
	if !s.start.IsZero() {
		_, before := s.start.Add(-1).In(z.loc).Zone()
		s.before = time.Duration(before) * time.Second
	}
	z.last.Store(s)
	return s
}

func utcOrZero(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

// wall returns what the wall clock shows at t, as a UTC time. fold is 1 if the clock shows that time for the
// second time, otherwise 0.
func (z *zone) wall(t time.Time) (civil time.Time, fold int) {
	s := z.at(t)
	if back := s.before - s.offset; back > 0 && t.Sub(s.start) < back {
		fold = 1
	}
	return t.UTC().Add(s.offset), fold
}

// first returns the first instant at which the wall clock shows civil. If civil is in a gap, it returns the
// first instant after the gap.
func (z *zone) first(civil time.Time) time.Time {
	t, _ := z.both(civil)
	return t
}

// both returns the first and the last instant at which the wall clock shows civil. They only differ in a
// repeated hour. If civil is in a gap, both are the first instant after the gap.
func (z *zone) both(civil time.Time) (first, last time.Time) {
	// No zone is further than 26 hours from UTC. No zone changes its offset so often within three days that
	// the stretches below would miss a change.
	early := z.at(civil.Add(-26 * time.Hour))
	for {
		if t := civil.Add(-early.offset); early.end.IsZero() || t.Before(early.end) {
			first = t
			if first.Before(early.start) {
				first = early.start // civil is in the gap before this stretch
			}
			break
		}
		early = z.at(early.end)
	}
	last = first
	for next := early; !next.end.IsZero(); {
		next = z.at(next.end)
		t := civil.Add(-next.offset)
		if t.Before(next.start) || t.Sub(first) > 26*time.Hour {
			break
		}
		if next.end.IsZero() || t.Before(next.end) {
			last = t
		}
	}
	return first, last
}
