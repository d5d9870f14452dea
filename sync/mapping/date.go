package mapping

import (
	"strings"
	"time"

	"nightporter/sync/mapping/clock"
	"nightporter/sync/record"
)

// readDate reads a civil day, as it stands on a calendar. A day is converted through a time zone only if
// the format says that the side shows days as instants.
func readDate(at spot, v record.Value) (record.Value, note) {
	switch at.s.Format {
	case FormatInstant, FormatEpoch, FormatMillis:
		return readDayOfInstant(at, v)
	}
	s, n := scalar(v)
	if n.bad() {
		return record.Value{}, n
	}
	s = strings.TrimSpace(s)
	switch at.s.Format {
	case FormatLocal:
		return dayAt(s, clock.ParseWall)
	case FormatUTC:
		return dayAt(s, func(s string) (time.Time, bool) {
			t, ok := clock.ParseOffset(s)
			return t.UTC(), ok
		})
	}
	layout := time.DateOnly
	if at.s.layout != "" {
		layout = at.s.layout
	}
	t, err := time.Parse(layout, s)
	if err != nil || t.Year() < 1 {
		want := at.s.Format
		if want == "" {
			want = "YYYY-MM-DD"
		}
		return record.Value{}, note{code: BadDate, text: "not a day as " + want + "; a day shown with an hour needs a format"}
	}
	return record.OfText(t.Format(time.DateOnly)), note{}
}

// dayAt reads a day that is shown as the midnight at which it begins.
func dayAt(s string, parse func(string) (time.Time, bool)) (record.Value, note) {
	t, ok := parse(s)
	if !ok {
		return record.Value{}, note{code: BadDate, text: "not a day as YYYY-MM-DD 00:00:00"}
	}
	if t.Hour() != 0 || t.Minute() != 0 || t.Second() != 0 || t.Nanosecond() != 0 {
		return record.Value{}, note{code: BadDate, text: "it has an hour, and a day is expected"}
	}
	return record.OfText(t.Format(time.DateOnly)), note{}
}

func readDayOfInstant(at spot, v record.Value) (record.Value, note) {
	t, n := parseInstant(at, v)
	if n.bad() {
		n.code = BadDate
		return record.Value{}, n
	}
	zone := at.f.m.spec.Zone
	day := t.In(zone).Format(time.DateOnly)
	if start, ok := clock.StartOfDay(day, zone); !ok || !start.Equal(t) {
		return record.Value{}, note{code: BadDate, text: "it has an hour on the house's clock, and a day is expected"}
	}
	return record.OfText(day), note{}
}

func writeDate(at spot, v record.Value) (record.Value, note) {
	t, err := time.Parse(time.DateOnly, v.Text())
	if err != nil {
		return record.Value{}, note{code: BadDate, text: "not a day as YYYY-MM-DD"}
	}
	switch at.s.Format {
	case FormatInstant, FormatEpoch, FormatMillis:
		start, ok := clock.StartOfDay(v.Text(), at.f.m.spec.Zone)
		if !ok {
			return record.Value{}, note{code: BadDate, text: "the house's clock skipped that day"}
		}
		return formatInstant(at, start), note{}
	case FormatLocal:
		return record.OfText(t.Format(time.DateTime)), note{}
	case FormatUTC:
		return record.OfText(t.Format("2006-01-02T15:04:05Z")), note{}
	}
	if at.s.layout != "" {
		return record.OfText(t.Format(at.s.layout)), note{}
	}
	return record.OfText(t.Format(time.DateOnly)), note{}
}
