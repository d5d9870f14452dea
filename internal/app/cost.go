package app

import (
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/internal/config"
	"nightporter/sync/blank"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Requests one change takes beside the write itself are the read that makes sure
// the record still is as it was when the change was decided, which a system spares
// us that refuses an outdated change by itself, and the look-up before a create.

// UpdateCalls is how many requests a change of a record takes.
func UpdateCalls(k connectors.Kind) int {
	if k.Conditional || !k.Get {
		return 1
	}
	return 2
}

// CreateCalls is how many requests a new record takes at most: where the system
// doesn't itself refuse a second one with the same key, it may be asked for first, once
// for each match rule.
func CreateCalls(job *engine.Job, side record.Side) int {
	s := job.Sides[side]
	_, finds := blank.Under(s.Conn).(connectors.Finder)
	if keyed(job, side) || s.Can.Stable || !finds || len(s.Can.FindBy) == 0 {
		return 1
	}
	return 1 + min(len(job.Match), len(s.Can.FindBy))
}

// Calls is how many requests the actions of a job take at most, by side.
func Calls(job *engine.Job, actions []plan.Action) [2]int {
	var calls [2]int
	for _, a := range actions {
		if a.Change.Op == record.Create {
			calls[a.Side] += CreateCalls(job, a.Side)
			continue
		}
		calls[a.Side] += UpdateCalls(job.Sides[a.Side].Can)
	}
	return calls
}

// PerMinute is how many requests a minute a system may get for long, as its preset
// or the configuration says; 0 if nobody does.
func (a *App) PerMinute(system string) int {
	sys, ok := a.Config.System(system)
	if !ok || sys.Type != config.TypeREST {
		return 0
	}
	p, err := presetOf(sys.REST)
	if err != nil {
		return 0
	}
	low := 0
	for _, q := range p.Rate.Manners(1, 0).Quotas {
		if n := max(1, int(float64(q.Requests)*time.Minute.Seconds()/q.Per.Seconds())); low == 0 || n < low {
			low = n
		}
	}
	return low
}

// keyed reports whether a side keeps one of the job's match keys unique.
func keyed(job *engine.Job, side record.Side) bool {
	return slices.ContainsFunc(job.Match, func(fields []string) bool {
		var have []string
		for _, f := range fields {
			have = append(have, job.Mapping.Inputs(side, f)...)
		}
		return slices.ContainsFunc(job.Sides[side].Can.Unique, func(set []string) bool {
			return len(set) > 0 && !slices.ContainsFunc(set, func(p string) bool { return !slices.Contains(have, p) })
		})
	})
}

// listed reports whether records of a side can be told apart by one of the job's
// match keys.
func listed(job *engine.Job, side record.Side) bool {
	return slices.ContainsFunc(job.Match, func(fields []string) bool {
		return !slices.ContainsFunc(fields, func(f string) bool { return len(job.Mapping.Inputs(side, f)) == 0 })
	})
}

// Class is the guarantee that a side of a job allows for creates.
func Class(job *engine.Job, side record.Side) connectors.Class {
	return job.Sides[side].Can.Class(keyed(job, side), listed(job, side))
}
