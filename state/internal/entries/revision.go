package entries

import (
	"strings"

	"nightporter/sync/record"
)

// revise notes what a read said of a record's revision. was is the entry before it. What was never
// settled has none to be compared with.
func (r *Row) revise(o record.Observation, was record.Entry) {
	if r.Link == 0 || r.Base == nil {
		r.Revision = record.Revision{}
		return
	}
	known := record.Sign{}
	if was.Seen == nil {
		known.Version = was.BaseVersion
	}
	r.Revision.Shown(signOfSeen(&o), known, o.At, r.SettleUntil)
}

// reviseTaken has the record be settled as it was shown last where values are taken into its base
// that are more than it was settled on: an edit of it went over. It is asked before they are.
func (r *Row) reviseTaken(values record.Fields) {
	switch {
	case r.Base == nil:
		r.Revision = record.Revision{Now: signOfSeen(r.Seen)}
		r.Revision.Settle()
	case r.edited(values):
		r.Revision.Settle()
	}
}

// reviseAnswered notes what the answer to our own write said. was is the entry before it.
func (r *Row) reviseAnswered(i record.Intent, a record.Receipt, was Row) {
	edited := was.Base == nil || was.Seen != nil && was.edited(was.Seen.Fields)
	whole := !a.Provisional
	for path := range i.Change.Fields {
		whole = whole && a.Fields[path].Observed() && !leftAsItWas(i, a, path)
	}
	r.Revision = was.Revision
	r.Revision.Answered(record.Sign{Version: a.Version, Changed: a.Changed}, edited, whole)
}

// edited reports whether values are others than the record was settled on.
func (r *Row) edited(values record.Fields) bool {
	for path, v := range values {
		if v.Observed() && r.Base[path].Known() && !strings.HasPrefix(path, "@") && !r.holds(path, v) {
			return true
		}
	}
	return false
}

func signOfSeen(o *record.Observation) record.Sign {
	if o == nil {
		return record.Sign{}
	}
	return record.Sign{Version: o.Version, Changed: o.Changed}
}
