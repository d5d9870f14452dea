package plan

import (
	"slices"

	"nightporter/sync/record"
)

// Risk is what a change puts at stake. Guards count each risk separately.
type Risk string

// The risks, up to RiskDelete roughly from the least to the gravest. What was not written yet can be written later. What is emptied, cancelled or
// deleted is gone before anybody can take that back.
const (
	RiskUpdate Risk = "update" // any change that is none of the others
	RiskFill   Risk = "fill"   // only empty fields get a value: no value is lost
	RiskCreate Risk = "create"
	RiskClear  Risk = "clear"  // a value becomes empty
	RiskCancel Risk = "cancel" // a booking becomes cancelled, no_show or rejected, an order cancelled or refused
	RiskDelete Risk = "delete"
	// RiskMapping is any change of a linked record that only a changed configuration asks for.
	RiskMapping Risk = "mapping"
	// RiskRedone is any change that a person rejected before: the edit behind it was put back, and then made
	// again.
	RiskRedone Risk = "redone"
	// RiskUnreadable is a create on a side whose list shows records that nobody can read.
	RiskUnreadable Risk = "unreadable"
)

// Risks is all of them in the order in which they are shown.
var Risks = []Risk{RiskCreate, RiskFill, RiskUpdate, RiskClear, RiskCancel, RiskDelete, RiskMapping, RiskRedone, RiskUnreadable} //nolint:gochecknoglobals // a fixed list

// cancels reports whether a canonical status says that a booking or an order does not take place.
func cancels(status string) bool {
	return slices.Contains([]string{"cancelled", "no_show", "rejected", "refused"}, status)
}

// RiskOf returns the gravest risk of all that a change does. status is the canonical field of a booking's status,
// "" where there is none.
func RiskOf(status string, c record.Change, fields []record.FieldReason) Risk {
	switch c.Op {
	case record.Delete:
		return RiskDelete
	case record.Create:
		return RiskCreate
	case record.Update, record.Action:
	}
	risk := RiskUpdate
	if c.Op == record.Update && fills(c) {
		risk = RiskFill
	}
	for _, f := range fields {
		if status != "" && f.Field == status && cancels(f.After.Text()) {
			return RiskCancel
		}
		if empties(f.Before, f.After) {
			risk = RiskClear
		}
	}
	for p, after := range c.Fields {
		if empties(c.Before[p], after) {
			risk = RiskClear
		}
	}
	return risk
}

// fills reports whether a change only gives values to fields that were seen to be empty.
func fills(c record.Change) bool {
	for p, after := range c.Fields {
		if before := c.Before[p]; !before.Observed() || !before.Empty() || after.Empty() {
			return false
		}
	}
	return len(c.Fields) > 0
}

// empties reports whether a value that was there is not there afterwards.
func empties(before, after record.Value) bool {
	return before.Filled() && after.Observed() && after.Empty()
}
