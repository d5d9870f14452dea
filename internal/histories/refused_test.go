package histories

import (
	"testing"
	"time"

	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// What a system refused is asked for again ever more seldom, also after runs that sent
// nothing: that is no fault. Once a person took note of it, it is one.
func TestRestEndsWhatIsRefused(t *testing.T) {
	h := history{seed: 1}
	fits := func(c climate) bool {
		l, r := c.sides[record.Left], c.sides[record.Right]
		return l.unique && !r.unique && l.lag+r.lag == 0 && l.class == "A" && r.class == "A" && !c.stays && !c.askFirst && c.free() &&
			c.policies["phone"] != merge.FillEmpty && c.policies["phone"] != merge.Person
	}
	for !fits(climateOf(h.seed)) {
		h.seed++
	}
	run := step{what: doRun, yes: true, full: true}
	h.steps = append([]step{
		{what: doPut, side: record.Right},
		{what: doPut, side: record.Right, n: 1},
		run,
		{what: doEdit, side: record.Right, n: 1, field: "phone", value: phoneOf(0)}, // that of the other, which the left refuses
	}, refusedUntil(t, run, 4*time.Hour+36*time.Second)...) // rest begins with four hours, and its echo after two runs, 41 seconds later
	for plant, want := range map[string]string{"": "", plantDeaf: "all was at rest, and 1 changes were sent"} {
		h.plant = plant
		if wrong, _, _ := play(t, h, ramDir(t), template(t)); wrong != want {
			t.Errorf("planted %q: the oracle says %q, want %q", plant, wrong, want)
		}
	}
}

// refusedUntil runs a job each time what is refused is asked for again, until the next
// time is so far away.
func refusedUntil(t *testing.T, run step, away time.Duration) (steps []step) {
	t.Helper()
	for fails := 1; ; fails++ {
		last := time.Unix(0, 0)
		next, again := plan.Again(fails, last)
		if !again {
			t.Fatalf("nothing is asked for again after more than %s", away)
		}
		steps = append(steps, run)
		if d := next.Sub(last); d > away {
			return append(steps, step{what: doWait, d: d - away})
		}
		steps = append(steps, step{what: doWait, d: next.Sub(last) + time.Second})
	}
}
