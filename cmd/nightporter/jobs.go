package main

import (
	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// jobs is what commands need of jobs to name them and to say what they did: no system
// need be opened for it.
type jobs struct {
	order []record.Binding
	of    map[record.Binding]*engine.Job
	store *state.Store
	cfg   *config.Config
}

func jobsOf(a *app.App) jobs {
	return jobs{order: a.Order, of: a.Engine.Jobs, store: a.Store, cfg: a.Config}
}

// jobsIn is the jobs of a configuration: their systems and kinds alone.
func jobsIn(cfg *config.Config, s *state.Store) jobs {
	js := jobs{of: map[record.Binding]*engine.Job{}, store: s, cfg: cfg}
	for i := range cfg.Jobs {
		j := &cfg.Jobs[i]
		job := &engine.Job{Binding: record.Binding(j.Name)}
		for side, js := range [2]config.JobSide{j.Left, j.Right} {
			job.Sides[side] = engine.Side{System: record.System(js.System), Kind: record.Kind(js.Kind)}
		}
		js.of[job.Binding] = job
		js.order = append(js.order, job.Binding)
	}
	return js
}
