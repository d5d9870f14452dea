package app

import (
	"math"

	"nightporter/internal/config"
	"nightporter/sync/plan/guard"
)

// guards turns the guards of the configuration into those of a plan.
func guards(g config.Guards) guard.Guards {
	amount := func(a config.Amount) guard.Amount { return guard.Amount{Count: a.Count, Percent: a.Share * 100} }
	limit := func(l config.Limit) guard.Limit {
		return guard.Limit{Run: amount(l.Run), Day: amount(l.Day), Week: amount(l.Week)}
	}
	return guard.Guards{
		Creates: limit(g.Creates), Fills: limit(g.Fills), Updates: limit(g.Updates), Clears: limit(g.Clears), Cancels: limit(g.Cancels),
		Deletes: limit(g.Deletes), Changed: int(math.Round(g.Changed * 100)),
	}
}
