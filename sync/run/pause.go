package run

import (
	"time"
)

// Zone is the job's time zone, UTC where it has none.
func (r *Run) Zone() *time.Location {
	if r.Job.Zone == nil {
		return time.UTC
	}
	return r.Job.Zone
}
