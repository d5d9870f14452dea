package schedule

import (
	"fmt"
	"strings"
	"time"
)

// starBit is the bit that the library sets in a field that is written as `*`.
const starBit = 1 << 63

// Spec is a cadence as the configuration writes it, in the time zone of its job.
// The zero Spec has no slots. It is made by Parse, and safe for use from several goroutines.
//
// There are two kinds of cadence. They differ in the nights when the clock is changed:
//
//   - An interval (`every`, or a cron line with `*` as its hour) follows real time.
//     It runs in both passes of a repeated hour, and has no slot in a gap. `every`
//     counts from 1970-01-01 00:00 UTC, so that a restart does not move the slots.
//   - A time of day follows the wall clock: each civil time is run once. A time in
//     a gap is run at the first instant after the gap, and a time in a repeated
//     hour in its first pass. If several civil times come together at the end of a
//     gap, they are one slot, named by the last of them.
type Spec struct {
	text    string
	webhook bool
	parsed
	period time.Duration
	zone   *zone
}

// Parse reads a cadence: "every 2m", "03:30", a cron line of five fields, a descriptor such as "@daily",
// "webhook" (no slots), or "webhook, or every 2m". An error names the text, its cause and the right
// spelling. loc must not be nil.
func Parse(text string, loc *time.Location) (*Spec, error) {
	s := &Spec{text: strings.Join(strings.Fields(text), " "), zone: &zone{loc: loc}}
	rest := s.text
	if after, ok := cutWord(rest, "webhook"); ok {
		s.webhook = true
		rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(after), ","))
		if rest == "" {
			return s, nil
		}
		after, ok := cutWord(rest, "or")
		if !ok {
			return nil, fmt.Errorf(`cadence %q: words after webhook; write "webhook, or every 2m"`, text)
		}
		rest = strings.TrimSpace(after)
	}
	p, err := parseCadence(rest)
	if err != nil {
		return nil, fmt.Errorf("cadence %q: %w", text, err)
	}
	s.parsed, s.period = p, p.shortest()
	return s, nil
}

func cutWord(text, word string) (string, bool) {
	if len(text) < len(word) || !strings.EqualFold(text[:len(word)], word) {
		return text, false
	}
	rest := text[len(word):]
	return rest, rest == "" || rest[0] == ' ' || rest[0] == ','
}

// String returns the cadence as it was written, with single spaces.
func (s *Spec) String() string { return s.text }

// Webhook reports whether the cadence waits for a webhook as well.
func (s *Spec) Webhook() bool { return s.webhook }

// Timed reports whether the cadence has slots: false for a webhook alone.
func (s *Spec) Timed() bool { return s != nil && (s.every > 0 || s.cron != nil) }

// Interval reports whether the cadence follows real time, see Spec.
func (s *Spec) Interval() bool { return s.every > 0 || s.cron != nil && s.cron.Hour&starBit != 0 }

// Next returns the first slot after t; zero if there is none.
func (s *Spec) Next(t time.Time) Slot {
	switch {
	case !s.Timed():
		return Slot{}
	case s.every > 0:
		return s.slot(floor(t, s.every).Add(s.every))
	case s.Interval():
		return s.nextInterval(t)
	}
	return s.nextWall(t)
}

// Last returns the newest slot after `after` that is not later than now; zero if there is none. It is as
// fast for years as for a day.
func (s *Spec) Last(after, now time.Time) Slot {
	if !s.Timed() || !after.Before(now) {
		return Slot{}
	}
	if s.every > 0 {
		if at := floor(now, s.every); at.After(after) {
			return s.slot(at)
		}
		return Slot{}
	}
	return lastBy(s.Next, after, now)
}

