package engine

import (
	"nightporter/sync/decide"
	"nightporter/sync/door"
	"nightporter/sync/findings"
	"nightporter/sync/gone"
	"nightporter/sync/guards"
	"nightporter/sync/links"
	"nightporter/sync/match"
	"nightporter/sync/observe"
	"nightporter/sync/proof"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
	"nightporter/sync/settle"
	"nightporter/sync/takeback"
	"nightporter/sync/trials"
	"nightporter/sync/trust"
)

// newRun begins a run of a job. It makes the rooms from below to above, each with the rooms that it asks.
func newRun(e *Engine, job *run.Job, lease record.Lease, o run.Options) *Room {
	base := run.New(&e.House, job, lease, o)
	findings := findings.New(base)
	trust := trust.New(base, findings)
	observe := observe.New(base, trust)
	refer := refer.New(base, observe)
	match := match.New(base, refer, observe)
	proof := proof.New(base, match, refer, observe, trust)
	guards := guards.New(base, proof, match, observe, trust, findings)
	trials := trials.New(base, observe, trust)
	settle := settle.New(base, trials, guards, proof, match, refer, observe, trust)
	links := links.New(base, guards, match, refer, observe, trust)
	gone := gone.New(base, links, settle, match, refer, observe, trust, findings)
	door := door.New(base, gone, links, settle, trials, guards, proof, match, refer, observe, trust, findings)
	decide := decide.New(base, door, gone, links, settle, trials, guards, proof, match, refer, observe, trust, findings)
	takeback := takeback.New(base, decide, door, gone, links, settle, trials, guards, match, refer, observe, trust, findings)
	r := New(base, takeback, decide, door, gone, links, settle, trials, guards, proof, match, observe, trust, findings)
	observe.BetweenRequests, trials.Door, settle.AsksToWait = r.between, door.Applier, door.PutBack
	gone.OfJob = e.goneOf(lease, o)
	return r
}

// goneOf lets another job look at its own links: a record that is gone may be linked there, too.
func (e *Engine) goneOf(lease record.Lease, o run.Options) func(*run.Job) *gone.Room {
	return func(other *run.Job) *gone.Room { return newRun(e, other, lease, o).gone }
}
