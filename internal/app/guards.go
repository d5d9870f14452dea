package app

import (
	"math"

	"nightporter/internal/config"
	"nightporter/sync/plan"
)

// guards turns the guards of the configuration into those of a plan.
func guards(g config.Guards) plan.Guards {
	amount := func(a config.Amount) plan.Amount { return plan.Amount{Count: a.Count, Percent: a.Share * 100} }
	limit := func(l config.Limit) plan.Limit {
		return plan.Limit{Run: amount(l.Run), Day: amount(l.Day), Week: amount(l.Week)}
	}
	return plan.Guards{
		Creates: limit(g.Creates), Fills: limit(g.Fills), Updates: limit(g.Updates), Clears: limit(g.Clears), Cancels: limit(g.Cancels),
		Deletes: limit(g.Deletes), Changed: int(math.Round(g.Changed * 100)),
	}
}
