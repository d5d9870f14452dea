package run

import (
	"cmp"

	"nightporter/sync/record"
)

// Trials is what a run knows of the first writes to its sides.
type Trials struct {
	Last   map[TrialKey]*record.Trial
	Aside  []*record.Trial     // trials put aside, because their records can't be read
	Whom   map[record.Ref]bool // records that trials of this run wrote: the next run decides them again
	Shown  map[*record.Trial]*ShownAs
	Read   [2]map[string]bool // paths that reads by id of this run showed
	Beside map[TrialAt]bool   // records of trials of other jobs that are not over
	// Empties is the sides on which a person let updates empty what they are not sent, whichever job the update was of.
	Empties [2]bool
}

// TrialAt is a record of a system.
type TrialAt struct {
	System record.System
	Ref    record.Ref
}

// TrialKey names a trial: the side and the operation that it tries.
type TrialKey struct {
	Side record.Side
	Op   record.Op
}

func (k TrialKey) compare(o TrialKey) int {
	return cmp.Or(cmp.Compare(k.Side, o.Side), cmp.Compare(k.Op, o.Op))
}

// KeyOfTrial is the key of a trial.
func KeyOfTrial(t *record.Trial) TrialKey { return TrialKey{t.Place.Side, t.Op} }
