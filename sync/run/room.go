// Package run is what all parts of a run share: the job and its sides, what the store must keep,
// the draft of what is to be done, the report, and what can be told of a record without asking anybody.
package run

import (
	"time"

	"nightporter/sync/record"
)

// Run is one run of a job, as all of its rooms see it.
type Run struct {
	*House
	store store

	Barred      [2]int
	Buried      map[int64]time.Time
	Found       Found
	Illegibles  [2]*[]record.Entry
	Job         *Job
	Kicking     bool
	Lease       record.Lease
	Listing     [2]bool
	Now         time.Time
	Opt         Options
	Readable    [2]bool
	Refs        map[string]bool
	Rep         Report
	Sought      map[Sought]bool
	Trials      Trials
	Versionless [2]*bool
}

// New begins a run of a job.
func New(h *House, job *Job, lease record.Lease, o Options) *Run {
	r := &Run{House: h, store: storeOf(&h.Stores), Job: job, Lease: lease, Opt: o, Now: time.Now(),
		Rep:    Report{Run: lease.Run, Lease: lease, Binding: job.Binding, Counts: record.Counts{}},
		Buried: map[int64]time.Time{},
		Refs:   map[string]bool{},
		Sought: map[Sought]bool{},
		Found: Found{
			Known: map[record.For]record.Finding{}, Fresh: map[record.For]record.Finding{},
			Done: map[About]bool{}, Pending: map[About]bool{}, Decided: map[About]bool{},
		}}
	for _, ref := range job.References {
		r.Refs[ref.Field] = true
	}
	return r
}
