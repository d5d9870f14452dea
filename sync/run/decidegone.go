package run

import (
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// Absence is a link of which a record is gone, and what is decided because of that.
type Absence struct {
	Fate     away.Fate
	Pair     record.Pair
	Sides    [2]SeenSide
	Edited   [2][]string // in which fields the records that are there were edited
	Tombs    [2]record.Tombstone
	To       [2]int64                   // the entry that the record is now: merged into it, or entered anew; 0: none
	Newer    [2]record.Entry            // newer version, or an equal record, to be in place across before the old one goes
	Anew     []record.Entered           // records that may be the one that is gone, entered anew
	Beside   []record.Ref               // records across that those of Anew may be instead
	Joins    bool                       // a person said which record it is now, and the link goes on with that one
	Undone   bool                       // a person said which record it is now, and the link can't go on with that one
	Unsure   [2]string                  // why the link can't go on with To, or end, yet
	Question []record.Question          // for the deeds Ask and Break: one
	Asked    map[string]record.Question // what persons are asked about the link, and decided, by field
	Changes  []plan.Action              // the changes that would carry the absence over
	Cant     string                     // why it can't be carried over
	Steps    int                        // how many of Changes are made
	Named    away.NamedBy               // what depends on the record that may go
}

// CaseOf is both records of the link as a case for the plan.
func (a *Absence) CaseOf() plan.Case {
	return plan.Case{Link: a.Pair.Link, Entity: a.Pair.Entity, Sides: [2]plan.Side{a.Sides[0].Side, a.Sides[1].Side}}
}
