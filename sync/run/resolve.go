package run

import (
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Standing is what became of a reference.
type Standing uint8

// Resolution is a reference, resolved.
type Resolution struct {
	Standing Standing
	Value    record.Value // known: the entity; leftOut and held: a marker that names the record
	Wait     record.Wait  // whom to wait for, where that is known
	Place    record.Place // where nobody is known yet: where to look,
	Key      record.Key   // and by what
	Why      string
	State    record.EntryState // leftOut and held: how that record stands; gone, too, where none is shown
	Unasked  bool              // held: no person is asked about it yet
	Found    record.Meant      // the one record that was found by a phone number
	Loose    bool              // no record with that phone has the name: who has the phone is meant, if anybody
	Partner  record.Ref        // leftOut and held, of one that is linked: the record across to which its link leads no more
}

func IsMarker(v record.Value) bool { return v.Map()["left_out"].Observed() }

// SeenSide is one side of a case with its references resolved.
type SeenSide struct {
	plan.Side
	Open    map[string]Resolution // reference fields that name no entity (yet)
	Meant   []record.Meant        // whom references mean that name by a phone number
	Since   record.Entry
	Blanked []string // fields of match rules of which nobody can tell what they hold
}
