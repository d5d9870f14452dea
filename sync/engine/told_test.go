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

// inn is a world in which the right says whether it has a room, with some new bookings on
// the left. It says no to what full names: a create has no id yet, a booking that is asked
// about again has one. One cancel a run is let go.
func inn(t *testing.T, bookings int, full func(r record.Record) bool) *world {
	t.Helper()
	accept := func(_ []record.Record, r record.Record) bool { return !full(r) }
	w := newWorld(t, setting{
		status: "note", kinds: [2]memory.Kind{record.Right: {Accept: accept}},
		guards: guard.Guards{Cancels: guard.Limit{Run: guard.Amount{Count: 1}}},
	})
	w.eng.Jobs[job].Booking = &engine.Booking{
		Authority: record.Right, Status: "note", Refused: "rejected", Asks: true, First: "mail", Last: "mail",
		Dead: []string{"cancelled", "rejected"},
	}
	for n := range bookings {
		w.put(record.Left, n+1, map[string]string{"name": fmt.Sprint("guest ", n), "note": "confirmed", "mail": "2100-01-01"})
	}
	return w
}

// rejectOne has a person reject the one set that is held, of one change.
func (w *world) rejectOne(side record.Side) {
	w.Helper()
	st := w.staged()
	if len(st) != 1 || st[0].Size != 1 || st[0].Side != side {
		w.Fatalf("staged: %+v", st)
	}
	w.say(st[0].Set, record.Refusal)
}

// Two bookings are refused and a guard lets one guest be told. A person rejects that the
// other is told, and no later run does it, whatever else of the booking is edited.
func TestF41_ANoToTellingThatABookingWasRefused(t *testing.T) {
	for _, edited := range []bool{false, true} { // an edited one is asked for anew, and refused anew
		t.Run(fmt.Sprint("edited ", edited), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inn(t, 2, func(record.Record) bool { return true })
				defer w.close()
				w.run(engine.Options{})
				wantCount(t, "bookings that were told no", w.have(record.Left, "note", "rejected"), 1)
				w.rejectOne(record.Left)
				for n := range 3 {
					if edited {
						for i := range 2 {
							w.edit(record.Left, i+1, "name", fmt.Sprint("moved ", n))
						}
					}
					rep := w.run(engine.Options{})
					wantCount(t, "bookings that wait with what the person said", int(rep.Counts["waiting"]), map[bool]int{false: 1}[edited])
				}
				wantCount(t, "bookings that were told no in spite of one", w.have(record.Left, "note", "rejected"), 1)
				wantCount(t, "asked of a person", w.alerts("staged"), 1)
				if edited {
					return
				}
				w.tick(8 * 24 * time.Hour)
				w.run(engine.Options{})
				wantCount(t, "bookings that were told no once the person's counts no more", w.have(record.Left, "note", "rejected"), 2)
			})
		})
	}
}

// Two bookings turn out to be sold twice and a guard lets one give way. A person rejects
// that the other does, and it keeps standing on both sides, though it is asked about again:
// after a run that could not ask, and saw both sides stand as they were settled, as well as
// by one that plans nothing.
func TestF41_ANoToABookingThatGivesWay(t *testing.T) {
	nobody := engine.Options{OnlySide: record.Right, Only: []record.Ref{{Kind: kinds[record.Right], ID: "nobody"}}}
	for _, tt := range []struct {
		name string
		down bool // the first run could not ask
		next engine.Options
	}{
		{name: "a run"},
		{name: "a run after one that could not ask", down: true},
		{name: "a run for a record that is not there", next: nobody},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inn(t, 2, func(r record.Record) bool { return r.Ref.ID != "" })
				defer w.close()
				w.run(engine.Options{})
				wantCount(t, "bookings that gave way", w.have(record.Right, "note", "rejected"), 1)
				w.rejectOne(record.Right)
				if tt.down {
					w.sys[record.Right].Inject(memory.Fault{Call: memory.CallAsk, Class: connectors.Transient})
					if _, err := w.try(engine.Options{}); err == nil {
						t.Error("a run that could not ask did not fail")
					}
				}
				asked := w.sys[record.Right].Counts().Asks
				for range 3 {
					w.run(tt.next)
				}
				if w.sys[record.Right].Counts().Asks == asked {
					t.Error("it was not asked about again")
				}
				for _, side := range record.Sides {
					wantCount(t, "bookings that stand on the "+side.String(), w.have(side, "note", "confirmed"), 1)
				}
				wantCount(t, "asked of a person", w.alerts("staged"), 1)
			})
		})
	}
}

// A booking gives way on the right, and a guard keeps the left from being told, for another
// one was refused there. The next run tells it why in words that are true of one that the
// desk cancelled as well; and if a person rejects that, none does.
func TestF41_ANoToTellingThatABookingGaveWay(t *testing.T) {
	for _, rejected := range []bool{false, true} {
		t.Run(fmt.Sprint("rejected ", rejected), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inn(t, 2, func(r record.Record) bool {
					return r.Ref.ID != "" || r.Fields[spell(record.Right, "phone")].Text() == phoneOf(1)
				})
				defer w.close()
				w.run(engine.Options{})
				wantCount(t, "bookings that gave way", w.have(record.Right, "note", "rejected"), 1)
				if got := w.value(record.Left, 2, "note"); got != "confirmed" {
					t.Fatalf("the left was told: %s", got)
				}
				want := map[bool]int{false: 1}[rejected]
				if rejected {
					w.rejectOne(record.Left)
				}
				rep := w.run(engine.Options{})
				wantCount(t, "planned", len(rep.Actions), want)
				for _, a := range rep.Actions {
					if got, want := a.Reason, "it is rejected in two already"; got != want {
						t.Errorf("reason: got %q, want %q", got, want)
					}
				}
				w.rest()
				wantCount(t, "bookings that were told no", w.have(record.Left, "note", "rejected"), 1+want)
				wantCount(t, "bookings that stand on the right", w.have(record.Right, "note", "confirmed"), 0)
				wantCount(t, "asked of a person", w.alerts("staged"), 1)
			})
		})
	}
}
