// Package guard holds the brakes between a plan and its first write.
//
// Check halts a run whose plan can't be believed as a whole. Budget holds a set of changes that are too many
// of one risk to one side: nobody could say which ten of fifty cancels are the right ones, so that the whole
// set waits for a person and the rest goes. The package is pure.
package guard

import (
	"fmt"

	"nightporter/sync/record"
)

// Guards are the brakes before the first write. What exceeds a guard is not written before a person has seen it.
// The zero value sets no limits.
type Guards struct {
	Creates, Fills, Updates, Clears, Cancels, Deletes Limit

	Changed int // percent of the links of which one side may differ at once; 0: no limit
}

// manyLinks is the number of links from which on a share of them says anything.
const manyLinks = 20

// Facts is what guards look at beside the actions.
type Facts struct {
	Links   int
	Changed [2]int // links of which that side was seen to differ from its base
	Systems [2]record.System

	Illegible [2]int // unlinked records of that side that nobody could read
}

// Check says what halts the run: so much has changed at once that no single change of the plan can be believed.
// It returns nothing where the plan may go.
func Check(g Guards, f Facts) []record.Question {
	var halts []record.Question
	for _, side := range record.Sides {
		if g.Changed > 0 && f.Links >= manyLinks && f.Changed[side]*100 > g.Changed*f.Links {
			halts = append(halts, record.Question{Cause: record.HaltAllChanged, Subject: record.Subject{Side: side}, Why: fmt.Sprintf(
				"%d of %d linked records of %s changed at once, and guards.changed is %d%%: a format, a time zone or the account may have changed; look at the plan, then run sync --yes once",
				f.Changed[side], f.Links, f.Systems[side], g.Changed)})
		}
	}
	return halts
}
