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
	Tombs    [2]record.Tombstone
	To       [2]int64                   // the entry that a merged record is now
	Newer    [2]record.Entry            // what is to be in a record's place across before that goes: a newer version, or one that holds the same
	Anew     []record.Entered           // what may be the record that is gone, entered anew
	Beside   []record.Ref               // what else that may be, across, where something was entered anew
	Joins    bool                       // a person said that it was entered anew, and as what
	Undone   bool                       // and that can't be done
	Unsure   [2]string                  // why the link can't go on with that one, or end, yet
	Question []record.Question          // for Ask and Break: one
	Asked    map[string]record.Question // what persons are asked about the link, and decided, by field
	Changes  []plan.Action              // by which the absence would be carried over
	Cant     string                     // why it can't be
	Steps    int                        // of the changes, where they are made
	Named    away.NamedBy               // what goes by the record that may go
}

func (a *Absence) CaseOf() plan.Case {
	return plan.Case{Link: a.Pair.Link, Entity: a.Pair.Entity, Sides: [2]plan.Side{a.Sides[0].Side, a.Sides[1].Side}}
}
