package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// Two bookings are sold twice, and a guard lets one give way a day. The other waits for a
// person as one set, however many runs pass, and is told of once. A yes has it give way on
// both sides; a no has it stand; once its room is free the question ends; and a question that
// nobody answers in time does not have it forgotten.
func TestWeakHeldGiveWay(t *testing.T) {
	for _, said := range []string{"yes", "no", "free", "asks fail", "nothing for a week"} {
		t.Run(said, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sold := true
				w := inn(t, 2, func(r record.Record) bool { return sold && r.Ref.ID != "" })
				defer w.close()
				guards := guard.Guards{Cancels: guard.Limit{Day: guard.Amount{Count: 1}}}
				w.eng.Jobs[job].Guards = guards
				w.run(engine.Options{})
				wantCount(t, "bookings that gave way", w.have(record.Right, "note", "rejected"), 1)
				first := w.staged()
				if len(first) != 1 || first[0].Size != 1 {
					t.Fatalf("staged: %+v", first)
				}
				for range 4 {
					w.tick(time.Hour)
					w.run(engine.Options{})
					if now := w.staged(); len(now) != 1 || now[0].Set != first[0].Set {
						t.Fatalf("the set does not wait any more: %+v", now)
					}
				}
				wantCount(t, "asked of a person", w.alerts("staged"), 1)
				wantCount(t, "told that a room was sold twice", w.alerts("booking_oversold"), 2)
				wantCount(t, "bookings that gave way before a yes", w.have(record.Right, "note", "rejected"), 1)
				want := 2
				switch said {
				case "yes", "asks fail":
					w.say(first[0].Set, record.Approved)
				case "no":
					w.say(first[0].Set, record.Refusal)
					want = 1
				case "nothing for a week": // by then the guard lets it go
					w.tick(8 * 24 * time.Hour)
					w.run(engine.Options{})
				case "free":
					sold = false
					want = 1
				}
				if said == "asks fail" {
					w.sys[record.Right].Inject(memory.Fault{Call: memory.CallAsk, Class: connectors.Transient})
					if _, err := w.try(engine.Options{}); err == nil {
						t.Error("a run that could not ask did not fail")
					}
					wantCount(t, "bookings that gave way though nobody could ask", w.have(record.Right, "note", "rejected"), 1)
				}
				rep := w.run(engine.Options{})
				for _, n := range rep.Notes {
					if n.State == "dropped" {
						t.Errorf("a yes found nothing: %+v", n)
					}
				}
				questions := 1
				if want == 2 && said != "nothing for a week" { // telling the other side passes the same guard there
					wantCount(t, "bookings that gave way on the right", w.have(record.Right, "note", "rejected"), 2)
					questions++
					for _, st := range w.staged() {
						w.say(st.Set, record.Approved)
					}
					w.run(engine.Options{})
				}
				for _, side := range record.Sides {
					wantCount(t, fmt.Sprint("bookings that gave way on the ", side), w.have(side, "note", "rejected"), want)
				}
				for range 3 {
					w.tick(time.Hour)
					w.run(engine.Options{})
				}
				for _, side := range record.Sides {
					wantCount(t, fmt.Sprint("bookings that gave way on the ", side, " in the end"), w.have(side, "note", "rejected"), want)
				}
				wantCount(t, "asked of a person in the end", w.alerts("staged"), questions)
				told := 2
				if said == "free" { // the desk is told that the other one stands
					told++
				}
				wantCount(t, "told that a room was sold twice in the end", w.alerts("booking_oversold"), told)
				if now := w.staged(); said != "no" && len(now) > 0 {
					t.Errorf("staged in the end: %+v", now)
				}
			})
		})
	}
}

// Killed at any step of the run that carries out a yes, the booking gives way on both sides.
func TestWeakHeldGiveWayKilled(t *testing.T) {
	for k, over := 1, false; !over; k++ {
		synctest.Test(t, func(t *testing.T) {
			w := inn(t, 2, func(r record.Record) bool { return r.Ref.ID != "" })
			defer w.close()
			booking := w.eng.Jobs[job].Booking
			w.guards = guard.Guards{Cancels: guard.Limit{Day: guard.Amount{Count: 1}}}
			w.eng.Jobs[job].Guards = w.guards
			w.run(engine.Options{})
			w.say(w.staged()[0].Set, record.Approved)
			over = w.killed(k, engine.Options{}) < k
			w.eng.Jobs[job].Booking = booking // it is another process
			for range 3 {
				w.tick(time.Minute)
				w.run(engine.Options{})
				for _, st := range w.staged() {
					w.say(st.Set, record.Approved)
				}
			}
			w.run(engine.Options{})
			for _, side := range record.Sides {
				wantCount(t, fmt.Sprint("killed at ", k, ", bookings that gave way on the ", side), w.have(side, "note", "rejected"), 2)
			}
		})
	}
}

// The desk's system has no word for a booking that was refused. Such a booking of the other side
// holds its own status, and stops nobody else's.
func TestWeakNoWordForARefusal(t *testing.T) {
	words := []mapping.EnumRow{
		{Word: "confirmed", Sides: [2][]string{{"confirmed"}, {"CONFIRMED"}}},
		{Word: "cancelled", Sides: [2][]string{{"cancelled"}, {"CANCELLED"}}},
		{Word: "rejected", Sides: [2][]string{{"rejected"}, nil}},
	}
	synctest.Test(t, func(t *testing.T) {
		accept := func([]record.Record, record.Record) bool { return true }
		w := newWorld(t, setting{
			status: "note", words: map[string][]mapping.EnumRow{"note": words}, machine: merge.Stay(record.Right),
			kinds: [2]memory.Kind{record.Right: {Accept: accept}}, policies: map[string]merge.Policy{"note": merge.Rules},
		})
		defer w.close()
		w.eng.Jobs[job].Booking = &engine.Booking{Authority: record.Right, Status: "note", Refused: "rejected", Asks: true, First: "mail", Last: "mail", Dead: []string{"cancelled", "rejected"}}
		for n := range 2 {
			w.put(record.Left, n, map[string]string{"note": "confirmed", "mail": "2100-01-01"})
			w.put(record.Right, n, map[string]string{"note": "CONFIRMED", "mail": "2100-01-01"})
		}
		w.rest()
		w.edit(record.Left, 0, "note", "rejected")
		w.put(record.Right, 5, map[string]string{"note": "CONFIRMED", "mail": "2100-02-01"})
		for range 3 {
			w.tick(time.Minute)
			w.run(engine.Options{Yes: true, Full: true})
		}
		wantCount(t, "bookings on the left", len(w.sys[record.Left].All(kinds[record.Left])), 3)
	})
}
