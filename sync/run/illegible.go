package run

import (
	"slices"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// CanRead reports whether single records of a side can be read by their id.
func (r *Run) CanRead(side record.Side) bool {
	_, ok := r.Side(side).Conn.(connectors.Getter)
	return ok && r.Side(side).Can.Get
}

// Told is a record that is put aside, and the keys by which it can be recognised.
type Told struct {
	Ref  record.Ref
	Side record.Side
	Keys []record.Key
	Left bool // a person was asked about it, and left it alone
}

// Shares reports whether the record has one of the keys.
func (t Told) Shares(keys []record.Key) bool {
	return slices.ContainsFunc(keys, func(k record.Key) bool { return slices.Contains(t.Keys, k) })
}
