package observe

import (
	"nightporter/connectors"
	"nightporter/sync/record"
)

// listedDays is the days that a list of a side is asked for. What changed is asked for
// without days: what was moved out of the window is shown by no other list. That needs a
// system that lists changes of all days, and a job that makes nothing of a record which
// lies outside (bookingParked).
func (r *Room) listedDays(side record.Side, mode connectors.Mode) connectors.Scope {
	if mode == connectors.Since && r.Job.Booking != nil && !r.Side(side).Can.SinceWindowed {
		return connectors.Scope{}
	}
	return r.Scope(side)
}
