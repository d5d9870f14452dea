package serve

import (
	"slices"

	"nightporter/internal/config"
	"nightporter/sync/schedule"
)

// The runs that are not of a job. Users' names begin with a letter.
const (
	backupRun = "@backup"
	tidyRun   = "@tidy"
	checkRun  = "@check"
)

// tidyEvery is how often what is old is deleted, a little at a time.
const tidyEvery = "every 1h"

// checkEvery is how often the indexes of the state file are looked at while it is open.
const checkEvery = "every 1h"

// jobsOf is a configuration as the schedule runs it.
func jobsOf(cfg *config.Config) ([]schedule.Job, error) {
	var jobs []schedule.Job
	for i := range cfg.Jobs {
		jobs = append(jobs, jobOf(cfg, &cfg.Jobs[i]))
	}
	if b := cfg.Backup; b != nil {
		jobs = append(jobs, schedule.Job{Binding: backupRun, Full: b.At})
	}
	for name, every := range map[string]string{tidyRun: tidyEvery, checkRun: checkEvery} {
		spec, err := schedule.Parse(every, cfg.TimeZone)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, schedule.Job{Binding: name, Full: spec})
	}
	return jobs, nil
}

func jobOf(cfg *config.Config, j *config.Job) schedule.Job {
	out := schedule.Job{
		Binding: j.Name, Left: j.When.Left, Right: j.When.Right, Full: j.When.Full,
		Systems: []string{j.Left.System, j.Right.System}, First: holdsBookings(j), CatchUp: j.When.Missed,
	}
	for _, name := range out.Systems {
		if s, ok := cfg.System(name); ok && s.Quiet != nil {
			out.Quiet = append(out.Quiet, s.Quiet)
		}
	}
	return out
}

func holdsBookings(j *config.Job) bool {
	return j.Kind == config.KindStay || j.Kind == config.KindAppointment
}

// beside lets bookings run beside whatever runs: the limiter of each system lets
// their requests go first, so that a long night's pull of guests holds nothing up.
// Others that share a system run one after the other, and what is not of a job runs
// beside anything.
func beside(running, next schedule.Job) bool {
	if running.First || next.First {
		return true
	}
	return !slices.ContainsFunc(next.Systems, func(s string) bool { return slices.Contains(running.Systems, s) })
}
