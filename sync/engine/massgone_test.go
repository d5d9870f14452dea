package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// purged is a house of 40 of whom eight are removed on the left, and three deletes are
// what a run may do. An edit waits on the left beside them.
func purged(t *testing.T, rule engine.GoneRule) *world {
	t.Helper()
	w := house(t, 40, setting{kinds: deletes, guards: guard.Guards{Deletes: guard.AtMost(3)}, gone: [2]engine.GoneRule{{}, rule}})
	for i := range 8 {
		w.sys[record.Left].Remove(kinds[record.Left], w.ref(record.Left, i).ID)
	}
	w.set(record.Left, 20, 21, "name", "renamed")
	w.tick(time.Minute)
	return w
}

// A purge is held whole and told once, while an edit beside it goes on; a yes deletes
// just those that are still gone and unedited, a no leaves them alone for good.
func TestF41_AMassDeleteWaitsForAPerson(t *testing.T) {
	archive := engine.GoneRule{Policy: away.GoneArchive, Archive: record.Fields{"their_note": record.OfText("left")}}
	for _, tt := range []struct {
		name     string
		rule     engine.GoneRule
		decision record.Choice
		there    int // of the eight, on the right in the end
		aside    int
	}{
		{"approved", engine.GoneRule{Policy: away.GoneDelete}, record.Approved, 2, 0},
		{"rejected", engine.GoneRule{Policy: away.GoneDelete}, record.Refusal, 8, 0},
		{"archives approved", archive, record.Approved, 8, 6},
		{"archives rejected", archive, record.Refusal, 8, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := purged(t, tt.rule)
				defer w.close()
				for range 3 {
					w.run(engine.Options{Full: true})
					w.tick(time.Minute)
				}
				sets := w.staged()
				if len(sets) != 1 || sets[0].Cause != "deletes" {
					t.Fatalf("got sets %+v, want one of deletes", sets)
				}
				wantCount(t, "on the right while it waits", len(w.sys[record.Right].All(kinds[record.Right])), 40)
				wantCount(t, "put aside while it waits", w.have(record.Right, "note", "left"), 0)
				wantCount(t, "renamed beside it", w.have(record.Right, "name", "renamed"), 1)

				// One is entered again under its id, and one is edited, before anybody says yes.
				w.sys[record.Left].PutAs(kinds[record.Left], "00000001", record.Fields{
					"phone": record.OfText(number(0)), "name": record.OfText("guest 0"), "note": record.OfText("confirmed"),
					"mail": record.OfText("g0@example.com"),
				})
				w.set(record.Right, 1, 2, "mail", "edited@example.com")
				w.say(sets[0].Set, tt.decision)
				for range 4 {
					w.run(engine.Options{Full: true})
					w.tick(time.Minute)
				}
				there := 0
				for i := range 8 {
					for _, r := range w.sys[record.Right].All(kinds[record.Right]) {
						if r.Fields[spell(record.Right, "phone")].Text() == number(i) {
							there++
						}
					}
				}
				wantCount(t, "of the eight on the right", there, tt.there)
				wantCount(t, "put aside", w.have(record.Right, "note", "left"), tt.aside)
				wantCount(t, "all on the right", len(w.sys[record.Right].All(kinds[record.Right])), 32+tt.there)
				for _, s := range w.staged() {
					if s.Choice == record.Undecided {
						t.Errorf("a set waits still: %s", s.Why)
					}
				}
				w.idle(2)
			})
		})
	}
}

// Losing a little each day, each run below what a run may delete, stops in the week.
func TestF42_ASlowDripOfDeletesIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{kinds: deletes, gone: both(away.GoneDelete), guards: guard.Guards{
			Deletes: guard.Limit{Run: guard.Amount{Count: 3}, Week: guard.Amount{Count: 9}},
		}})
		defer w.close()
		for i := range 14 {
			w.sys[record.Left].Remove(kinds[record.Left], w.ref(record.Left, i).ID)
			w.tick(6 * time.Hour)
			w.run(engine.Options{Full: true})
		}
		if got := 40 - len(w.sys[record.Right].All(kinds[record.Right])); got != 9 {
			t.Errorf("%d were deleted in four days, want nine", got)
		}
	})
}
