package run

import (
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Scope is the window of days that the lists of a side are read for; empty if the side can't limit its lists to days.
func (r *Run) Scope(side record.Side) connectors.Scope { return r.ScopeOf(r.Job, side) }

// ScopeOf is Scope for any job.
func (r *Run) ScopeOf(job *Job, side record.Side) connectors.Scope {
	if !job.Sides[side].Can.Windowed {
		return connectors.Scope{}
	}
	return r.windowOf(job)
}

// windowOf is the days a job looks at, both inclusive; empty for a job without a window.
func (r *Run) windowOf(job *Job) connectors.Scope {
	if job.Window == nil {
		return connectors.Scope{}
	}
	today := r.Now.In(job.Zone)
	day := func(n int) string { return today.AddDate(0, 0, n).Format(time.DateOnly) }
	return connectors.Scope{From: day(job.Window.From), To: day(job.Window.To)}
}

// Outside reports whether a record lies outside the window by its own days.
func (r *Run) Outside(side record.Side, native record.Fields) bool {
	return r.Beside(side, native) != 0
}

// Beside is -1 for a record that lies by its own days before the window, 1 for one after it, and 0 otherwise.
func (r *Run) Beside(side record.Side, native record.Fields) int {
	w := r.windowOf(r.Job)
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

// days is the first and the last day of a record, as it was read; "" where it shows none. For a booking
// they are the fields that its job names. For other kinds, as orders and calls, the system itself says
// which of its fields limit its lists.
func (r *Run) days(side record.Side, native record.Fields) (first, last string) {
	if b := r.Job.Booking; b != nil {
		c, _ := r.Job.Mapping.Read(side, native)
		return c[b.First].Text(), c[b.Last].Text()
	}
	limits := r.Side(side).Can.WindowField
	return civilDay(native[limits[0]].Text(), r.Job.Zone), civilDay(native[limits[1]].Text(), r.Job.Zone)
}

// civilDay is the day of a time or a date, "" for any other text. A time without a zone counts as a
// time of the house.
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