// lastBy returns the last slot after `after` that is not later than now, if only next is known. It tries
// to find slots in the last hour before now, then in the last four hours, and so on.
func lastBy(next func(time.Time) Slot, after, now time.Time) Slot {
	var found Slot
	for back := time.Hour; ; back *= 4 {
		from := now.Add(-back)
		if from.Before(after) {
			from = after
		}
		for n := next(from); !n.IsZero() && !n.At.After(now); n = next(n.At) {
			found = n
		}
		if !found.IsZero() || from.Equal(after) {
			return found
		}
	}
}

// nextInterval returns the first slot of an interval after t. It looks through the stretches of the zone,
// one after the other: within a stretch the offset from UTC stays the same.
func (s *Spec) nextInterval(t time.Time) Slot {
	for {
		st := s.zone.at(t)
		civil := nextNaive(s.cron, t.UTC().Add(st.offset))
		if civil.IsZero() {
			return Slot{}
		}
		at := civil.Add(-st.offset)
		if st.end.IsZero() || at.Before(st.end) {
			return s.slot(at)
		}
		// Look from just before the new stretch, with the offset of the new stretch.
		st = s.zone.at(st.end)
		civil = nextNaive(s.cron, st.start.Add(st.offset-1))
		if civil.IsZero() {
			return Slot{}
		}
		if at = civil.Add(-st.offset); st.end.IsZero() || at.Before(st.end) {
			return s.slot(at)
		}
		t = st.end.Add(-1)
	}
}

// nextWall returns the first slot of a time of day after t. It looks for the next match on the wall clock,
// and turns that into an instant.
func (s *Spec) nextWall(t time.Time) Slot {
	civil, _ := s.zone.wall(t)
	for {
		civil = nextNaive(s.cron, civil)
		if civil.IsZero() {
			return Slot{}
		}
		at := s.zone.first(civil)
		if !at.After(t) {
			continue // t is in the second pass of a repeated hour: the slot was in the first
		}
		if s.zone.at(at).start.Equal(at) { // a stretch begins at this instant: it may be the end of a gap
			for next := nextNaive(s.cron, civil); !next.IsZero() && s.zone.first(next).Equal(at); next = nextNaive(s.cron, next) {
				civil = next
			}
		}
		return Slot{Civil: civilText(civil), At: at}
	}
}

// slot returns the slot at an instant, named by the wall clock.
func (s *Spec) slot(at time.Time) Slot {
	civil, fold := s.zone.wall(at)
	return Slot{Civil: civilText(civil), Fold: fold, At: at.UTC()}
}

// civilText returns the same as civil.Format("2006-01-02T15:04"), but is several times as fast.
func civilText(civil time.Time) string {
	year, month, day := civil.Date()
	hour, minute, _ := civil.Clock()
	if year < 0 || year > 9999 {
		return civil.Format("2006-01-02T15:04")
	}
	b := [16]byte{4: '-', 7: '-', 10: 'T', 13: ':'}
	const digits = "0123456789"
	put := func(i, n int) { b[i], b[i+1] = digits[n/10], digits[n%10] }
	put(0, year/100)
	put(2, year%100)
	put(5, int(month))
	put(8, day)
	put(11, hour)
	put(14, minute)
	return string(b[:])
}

// floor returns the last multiple of d since 1970 that is not after t.
func floor(t time.Time, d time.Duration) time.Time {
	sec, per := t.Unix(), int64(d/time.Second)
	sec -= ((sec % per) + per) % per
	return time.Unix(sec, 0).UTC()
}

// Period returns the shortest time between two slots on a wall clock that is never changed; zero without
// slots.
func (s *Spec) Period() time.Duration {
	if s == nil {
		return 0
	}
	return s.period
}

// day returns when the civil day of t begins, and when the next day begins.
func (s *Spec) day(t time.Time) (start, end time.Time) {
	civil, _ := s.zone.wall(t)
	midnight := time.Date(civil.Year(), civil.Month(), civil.Day(), 0, 0, 0, 0, time.UTC)
	return s.zone.first(midnight), s.zone.first(midnight.AddDate(0, 0, 1))
}
