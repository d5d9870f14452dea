package plan

import (
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Tried is the policy of a conflict about a field that held another value after our first update of its
// record, which was not sent it.
const Tried = "trial"

// tried asks a person about a field that changed while a trial was under way. Somebody edited it, or its
// system set it because of our update, and nobody can tell which: it is neither brought across nor written
// over.
func (c *Case) tried(ds []merge.Decision, i int) {
	d := &ds[i]
	if !c.Tried[d.Field] || byPerson(*d) || d.Reason == merge.ChosenLeave || d.Act == merge.Pending {
		return
	}
	left, right := c.Sides[record.Left].Now[d.Field], c.Sides[record.Right].Now[d.Field]
	if left.Equal(right) || !left.Observed() || !right.Observed() {
		return
	}
	held(d, Tried, "it held another value after our first update of its record, which did not name it: either somebody edited it meanwhile, or the system set it")
}
