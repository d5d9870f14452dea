package entries

import (
	"strings"

	"nightporter/sync/record"
)

// revise notes which revision of the record a read showed. was is the entry before the read. A record that was
// never settled has no revision to compare with, and none is kept.
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

// reviseTaken makes the revision that was shown last the settled one, if the record is settled for the first time,
// or if values differ from the base: then an edit of the record was carried over. It is called before the values
// are taken.
func (r *Row) reviseTaken(values record.Fields) {
	switch {
	case r.Base == nil:
		r.Revision = record.Revision{Now: signOfSeen(r.Seen)}
		r.Revision.Settle()
	case r.edited(values):
		r.Revision.Settle()
	}
}

// reviseAnswered notes which revision the answer to our own write showed. was is the entry before the write.
func (r *Row) reviseAnswered(i record.Intent, a record.Receipt, was Row) {
	edited := was.Base == nil || was.Seen != nil && was.edited(was.Seen.Fields)
	whole := !a.Provisional
	for path := range i.Change.Fields {
		whole = whole && a.Fields[path].Observed() && !leftAsItWas(i, a, path)
	}
	r.Revision = was.Revision
	r.Revision.Answered(record.Sign{Version: a.Version, Changed: a.Changed}, edited, whole)
}

// edited reports whether any of values differs from what the base holds at its path.
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
