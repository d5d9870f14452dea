package mapping

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"nightporter/sync/mapping/clock"
	"nightporter/sync/record"
)

const instantLayout = "2006-01-02T15:04:05.000Z"

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

// parseInstantText reads a point in time. expected is "" if that succeeds, and otherwise says what is
// wrong with the text.
func parseInstantText(at spot, s string) (t time.Time, expected string) {
	ok := false
	switch at.s.Format {
	case FormatEpoch:
		t, ok = clock.ParseEpoch(s, time.Second, false)
		expected = "not seconds since 1970"
	case FormatFloat:
		t, ok = clock.ParseEpoch(s, time.Second, true)
		expected = "not seconds since 1970"
	case FormatMillis:
		t, ok = clock.ParseEpoch(s, time.Millisecond, true)
		expected = "not milliseconds since 1970"
	case FormatLocal, FormatUTC:
		if t, ok = clock.ParseWall(s); ok && at.s.Format == FormatLocal {
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
		t, ok = clock.ParseOffset(s)
		expected = "not a time with an offset as 2026-03-28T15:00:00+01:00; without one, the format is local or utc"
	}
	if ok {
		expected = ""
	}
	return t, expected
}

func clockOf(at spot, wall time.Time) (time.Time, string) {
	t, ok := clock.Instant(wall, at.f.m.spec.Zone)
	if !ok {
		return t, "a time that the house's clock skipped"
	}
	return t, ""
}

func writeInstant(at spot, v record.Value) (record.Value, note) {
	t, err := time.Parse(instantLayout, v.Text())
	if err != nil {
		return record.Value{}, note{code: BadInstant, text: "not a canonical point in time"}
	}
	w := formatInstant(at, t)
	back, n := parseInstant(at, w)
	if n.bad() {
		return record.Value{}, note{code: OtherTime, text: "what would be written there can't be read back: " + n.text}
	}
	if n := at.saysOther(t, back); n.bad() {
		return record.Value{}, n
	}
	return w, note{}
}

// saysOther says why the form that a side has for a time says another time. back is what is read from that form. A
// clock that is put back shows an hour twice, and a time of the second pass is read as one of the first. A form with
// fewer digits, such as one without seconds, says the same time less exactly, and that is no other time.
func (at spot) saysOther(t, back time.Time) note {
	wall := clock.Wall(t, at.f.m.spec.Zone)
	cut := wall.Sub(clock.Wall(back, at.f.m.spec.Zone))
	if cut < 0 || cut >= time.Hour || t.Sub(back) == cut {
		return note{}
	}
	return note{code: OtherTime, text: fmt.Sprintf(
		"%s stands for two times on the house's clock that night, and would be read there as the earlier one; a format that tells them apart is utc, rfc3339 or epoch", wall.Format("2006-01-02 15:04"))}
}

// saysOtherNow is saysOther for what an expression made of a time. What can't be read back is left alone: the side
// may read the field from another path.
func (at spot) saysOtherNow(v record.Value, made record.Fields) note {
	if at.f.As != Instant {
		return note{}
	}
	is, _ := spot{f: at.f, s: at.s, native: at.native.With(made)}.readNative()
	t, err := time.Parse(instantLayout, v.Text())
	back, errBack := time.Parse(instantLayout, is.Text())
	if err != nil || errBack != nil {
		return note{}
	}
	return at.saysOther(t, back)
}

// formatInstant writes a point in time as the side shows it.
func formatInstant(at spot, t time.Time) record.Value {
	t = t.UTC()
	switch at.s.Format {
	case FormatEpoch:
		return spellBare(at, strconv.FormatInt(t.Unix(), 10), record.Number)
	case FormatMillis:
		return spellBare(at, strconv.FormatInt(t.UnixMilli(), 10), record.Number)
	case FormatFloat:
		return spellBare(at, millisToSeconds(t.UnixMilli()), record.Number)
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

func millisToSeconds(ms int64) string {
	sign := ""
	if ms < 0 {
		sign, ms = "-", -ms
	}
	return fmt.Sprintf("%s%d.%03d", sign, ms/1000, ms%1000)
}
