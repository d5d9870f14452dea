package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// A clear that a person rejected, and that is made again once the state was put back, is asked
// about: nothing tells it from what was never taken back, but that somebody said no to it.
func TestOutsideAClearIsMadeAgainAfterARestore(t *testing.T) {
	for _, x := range []struct {
		late        bool // a run came before it
		answer      record.Choice
		left, right int // names that are empty in the end
	}{
		{false, record.Approved, 0, 0}, // it is filled, as the question says
		{false, record.Refusal, 1, 0},  // of two noes neither is done
		{true, record.Approved, 1, 1},  // it is emptied across, as the question says
		{true, record.Refusal, 0, 0},
	} {
		t.Run(fmt.Sprint(x), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := travels(t, house(t, 3, setting{guards: guard.Guards{Clears: guard.Limit{Run: guard.Amount{Count: 1}}}}))
				v.set(record.Left, 0, 2, "name", "")
				v.run(engine.Options{})
				v.no(v.onlySet(plan.RiskClear, 2))
				v.rest()
				v.wantEmpty("after the no", 0, 0)
				v.backUp()
				v.goBack()
				if x.late {
					v.rest()
				}
				v.set(record.Left, 0, 1, "name", "")
				v.rest()
				v.wantEmpty("before the answer", 1, 0)
				if set := v.onlySet(plan.RiskRedone, 1); x.answer == record.Approved {
					v.say(set, x.answer)
				} else {
					v.no(set)
				}
				v.rest()
				v.wantEmpty("after it", x.left, x.right)
				before := v.mutations()
				v.rest()
				wantCount(t, "writes once it was done", v.mutations()-before, 0)
			})
		})
	}
}

// wantEmpty says how many names are empty on both sides.
func (w *world) wantEmpty(when string, left, right int) {
	w.Helper()
	if l, r := w.have(record.Left, "name", ""), w.have(record.Right, "name", ""); l != left || r != right {
		w.Errorf("%s: %d names are empty on the left and %d on the right, want %d and %d", when, l, r, left, right)
	}
}
