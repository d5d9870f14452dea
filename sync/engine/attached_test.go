package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// Of two records with one phone the first stands for both. Once it is gone, or has another phone, the
// second stands for itself: it is matched with what was entered across, or made there, once.
func TestAttachedStandsForItselfOnceTheOtherIsGone(t *testing.T) {
	for _, how := range []string{"both are removed, and it is entered across", "it is removed", "its phone is another"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{deletes[0], deletes[1]}, gone: both(away.GoneDelete)})
				defer w.close()
				w.eng.Jobs[job].Represent, w.eng.Jobs[job].By = true, "lowest_id"
				for n := range 4 {
					w.put(record.Right, n, map[string]string{"name": "Guest"})
				}
				w.rest()
				first, _ := w.find(record.Right, 0)
				across, _ := w.find(record.Left, 0)
				second := record.Fields{spell(record.Right, "phone"): record.OfText(phoneOf(0)), spell(record.Right, "name"): record.OfText("Second")}
				w.sys[record.Right].Put(kinds[record.Right], second)
				w.rest()
				if n := len(w.sys[record.Left].All(kinds[record.Left])); n != 4 {
					t.Fatalf("%d on the left, and one was to stand for two:\n%s", n, w.both())
				}
				want := 4
				switch how {
				case "it is removed":
					w.sys[record.Right].Remove(kinds[record.Right], first.Ref.ID)
				case "its phone is another":
					w.sys[record.Right].Edit(kinds[record.Right], first.Ref.ID, record.Fields{spell(record.Right, "phone"): record.OfText(phoneOf(9))})
					want = 5
				default:
					w.sys[record.Right].Remove(kinds[record.Right], first.Ref.ID)
					w.sys[record.Left].Remove(kinds[record.Left], across.Ref.ID)
					w.put(record.Left, 0, map[string]string{"name": "Second"})
				}
				for range 4 {
					w.tick(time.Hour)
					w.run(engine.Options{Yes: true, Full: true})
				}
				if how == "it is removed" { // what becomes of the one across is for a person to say
					w.asked(away.AskAnew)
				}
				for _, side := range record.Sides {
					if n := len(w.sys[side].All(kinds[side])); n != want {
						t.Errorf("%d on the %s, not %d:\n%s", n, side, want, w.both())
					}
				}
			})
		})
	}
}

// A booking for which another one stands waits for no answer of its own: the desk is told of neither
// once it has answered that one.
func TestAttachedWaitsForNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.eng.Jobs[job].Represent, w.eng.Jobs[job].By = true, "lowest_id"
		w.eng.Jobs[job].Booking = &engine.Booking{Status: "note", Authority: record.Right, Pending: "option", AnswerWithin: 5 * time.Minute, First: "mail", Last: "mail"}
		w.put(record.Left, 1, map[string]string{"note": "confirmed", "mail": "2100-01-01"})
		w.run(engine.Options{Yes: true})
		w.edit(record.Right, 1, "note", "confirmed")
		twin := record.Fields{spell(record.Left, "phone"): record.OfText(phoneOf(1)), spell(record.Left, "note"): record.OfText("confirmed"), spell(record.Left, "mail"): record.OfText("2100-01-01")}
		w.sys[record.Left].Put(kinds[record.Left], twin)
		for range 3 {
			w.tick(6 * time.Minute)
			if rep := w.run(engine.Options{Yes: true, Full: true}); len(rep.Alerts) > 0 {
				t.Fatalf("the desk is told of %v", rep.Alerts)
			}
		}
		if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 1 {
			t.Errorf("%d on the right, and one was to stand for two:\n%s", n, w.both())
		}
	})
}
