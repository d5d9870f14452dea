package run

import (
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// OnceForAll is what persons decided once and for all, by field.
type OnceForAll []record.Always

// Apply adds these decisions to a case, for fields about which no person has decided in the case
// itself. They only count where no rule decides.
func (s OnceForAll) Apply(c *plan.Case) {
	for _, a := range s {
		if c.Choices[a.Field].Take == "" {
			c.Choices[a.Field] = merge.Choice{Take: a.Take, Always: true}
		}
	}
}
