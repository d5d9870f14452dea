package plan

import (
	"fmt"

	"nightporter/sync/record"
)

// Guards are the brakes before the first write.
type Guards struct {
	Creates int // creates a run on one side; 0: no limit
	Changed int // percent of the links of which one side may differ at once; 0: no limit
}

// manyLinks is from how many links on a share says anything.
const manyLinks = 20

// Halt is a named stop before the first write.
type Halt struct {
	Name string // "all_changed", "create_budget", "identity", "first_run"
	Side record.Side
	Text string // what tripped it, and what to do
}

// Facts is what guards look at beside the actions.
type Facts struct {
	Links   int
	Changed [2]int // links of which that side was seen to differ from its base
	Systems [2]record.System
}

// Check says what stops the plan, nothing when it may go.
func Check(g Guards, f Facts, actions []Action) []Halt {
	var halts []Halt
	creates := [2]int{}
	for _, a := range actions {
		if a.Change.Op == record.Create {
			creates[a.Side]++
		}
	}
	for _, side := range record.Sides {
		if g.Creates > 0 && creates[side] > g.Creates {
			halts = append(halts, Halt{Name: "create_budget", Side: side, Text: fmt.Sprintf(
				"%d records would be created in %s, and guards.creates is %d: look at the plan, then run sync --yes once, or raise the guard",
				creates[side], f.Systems[side], g.Creates)})
		}
		if g.Changed > 0 && f.Links >= manyLinks && f.Changed[side]*100 > g.Changed*f.Links {
			halts = append(halts, Halt{Name: "all_changed", Side: side, Text: fmt.Sprintf(
				"%d of %d linked records of %s changed at once, and guards.changed is %d%%: a format, a time zone or the account may have changed; look at the plan, then run sync --yes once",
				f.Changed[side], f.Links, f.Systems[side], g.Changed)})
		}
	}
	return halts
}
