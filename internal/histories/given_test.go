package histories

import (
	"testing"
	"time"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// What is held until its system has settled is no rest yet, however long that has been
// taught to be: what a user set back to what we had written over travels after that.
func TestRestOutlastsWhatIsHeld(t *testing.T) {
	h := history{seed: 1}
	fits := func(c climate) bool {
		l, r := c.sides[record.Left], c.sides[record.Right]
		return r.lag > 0 && !r.since && !r.silent && !r.lossy && !l.lossy && r.class == "A" && !c.stays && !c.askFirst && c.free() &&
			c.policies["note"] != merge.FillEmpty
	}
	for !fits(climateOf(h.seed)) {
		h.seed++
	}
	note := func(side record.Side, value string) step {
		return step{what: doEdit, side: side, field: "note", value: value}
	}
	run := step{what: doRun, yes: true, full: true}
	h.steps = []step{
		{what: doPut, field: "note", value: "first"},
		run, run,
		{what: doWait, d: 2 * time.Hour},
		run, // the create is missed, and shown late: a lag, of which three are given
		note(record.Left, "second"), run, note(record.Right, "first"),
	}
	if wrong, _, _ := play(t, h, ramDir(t), template(t)); wrong != "" {
		t.Error(wrong)
	}
}
