package engine

import (
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// scope is the window of days, as the side can honour it.
func (r *run) scope(side record.Side) connectors.Scope {
	if r.job.Window == nil || !r.side(side).Can.Windowed {
		return connectors.Scope{}
	}
	return r.window()
}

// listedDays is the days that a list of a side is asked for. What changed is asked for
// without days: what was moved out of the window is shown by no other list. That needs a
// system that lists changes of all days, and a job that makes nothing of a record which
// lies outside (bookingParked).
func (r *run) listedDays(side record.Side, mode connectors.Mode) connectors.Scope {
	if mode == connectors.Since && r.job.Booking != nil && !r.side(side).Can.SinceWindowed {
		return connectors.Scope{}
	}
	return r.scope(side)
}

// window is the days this run looks at, both inclusive.
func (r *run) window() connectors.Scope {
	if r.job.Window == nil {
		return connectors.Scope{}
	}
	today := r.now.In(r.job.Zone)
	day := func(n int) string { return today.AddDate(0, 0, n).Format(time.DateOnly) }
	return connectors.Scope{From: day(r.job.Window.From), To: day(r.job.Window.To)}
}

// outside reports whether a record lies outside the window by its own days.
func (r *run) outside(side record.Side, native record.Fields) bool {
	return r.beside(side, native) != 0
}

// beside is -1 for a record that lies before the window by its own days, 1 for one after it, else 0.
func (r *run) beside(side record.Side, native record.Fields) int {
	w := r.window()
	if w == (connectors.Scope{}) {
		return 0
	}
	first, last := r.days(side, native)
	switch {
	case first != "" && first > w.To:
		return 1
	case last != "" && last < w.From:
		return -1
	}
	return 0
}

// days is a record's first and last day, as it was read; "" where it shows none. Those of a
// booking are the fields of its job. Of other kinds, as orders and calls, the system itself says
// which of its fields limit its lists.
func (r *run) days(side record.Side, native record.Fields) (first, last string) {
	if b := r.job.Booking; b != nil {
		c, _ := r.job.Mapping.Read(side, native)
		return c[b.First].Text(), c[b.Last].Text()
	}
	limits := r.side(side).Can.WindowField
	return civilDay(native[limits[0]].Text(), r.job.Zone), civilDay(native[limits[1]].Text(), r.job.Zone)
}

// civilDay is the day of a time or a date, "" for any other text. A time that names no zone is
// taken for one of the house.
func civilDay(text string, zone *time.Location) string {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.In(zone).Format(time.DateOnly)
	}
	if len(text) < len(time.DateOnly) {
		return ""
	}
	day := text[:len(time.DateOnly)]
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return ""
	}
	return day
}
