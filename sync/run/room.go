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

	Book        Book                // what persons said of sets of changes, and what guards count
	Barred      [2]int              // reads by id that the side did not allow
	Buried      map[int64]time.Time // entries that a read of this run proved to be gone
	Found       Found               // why records are not written as they should be
	Illegibles  [2]*[]record.Entry  // records that the side shows and nobody could read; nil: not asked since a read
	Job         *Job
	Kicking     bool // records that can't wait are taken now
	Lease       record.Lease
	Listing     [2]bool   // a list of the side is read now
	Now         time.Time // when the run began
	Options     Options
	Readable    [2]bool         // the side let a record be read by id
	Refs        map[string]bool // fields that name other records
	Report      Report
	Sought      map[Sought]bool // records that wait for one of which only a key is known
	Trials      Trials          // the first writes of operations
	Versionless [2]*bool        // whether versions of that side vouch for nothing; nil: not asked since a read
}

// New begins a run of a job.
func New(h *House, job *Job, lease record.Lease, o Options) *Run {
	r := &Run{
		House: h, store: storeOf(&h.Stores), Job: job, Lease: lease, Options: o, Now: time.Now(),
		Report: Report{Run: lease.Run, Lease: lease, Binding: job.Binding, Counts: record.Counts{}},
		Buried: map[int64]time.Time{},
		Refs:   map[string]bool{},
		Sought: map[Sought]bool{},
		Found: Found{
			Known: map[record.For]record.Finding{}, Fresh: map[record.For]record.Finding{},
			Done: map[About]bool{}, Pending: map[About]bool{}, Decided: map[About]bool{},
		},
	}
	for _, ref := range job.References {
		r.Refs[ref.Field] = true
	}
	return r
}
