package mapping

import (
	"strconv"
	"strings"
	"time"

	"nightporter/sync/record"
)

const (
	instantLayout = "2006-01-02T15:04:05.000Z"
	wallLayout    = "2006-01-02T15:04:05.999999999"
)

func readInstant(at spot, v record.Value) (record.Value, note) {
	t, n := parseInstant(at, v)
	if n.bad() {
		return record.Value{}, n
	}
	return record.OfText(t.Format(instantLayout)), note{}
}

// parseInstant reads a point in time as the side shows it.
func parseInstant(at spot, v record.Value) (time.Time, note) {
	s, n := scalar(v)
	if n.bad() {
		return time.Time{}, n
	}
	t, text := parseInstantText(at, strings.TrimSpace(s))
	if text != "" {
		return time.Time{}, note{code: BadInstant, text: text}
	}
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, note{code: BadInstant, text: "a time out of all calendars"}
	}
	return t, note{}
}

// parseInstantText reads a point in time, or says what was expected.
func parseInstantText(at spot, s string) (t time.Time, expected string) {
	ok := false
	switch at.s.Format {
	case FormatEpoch:
		t, ok = parseEpoch(s, time.Second, false)
		expected = "not seconds since 1970"
	case FormatFloat:
		t, ok = parseEpoch(s, time.Second, true)
		expected = "not seconds since 1970"
	case FormatMillis:
		t, ok = parseEpoch(s, time.Millisecond, true)
		expected = "not milliseconds since 1970"
	case FormatLocal, FormatUTC:
		if t, ok = parseWall(s); ok && at.s.Format == FormatLocal {
			return clockOf(at, t)
		}
		expected = "not a time as YYYY-MM-DD HH:MM:SS without an offset"
	default:
		if at.s.layout != "" {
			w, err := time.Parse(at.s.layout, s)
			if err != nil {
				return t, "not a time as " + at.s.Format
			}
			return clockOf(at, w)
		}
		t, ok = parseOffset(s)
		expected = "not a time with an offset as 2026-03-28T15:00:00+01:00; without one, the format is local or utc"
	}
	if ok {
		expected = ""
	}
	return t, expected
}

func clockOf(at spot, wall time.Time) (time.Time, string) {
	t, ok := onClock(wall, at.f.m.spec.Zone)
	if !ok {
		return t, "a time that the house's clock skipped"
	}
	return t, ""
}

// parseOffset reads a date and time with an offset from UTC.
func parseOffset(s string) (time.Time, bool) {
	return parseLayouts(s, "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07:00")
}

// parseWall reads a date and time as a clock shows it, without an offset.
func parseWall(s string) (time.Time, bool) {
	return parseLayouts(s, "2006-01-02T15:04:05", "2006-01-02T15:04")
}

func parseLayouts(s string, layouts ...string) (time.Time, bool) {
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

// parseEpoch reads units since 1970 without going through a float.
func parseEpoch(s string, unit time.Duration, fraction bool) (time.Time, bool) {
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

const maxEpochMillis = 253_402_300_799_999 // the end of the year 9999

func writeInstant(at spot, v record.Value) (record.Value, note) {
	t, err := time.Parse(instantLayout, v.Text())
	if err != nil {
		return record.Value{}, note{code: BadInstant, text: "not a canonical point in time"}
	}
	return formatInstant(at, t), note{}
}

// formatInstant writes a point in time as the side shows it.
func formatInstant(at spot, t time.Time) record.Value {
	t = t.UTC()
	switch at.s.Format {
	case FormatEpoch:
		return spellBare(at, strconv.FormatInt(t.Unix(), 10))
	case FormatMillis:
		return spellBare(at, strconv.FormatInt(t.UnixMilli(), 10))
	case FormatFloat:
		return spellBare(at, millisToSeconds(t.UnixMilli()))
	case FormatLocal:
		return record.OfText(t.In(at.f.m.spec.Zone).Format("2006-01-02 15:04:05.999"))
	case FormatUTC:
		return record.OfText(t.Format("2006-01-02 15:04:05.999"))
	}
	if at.s.layout != "" {
		return record.OfText(t.In(at.f.m.spec.Zone).Format(at.s.layout))
	}
	return record.OfText(t.Format("2006-01-02T15:04:05.999Z07:00"))
}

// spellBare is spell for a side whose format says something else than the type.
func spellBare(at spot, digits string) record.Value {
	return spell(spot{f: at.f, s: &side{SideSpec: SideSpec{Path: at.s.Path}}, native: at.native}, digits, record.Number)
}

func millisToSeconds(ms int64) string {
	sign := ""
	if ms < 0 {
		sign, ms = "-", -ms
	}
	s := strconv.FormatInt(ms, 10)
	for len(s) < 4 {
		s = "0" + s
	}
	return sign + s[:len(s)-3] + "." + s[len(s)-3:]
}
