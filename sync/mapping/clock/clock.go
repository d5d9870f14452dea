// Package clock reads texts of points in time and of civil times, and converts civil times through a
// time zone.
//
// A wall time is what a clock on the wall shows, without an offset from UTC. It is kept as a time.Time
// in UTC with the same date and time of day. A clock that is set back shows some wall times twice, and a
// clock that is set forward skips some.
package clock

import (
	"strconv"
	"strings"
	"time"

	"nightporter/sync/record"
)

// ParseOffset reads a date and time with an offset from UTC.
func ParseOffset(s string) (time.Time, bool) {
	return parse(s, "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07:00")
}

// ParseWall reads a wall time.
func ParseWall(s string) (time.Time, bool) {
	return parse(s, "2006-01-02T15:04:05", "2006-01-02T15:04")
}

// parse reads a text by the first layout that fits. A blank may stand in place of the T.
func parse(s string, layouts ...string) (time.Time, bool) {
	if len(s) > len(time.DateOnly) && s[len(time.DateOnly)] == ' ' {
		s = s[:len(time.DateOnly)] + "T" + s[len(time.DateOnly)+1:]
	}
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

const maxEpochMillis = 253_402_300_799_999 // the end of the year 9999

// ParseEpoch reads seconds or milliseconds since 1970, without using a float. Digits below a millisecond
// are cut off. ok is false if s is not a number, if it has a fraction and none is allowed, or if it is
// too far from 1970: the last time is the end of the year 9999.
func ParseEpoch(s string, unit time.Duration, fraction bool) (t time.Time, ok bool) {
	v, err := record.OfNumber(s)
	if err != nil {
		return time.Time{}, false
	}
	whole, frac, hasFrac := strings.Cut(v.Text(), ".")
	if hasFrac && !fraction {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n > maxEpochMillis || n < -maxEpochMillis {
		return time.Time{}, false
	}
	if unit == time.Millisecond {
		return time.UnixMilli(n), true
	}
	millis, err := strconv.ParseInt((frac + "000")[:3], 10, 64)
	if err != nil || n > maxEpochMillis/1000 || n < -maxEpochMillis/1000 {
		return time.Time{}, false
	}
	if strings.HasPrefix(whole, "-") {
		millis = -millis
	}
	return time.UnixMilli(n*1000 + millis), true
}

// Wall returns what the clock of a zone shows at a point in time.
func Wall(t time.Time, zone *time.Location) time.Time {
	_, offset := t.In(zone).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// around is longer than the offset of any zone from UTC, and longer than any change of a zone's clock.
const around = 30 * time.Hour

// Instant returns the first point in time at which the clock of a zone shows a wall time, in UTC. ok is
// false if the clock skipped that wall time.
func Instant(wall time.Time, zone *time.Location) (first time.Time, ok bool) {
	const layout = "2006-01-02T15:04:05.999999999"
	shown := wall.Format(layout)
	for _, near := range []time.Duration{-around, 0, around} {
		_, offset := wall.Add(near).In(zone).Zone()
		c := wall.Add(-time.Duration(offset) * time.Second)
		if c.In(zone).Format(layout) == shown && (!ok || c.Before(first)) {
			first, ok = c, true
		}
	}
	return first.UTC(), ok
}

// StartOfDay returns the first point in time of a civil day (YYYY-MM-DD) in a zone, in UTC: midnight or,
// if the clock was set forward over midnight, the moment when that happened. ok is false for a day that
// the clock skipped, and for a text that is not a day.
func StartOfDay(day string, zone *time.Location) (start time.Time, ok bool) {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return time.Time{}, false
	}
	if start, ok := Instant(t, zone); ok {
		return start, true
	}
	for c := t.Add(-around); ; {
		_, end := c.In(zone).ZoneBounds()
		if end.IsZero() || end.After(t.Add(around)) {
			return time.Time{}, false
		}
		if end.In(zone).Format(time.DateOnly) == day {
			return end.UTC(), true
		}
		c = end
	}
}

// Layout turns a pattern of YYYY MM DD HH mm ss into a layout of package time. ok is false if pattern is
// not such a pattern, or lacks the year, the month or the day.
func Layout(pattern string) (layout string, ok bool) {
	if !strings.Contains(pattern, "YYYY") || !strings.Contains(pattern, "MM") || !strings.Contains(pattern, "DD") {
		return "", false
	}
	rest := strings.NewReplacer("YYYY", "", "MM", "", "DD", "", "HH", "", "mm", "", "ss", "", "T", "").Replace(pattern)
	if strings.Trim(rest, " -/.:,_") != "" {
		return "", false
	}
	return strings.NewReplacer(
		"YYYY", "2006", "MM", "01", "DD", "02", "HH", "15", "mm", "04", "ss", "05",
	).Replace(pattern), true
}
