package histories

import (
	"testing"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// What a user edits once our own state was put back is not written over by what stood there
// before: a person is asked, as the field's rule is.
func TestOutside38EditedAfterTheStateWasPutBack(t *testing.T) {
	h := history{seed: 1, trace: true}
	fits := func(c climate) bool {
		l, r := c.sides[record.Left], c.sides[record.Right]
		plain := func(w weather) bool { return w.lag == 0 && !w.lossy && !w.silent && !w.since && w.class == "A" }
		return plain(l) && plain(r) && !c.stays && !c.askFirst && c.free() && c.policies["note"] == merge.Person
	}
	for !fits(climateOf(h.seed)) {
		h.seed++
	}
	run, wait := step{what: doRun, yes: true, full: true}, step{what: doWait, d: settle * 3}
	note := func(side record.Side, v string) step {
		return step{what: doEdit, side: side, field: "note", value: v}
	}
	h.steps = []step{
		{what: doBoth, field: "note", value: "first"},
		run, wait, run,
		{what: doBackup},
		note(record.Left, "second"), run, wait, run,
		{what: doRestore},
		note(record.Right, "third"), run,
	}
	if wrong, _, trace := play(t, h, ramDir(t), template(t)); wrong != "" {
		t.Errorf("the oracle says %q:\n%s", wrong, trace)
	}
}
