package run

import (
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// PairsAtOnce is how many pairs are read at once. Their number is limited to save memory: they are the
// most that a run with few changes holds beside its plan.
const PairsAtOnce = 100

// ChoicesOf returns what persons were asked about fields, and decided. An undecided question that
// stands above the rules is left out, as one about a field that swings: the writes that the rules ask
// for bring such a question up again. One about an earlier answer that was overtaken is not: no write brings it up.
func ChoicesOf(cs map[string]record.Question) map[string]merge.Choice {
	out := make(map[string]merge.Choice, len(cs))
	for f, c := range cs {
		above := plan.AboveRules(c.Cause)
		again := c.Cause == merge.Overtaken
		if c.Choice != "" || !above || again {
			out[f] = merge.Choice{Take: c.Choice, Value: c.Value, Left: c.Left, Right: c.Right, Force: above, Again: again}
		}
	}
	return out
}
