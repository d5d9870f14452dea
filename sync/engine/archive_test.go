package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A record that its system refuses to have put aside is not tried in parts, nor again and
// again: a person is asked, and asked anew where what they wanted is refused once more.
// On the left its fields are called as both sides' are together, on the right they are not.
func TestArchiveThatIsRefused(t *testing.T) {
	for _, side := range record.Sides {
		t.Run(side.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				values := record.Fields{spell(side, "note"): record.OfText("left"), spell(side, "mail"): record.OfText("aside@example.com")}
				rule := engine.GoneRule{Policy: away.GoneArchive, Archive: values}
				w := newWorld(t, setting{gone: [2]engine.GoneRule{rule, rule}})
				defer w.close()
				for n := range 4 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
				}
				w.rest()
				w.remove(side.Other(), 0)
				w.sys[side].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Class: connectors.Rejected, Times: -1})
				asked := func() int {
					before := w.mutations()
					for range 3 * 24 {
						w.tick(time.Hour)
						rep := w.run(engine.Options{Yes: true, Full: true})
						for _, a := range rep.Actions {
							if !slices.Equal(a.Change.Fields.Names(), values.Names()) || a.Risk != plan.RiskDelete {
								t.Fatalf("got %s of risk %q, want all or nothing of what puts it aside", describe(a), a.Risk)
							}
						}
					}
					return w.mutations() - before
				}
				if got := asked(); got != 1 {
					t.Errorf("it was asked for %d times, want once", got)
				}
				w.answer(away.AskRefused, away.ChooseCarry)
				if got := asked(); got != 1 {
					t.Errorf("at a person's word it was asked for %d times, want once", got)
				}
				w.sys[side].Heal()
				w.answer(away.AskRefused, away.ChooseCarry)
				w.rest()
				if got := w.value(side, 0, "note") + " " + w.value(side, 0, "mail"); got != "left aside@example.com" {
					t.Errorf("got %q, want it put aside", got)
				}
				if c, ok := w.question(); ok {
					t.Errorf("put aside, and still asked: %s", c.Why)
				}
			})
		})
	}
}
