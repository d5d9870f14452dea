package trial

import (
	"slices"

	"nightporter/sync/record"
)

// Facts is what is known of a trial and of its record, once the record was read again.
type Facts struct {
	Trial   record.Trial
	Effects Effects
	Done    bool // the write was answered a moment ago: what is empty since is its doing
	Written bool // the record shows that something was written to the paths that were sent
	Taken   bool // it shows what was sent
	Settled bool // its system has had the time to carry all of it out
	Listed  bool // a list has shown since what a read by its id hides
	Ours    bool // the state was not put back since the trial: what it says of the trial counts
}

// Say is what becomes of a trial.
type Say uint8

// What becomes of a trial.
const (
	AwaitList    Say = iota // until a list shows what a read by its id hides
	AwaitSettled            // nothing is amiss, and its system may not be done yet
	Stop                    // what it emptied was put back: no more writes of this operation
	Next                    // it showed nothing: the next write is the trial
	Pass                    // it showed that an update keeps what it is not sent
	Harmed                  // it emptied what it was not sent: that is written back
)

// Ruling says what becomes of a trial, and who emptied the fields that are empty since.
type Ruling struct {
	Say    Say
	Ours   []string // what the write emptied
	Others []string // what a user may have emptied
}

// Judge says what becomes of a trial.
func Judge(f Facts) Ruling {
	r := Ruling{}
	r.Ours, r.Others = f.blame()
	harmed, e := f.Trial.State == record.TrialHarmed, f.Effects
	switch {
	case len(r.Ours) == 0 && f.hides():
		r.Say = AwaitList
		return r
	case len(r.Ours) == 0 && !harmed && len(e.Shown) > 0 && (f.Done || f.Taken) && !f.Settled:
		r.Say = AwaitSettled
		return r
	}
	unsure := f.unsure(len(r.Ours) == 0)
	if f.Trial.Op == record.Action { // it is only looked at: it can't be put back
		r.Ours, r.Others = nil, e.Emptied
	}
	switch {
	case harmed && len(e.Emptied) == 0: // it was put back, and the answer was lost
		r.Say = Stop
	case unsure, len(r.Ours) == 0 && len(e.Shown) == 0:
		r.Say = Next
	case len(r.Ours) == 0:
		r.Say = Pass
	default:
		r.Say = Harmed
	}
	return r
}

// hides reports whether a read by id hides a part of the record that no list has shown since.
func (f Facts) hides() bool { return len(f.Trial.Listed) > 0 && !f.Listed }

// blame splits the fields that are empty since a trial by who emptied them. Right after the answer it was the
// write. Later it may have been a user as well, except in an object in which nothing stands as before. Fields
// that only a list shows are blamed on the write: nobody could look at them sooner.
func (f Facts) blame() (ours, others []string) {
	if f.Done || f.Trial.State == record.TrialHarmed && f.Ours {
		return f.Effects.Emptied, nil
	}
	ours, others = f.Effects.Replaced(f.Trial.Sent)
	for _, p := range others {
		if slices.Contains(f.Trial.Listed, p) {
			ours = append(slices.Clone(ours), p)
		}
	}
	return ours, slices.DeleteFunc(slices.Clone(others), func(p string) bool { return slices.Contains(f.Trial.Listed, p) })
}

// unsure reports whether a trial that emptied nothing proves nothing either: what the record shows by now may be
// a user's doing.
func (f Facts) unsure(clean bool) bool {
	t := f.Trial
	return !f.Done && clean && (t.State == record.TrialOpen || !f.Written || !f.Taken || len(t.Listed) == 0 && !f.Effects.Clean())
}

// Found returns the paths that trials of a record are known to have emptied or changed. What a trial did harm to
// before is kept until it is put back.
func Found(t record.Trial, e Effects) []string {
	before := t.Found
	if t.State != record.TrialHarmed {
		before = nil
	}
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(before, e.Emptied, e.Changed))))
}
