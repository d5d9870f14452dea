package run

import (
	"maps"
	"slices"

	"nightporter/sync/record"
)

// A trial of a record that can't be read any more is put aside, and another record takes its place: one
// record that its system can't show holds back no others for good. What it did is found, and put back,
// once its record can be read.

// All is all trials that are known, always in one order: a history that goes wrong can be played again.
// Those put aside come last.
func (ts *Trials) All() []*record.Trial {
	var out []*record.Trial
	for _, k := range slices.SortedFunc(maps.Keys(ts.Last), TrialKey.compare) {
		out = append(out, ts.Last[k])
	}
	return append(out, ts.Aside...)
}

// Under is the trial, not over, of which a change is the write; nil if it is none.
func (ts *Trials) Under(in record.Intent) *record.Trial {
	for _, t := range ts.All() {
		if KeyOfTrial(t) == (TrialKey{in.Place.Side, in.Change.Op}) && t.Ref == in.Change.Ref && !t.Over() {
			return t
		}
	}
	return nil
}

// TakeUp makes a trial the last of its operation, as what it showed is to be put back.
func (ts *Trials) TakeUp(t *record.Trial) {
	ts.Aside = slices.DeleteFunc(ts.Aside, func(o *record.Trial) bool { return o == t })
	ts.Last[KeyOfTrial(t)] = t
}
