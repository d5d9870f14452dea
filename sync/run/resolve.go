package run

import (
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Standing says how far a reference is resolved. Its values are in package refer.
type Standing uint8

// Resolution is what a reference was resolved to.
type Resolution struct {
	Standing Standing
	Value    record.Value // known: the entity; left out and held: a marker that names the record
	Wait     record.Wait  // the record to wait for, if it is known
	Place    record.Place // if no record is known yet: where to look for it,
	Key      record.Key   // and by which key
	Why      string
	State    record.EntryState // left out and held: the state of that record; gone, too, if none is shown
	Unasked  bool              // held: no person is asked about it yet
	Found    record.Meant      // the one record that was found by a phone number
	Loose    bool              // no record with that phone has the name: whoever has the phone is meant
	Partner  record.Ref        // left out and held: the former partner across of a linked record
}

// IsMarker reports whether a value stands for a record that is left out.
func IsMarker(v record.Value) bool { return v.Map()["left_out"].Observed() }

// SeenSide is one side of a case with its references resolved.
type SeenSide struct {
	plan.Side
	Open    map[string]Resolution // reference fields that name no entity (yet)
	Meant   []record.Meant        // whom references by a phone number mean
	Since   record.Entry
	Blanked []string // fields of match rules that were blanked: nobody can tell what they hold
}
