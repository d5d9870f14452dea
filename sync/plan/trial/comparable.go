package trial

import (
	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// A trial compares a record before and after a write. What holds a payment card before or after is not
// compared: of it only that something stands there is known.

// Comparable is a record without what holds a payment card.
func Comparable(f record.Fields) record.Fields {
	out := make(record.Fields, len(f))
	for p, v := range f {
		if !hidesCard(v) {
			out[p] = v
		}
	}
	return out
}

// hidesCard reports whether a value stands for a payment card that nobody is shown.
func hidesCard(v record.Value) bool {
	return v.Type() == record.Text && v.Text() == mapping.CardMark
}
