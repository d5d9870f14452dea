package run

import (
	"maps"
	"slices"

	"nightporter/sync/record"
)

// If the record of a trial can't be read any more, the trial is put aside, and another record takes its
// place. So one record that its system can't show does not hold back all others for good. Once the
// record can be read, it is found out what the trial did to it, and that is put back.

// All returns all known trials, always in the same order, so that a history that goes wrong can be
// played again. Trials that were put aside come last.
func (ts *Trials) All() []*record.Trial {
	var out []*record.Trial
	for _, k := range slices.SortedFunc(maps.Keys(ts.Last), TrialKey.compare) {
		out = append(out, ts.Last[k])
	}
	return append(out, ts.Aside...)
}

// Under returns the trial, not over yet, that a change is the write of; nil if there is none.
func (ts *Trials) Under(in record.Intent) *record.Trial {
	for _, t := range ts.All() {
		if KeyOfTrial(t) == (TrialKey{in.Place.Side, in.Change.Op}) && t.Ref == in.Change.Ref && !t.Over() {
			return t
		}
	}
	return nil
}

// TakeUp makes a trial the last one of its operation, because what it did is to be put back.
func (ts *Trials) TakeUp(t *record.Trial) {
	ts.Aside = slices.DeleteFunc(ts.Aside, func(o *record.Trial) bool { return o == t })
	ts.Last[KeyOfTrial(t)] = t
}
