package plan

import (
	"maps"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// A field of a new record stands there, and nobody can read it. For most fields the record is made without the
// value: the booking of a guest is more than their birthday. But a cancelled booking takes no room, and a booking
// without its arrival is none. Nothing is made before such a field can be read.

// Undecided returns the problems of the fields of a record on side from that decide whether it is made on the
// other side, and as what, and that can't be read. Only a kind with a status or with days has such fields: the status
// and the days, what the other side needs, and the match fields of a record without a key (keyed is false). A record
// of another kind, such as a contact, is left out by rule where one of the latter can't be read: a house has hundreds
// without a phone that can be called, and nobody is asked about each of them. A reference decides nothing here: what
// becomes of its record is decided by whom it names. Neither does a blanked value: a person is asked about it.
func Undecided(r Rules, have Side, from record.Side, keyed bool) []mapping.Problem {
	deciding := r.deciding()
	if len(deciding) == 0 {
		return nil
	}
	_, problems := r.Mapping.Read(from, have.Native)
	return slices.DeleteFunc(problems, func(p mapping.Problem) bool {
		decides := slices.Contains(deciding, p.Field) || r.needed(p.Field, from.Other()) || !keyed && r.Mapping.IsKey(p.Field)
		return !decides || p.Code == mapping.Blanked || have.Now[p.Field].Observed() || r.IsReference(p.Field)
	})
}

// deciding returns the fields that say whether a record stands, and when: its status and its days. It is empty for a
// kind that has neither.
func (r Rules) deciding() []string {
	fields := append(slices.Collect(maps.Keys(r.Over)), r.Status, r.Day, r.Span[0], r.Span[1])
	return slices.DeleteFunc(fields, func(f string) bool { return f == "" })
}

// needed reports whether no record is made on side without a value for the field.
func (r Rules) needed(field string, side record.Side) bool {
	return requires(r, side, field) || slices.ContainsFunc(r.Merge, func(m merge.Rule) bool {
		return m.Field == field && m.Required && mayWrite(m.To, side)
	})
}
