package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// A change that a person approved was sent, and no answer came. The runs after that don't plan it,
// for it is open or was found: it is not said to be dropped, and nobody is asked for it again.
func TestOutside38ApprovedAndNeverAnswered(t *testing.T) {
	for _, op := range []record.Op{record.Create, record.Update} {
		for _, applied := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, applied: %t", op, applied), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := house(t, 10, setting{guards: guard.Guards{Creates: guard.AtMost(1), Updates: guard.AtMost(1)}})
					defer w.close()
					if op == record.Create {
						for i := range 3 {
							w.sys[record.Right].Put("people", record.Fields{"their_phone": record.OfText(fmt.Sprintf("+3905500009%02d", i)), "their_name": record.OfText("new")})
						}
					} else {
						w.set(record.Right, 0, 3, "mail", "new@example.com")
					}
					w.run(engine.Options{})
					asked := w.alerts("staged")
					w.say(w.staged()[0].Set, record.Approved)
					w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: applied})
					for range 4 {
						rep := w.run(engine.Options{})
						wantCount(t, "dropped", dropped(rep), 0)
						w.tick(time.Minute)
					}
					wantCount(t, "sets that wait", len(w.staged()), 0)
					wantCount(t, "asked once more", w.alerts("staged")-asked, 0)
				})
			})
		}
	}
}
