package trial

import (
	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// A trial compares a record before and after a write. A value that holds a payment card, before or after, is not
// compared: all that is known is that something stands there.

// Comparable returns a record without the values that hold a payment card.
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
