package observe

import (
	"nightporter/connectors"
	"nightporter/sync/record"
)

// listedDays returns the days that a list of a side is asked for. A list of changes is asked for without days: no
// other list shows what was moved out of the window. That needs a system that lists changes of all days, and a job
// that makes nothing of a record outside of the window (decide.bookingParked).
func (r *Room) listedDays(side record.Side, mode connectors.Mode) connectors.Scope {
	if mode == connectors.Since && r.Job.Booking != nil && !r.Side(side).Can.SinceWindowed {
		return connectors.Scope{}
	}
	return r.Scope(side)
}
