package run

import (
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// pairsAtOnce is how many pairs are read at once. They are the most that a run with some
// changes holds beside its plan: their number is bounded for the sake of memory.
const PairsAtOnce = 100

// ChoicesOf is what persons were asked about fields, and decided. A field that swings is
// asked about by its writes.
func ChoicesOf(cs map[string]record.Question) map[string]merge.Choice {
	out := make(map[string]merge.Choice, len(cs))
	for f, c := range cs {
		above := plan.AboveRules(c.Cause)
		if c.Choice != "" || !above {
			out[f] = merge.Choice{Take: c.Choice, Value: c.Value, Left: c.Left, Right: c.Right, Force: above}
		}
	}
	return out
}

// Clashing is the fields about which a person is asked because their words clash; nil for none.
func Clashing(cs map[string]record.Question) (out map[string]bool) {
	for f, c := range cs {
		if c.Cause != plan.Clashes {
			continue
		}
		if out == nil {
			out = map[string]bool{}
		}
		out[f] = true
	}
	return out
}
