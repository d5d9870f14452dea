package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan/away"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// A booking that we entered gives way once at most, and only if nobody has decided about it since, whatever it shows
// by then. A run that comes later than two minutes tells the desk that there is no room, and takes nothing back.
func TestOutsideABookingGivesWayOnceAndUntouched(t *testing.T) {
	type house struct {
		*world
		full bool
	}
	away := func(w *house) {
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Transient, Times: -1})
	}
	heal := func(w *house) { w.sys[record.Right].Heal() }
	free := func(w *house) { w.full = false }
	run := func(w *house) { w.run(engine.Options{}); w.tick(10 * time.Second) }
	desk := func(field, value string) func(w *house) {
		return func(w *house) { w.edit(record.Right, 1, field, value) }
	}
	sell := func(w *house) { w.full = true }
	rest := func(d time.Duration) func(w *house) { return func(w *house) { w.tick(d) } }
	for _, tt := range []struct {
		name   string
		steps  []func(w *house)
		status string // what the right shows in the end
		told   int
	}{
		{"nobody touches it", []func(w *house){sell, run, run}, "rejected", 1},
		{"checked in, seen by a run, and put back", []func(w *house){desk("note", "checked_in"), run, desk("note", "confirmed"), sell, run, run}, "confirmed", 1},
		{"moved, seen by a run, and moved back", []func(w *house){desk("mail", "2100-01-02"), run, desk("mail", "2100-01-01"), sell, run, run}, "confirmed", 1},
		{"cancelled, seen by a run, and taken back", []func(w *house){desk("note", "cancelled"), run, desk("note", "confirmed"), sell, run, run}, "confirmed", 1},
		{"made an option after it was entered as confirmed", []func(w *house){desk("note", "option"), sell, run, run}, "option", 1},
		{"it gave way, and the desk takes it back", []func(w *house){sell, run, desk("note", "confirmed"), run, run, run}, "confirmed", 2},
		{"the first run after two minutes finds that the room is gone", []func(w *house){rest(5 * time.Second), sell, rest(2 * time.Minute), run, run}, "confirmed", 1},
		{"it is to give way, and its system takes no change for two minutes", []func(w *house){sell, away, run, rest(2 * time.Minute), heal, run, run}, "confirmed", 2},
		{"it is to give way, and its room is free again", []func(w *house){sell, away, run, free, run, heal, run, rest(2 * time.Minute), run}, "confirmed", 2},
		{"the room goes after a run has found it free after two minutes", []func(w *house){rest(2 * time.Minute), run, sell, run, run}, "confirmed", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &house{}
				w.world = inn(t, 1, func(r record.Record) bool { return w.full && r.Ref.ID != "" })
				defer w.close()
				w.eng.Jobs[job].Booking.Pending = "option"
				run(w)
				for _, step := range tt.steps {
					step(w)
				}
				if got := w.value(record.Right, 1, "note"); got != tt.status {
					t.Errorf("the right shows %s, want %s:\n%s", got, tt.status, w.both())
				}
				wantCount(t, "told that there is no room", w.alerts("booking_oversold"), tt.told)
			})
		})
	}
}

// A booking gave way, and before the platform is told the caller confirms it there. The platform is told all the same:
// the caller must not go on believing that there is a room.
func TestOutsideTheCallerIsToldThoughHeConfirmsMeanwhile(t *testing.T) {
	for _, meanwhile := range []string{"confirmed", ""} {
		t.Run(meanwhile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				full := false
				accept := func(_ []record.Record, r record.Record) bool { return !full || r.Ref.ID == "" }
				w := newWorld(t, setting{
					status: "note", machine: merge.Stay(record.Right), policies: map[string]merge.Policy{"note": merge.Rules},
					kinds: [2]memory.Kind{record.Right: {Accept: accept}},
				})
				defer w.close()
				w.eng.Jobs[job].Booking = &engine.Booking{
					Authority: record.Right, Status: "note", Refused: "rejected", Asks: true, First: "mail", Last: "mail",
					Dead: []string{"cancelled", "rejected"},
				}
				w.put(record.Left, 1, map[string]string{"note": "option", "mail": "2100-01-01"})
				w.run(engine.Options{})
				full = true
				w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Transient, Times: -1})
				w.run(engine.Options{})
				if got := w.value(record.Right, 1, "note"); got != "rejected" {
					t.Fatalf("it did not give way: %s", got)
				}
				w.sys[record.Left].Heal()
				if meanwhile != "" {
					w.edit(record.Left, 1, "note", meanwhile)
				}
				for range 3 {
					w.tick(time.Minute)
					w.run(engine.Options{})
				}
				if l, r := w.value(record.Left, 1, "note"), w.value(record.Right, 1, "note"); l != "rejected" || r != "rejected" {
					t.Errorf("the left shows %s, and the right %s", l, r)
				}
			})
		})
	}
}

// What we entered was removed, and a person joined the booking with a record that the desk entered for it. That record
// is not ours: its room is never asked for.
func TestOutsideWhatTheDeskEnteredNeverGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := false
		accept := func(_ []record.Record, r record.Record) bool { return !full || r.Ref.ID == "" }
		w := lobbyIn(newWorld(t, setting{status: "note", kinds: [2]memory.Kind{{}, {Accept: accept}}, gone: both(away.GoneHold)}))
		defer w.close()
		w.eng.Jobs[job].Booking = &engine.Booking{
			Authority: record.Right, Status: "note", Refused: "rejected", Asks: true, First: "name", Last: "name",
			Dead: []string{"cancelled", "rejected"},
		}
		w.book(record.Left, 5, 3)
		for range 3 {
			w.run(engine.Options{Full: true})
		}
		made, ok := w.find(record.Right, 3)
		if !ok {
			t.Fatalf("it was not entered:\n%s", w.both())
		}
		w.sys[record.Right].Remove(kinds[record.Right], made.Ref.ID)
		w.book(record.Right, 5, 3)
		for range 3 {
			w.tick(10 * time.Second)
			w.run(engine.Options{Full: true})
		}
		w.asked(away.AskUnable)
		w.answer(away.AskUnable, away.ChooseAnew)
		full = true
		for range 3 {
			w.run(engine.Options{Full: true})
			w.tick(10 * time.Second)
		}
		if got := w.value(record.Right, 3, "note"); got == "rejected" || w.has(3) != "lr" {
			t.Errorf("the right shows %q:\n%s", got, w.both())
		}
		wantCount(t, "told that there is no room", w.alerts("booking_oversold"), 0)
	})
}

// Two bookings are to give way, because the desk sold one of the two rooms, and a guard holds that. A person says yes to
// both. The first one gives way, and then there is a room for the other: it stands, and the desk is told.
func TestOutsideOfTwoHeldBookingsOneGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rooms := 2
		accept := func(all []record.Record, r record.Record) bool {
			taken := 0
			for _, x := range all {
				if x.Ref != r.Ref && x.Fields["their_note"].Text() == "confirmed" {
					taken++
				}
			}
			return taken < rooms
		}
		w := newWorld(t, setting{
			status: "note", kinds: [2]memory.Kind{record.Right: {Accept: accept}},
			guards: guard.Guards{Cancels: guard.Limit{Day: guard.Amount{Count: 1}}},
		})
		defer w.close()
		w.eng.Jobs[job].Booking = &engine.Booking{
			Authority: record.Right, Status: "note", Refused: "rejected", Asks: true, First: "mail", Last: "mail",
			Dead: []string{"cancelled", "rejected"},
		}
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "guest", "note": "confirmed", "mail": "2100-01-01"})
			if n == 0 {
				w.run(engine.Options{})
				w.edit(record.Left, 0, "note", "cancelled") // it uses up what the guard lets go
				w.run(engine.Options{})
			}
		}
		w.run(engine.Options{})
		wantCount(t, "entered", w.have(record.Right, "note", "confirmed"), 2)
		rooms = 1
		w.run(engine.Options{})
		held := w.staged()
		if len(held) != 1 || held[0].Size != 2 {
			t.Fatalf("staged: %+v", held)
		}
		w.approveAlone(held[0].Set)
		for range 3 {
			w.tick(10 * time.Second)
			w.run(engine.Options{})
		}
		wantCount(t, "bookings that stand", w.have(record.Right, "note", "confirmed"), 1)
		wantCount(t, "bookings that gave way", w.have(record.Right, "note", "rejected"), 1)
		texts := w.alertsOf("booking_oversold")
		if len(texts) == 0 || !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "its room is free again") }) {
			t.Errorf("alerts: %q", texts)
		}
	})
}

// A booking waits for a person to say that it gives way. The desk, or the guest on the platform, moves it to other days,
// where there is a room, and no run has read that when the person says yes. It stands on its new days.
func TestOutsideAHeldBookingThatWasMovedStands(t *testing.T) {
	for _, k := range []memory.Kind{{}, {Versions: true}, {Versions: true, Counting: true, Guarded: true}} {
		for _, mover := range record.Sides {
			t.Run(fmt.Sprintf("versions %t, guarded %t, moved on the %s", k.Versions, k.Guarded, mover), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { heldAndMoved(t, k, mover) })
			})
		}
	}
}

func heldAndMoved(t *testing.T, k memory.Kind, mover record.Side) {
	rooms := 2
	k.Accept = func(all []record.Record, r record.Record) bool {
		taken := 0
		for _, x := range all {
			if x.Ref != r.Ref && x.Fields["their_note"].Text() == "confirmed" && x.Fields["their_mail"].Equal(r.Fields["their_mail"]) {
				taken++
			}
		}
		return taken < rooms
	}
	w := newWorld(t, setting{status: "note", kinds: [2]memory.Kind{record.Right: k}, guards: guard.Guards{Cancels: guard.Limit{Day: guard.Amount{Count: 1}}}})
	defer w.close()
	w.eng.Jobs[job].Booking = &engine.Booking{
		Authority: record.Right, Status: "note", Refused: "rejected", Asks: true, First: "mail", Last: "mail",
		Dead: []string{"cancelled", "rejected"},
	}
	for n := range 3 {
		w.put(record.Left, n, map[string]string{"name": "guest", "note": "confirmed", "mail": "2100-01-01"})
		if n == 0 {
			w.run(engine.Options{})
			w.edit(record.Left, 0, "note", "cancelled") // it uses up what the guard lets go
			w.run(engine.Options{})
		}
	}
	w.run(engine.Options{})
	rooms = 0
	w.run(engine.Options{})
	held := w.staged()
	if len(held) != 1 || held[0].Size != 2 {
		t.Fatalf("staged: %+v", held)
	}
	w.edit(mover, 1, "mail", "2100-02-01")
	w.approveAlone(held[0].Set)
	rooms = 1
	for range 3 {
		w.tick(10 * time.Second)
		w.run(engine.Options{})
	}
	w.shows(record.Right, 1, "note", "confirmed")
	w.shows(record.Left, 1, "note", "confirmed")
	w.shows(record.Left, 1, "mail", "2100-02-01")
	w.shows(record.Right, 1, "mail", "2100-02-01")
}

// A booking gave way, and before the platform is told the desk takes it back, within the time in which a read that shows
// it so counts as late. The platform is not told no while the desk has the booking: once the change has settled, the
// two are as the desk has it. If the desk leaves it ended, the platform is told in the next run.
func TestOutsideNobodyIsToldWhileTheDeskHasItBack(t *testing.T) {
	for _, back := range []bool{true, false} {
		for _, unread := range []bool{false, true} {
			t.Run(fmt.Sprintf("taken back %t, no reads by id %t", back, unread), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					full := false
					accept := func(_ []record.Record, r record.Record) bool { return !full || r.Ref.ID == "" }
					w := newWorld(t, setting{
						status: "note", machine: merge.Stay(record.Right), policies: map[string]merge.Policy{"note": merge.Rules},
						kinds: [2]memory.Kind{record.Right: {Accept: accept, NoGet: unread}}, settle: 30 * time.Second,
					})
					defer w.close()
					w.eng.Jobs[job].Booking = &engine.Booking{
						Authority: record.Right, Status: "note", Refused: "rejected", Asks: true, First: "mail", Last: "mail",
						Dead: []string{"cancelled", "rejected"},
					}
					w.put(record.Left, 1, map[string]string{"note": "confirmed", "mail": "2100-01-01"})
					w.run(engine.Options{})
					w.tick(10 * time.Second)
					full = true
					w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Transient, Times: -1})
					w.run(engine.Options{})
					if got := w.value(record.Right, 1, "note"); got != "rejected" {
						t.Fatalf("it did not give way: %s", got)
					}
					w.sys[record.Left].Heal()
					want := "rejected"
					if back {
						w.edit(record.Right, 1, "note", "confirmed")
						full, want = false, "confirmed"
					}
					for range 8 {
						w.tick(5 * time.Second)
						w.run(engine.Options{})
						if got := w.value(record.Left, 1, "note"); back && got != "confirmed" {
							t.Fatalf("the platform was told %s, and the desk has the booking", got)
						}
					}
					if l, r := w.value(record.Left, 1, "note"), w.value(record.Right, 1, "note"); l != want || r != want {
						t.Errorf("the left shows %s, and the right %s, want %s", l, r, want)
					}
				})
			})
		}
	}
}

// A run that lets a booking give way is killed at each of its steps, and the desk takes the booking back before the next
// one. That one ends without an error: a change without an answer is looked up before the room is asked for again.
func TestOutsideAGiveWayThatWasCutOffIsLookedUpFirst(t *testing.T) {
	for k := 1; ; k++ {
		cut := true
		synctest.Test(t, func(t *testing.T) {
			full := false
			w := inn(t, 1, func(r record.Record) bool { return full && r.Ref.ID != "" })
			defer w.close()
			w.run(engine.Options{})
			w.tick(10 * time.Second)
			full = true
			booking := w.eng.Jobs[job].Booking
			cut = w.killed(k, engine.Options{}) >= k
			w.eng.Jobs[job].Booking = booking
			if w.value(record.Right, 1, "note") == "rejected" {
				w.edit(record.Right, 1, "note", "confirmed")
			}
			for range 3 {
				w.tick(time.Second)
				if _, err := w.eng.Run(t.Context(), job, engine.Options{}); err != nil {
					t.Fatalf("killed at step %d: the next run failed: %v", k, err)
				}
			}
		})
		if !cut {
			return
		}
	}
}

// The same on a side with versions: they tell that the change was done, and that the desk has taken the booking back. It
// does not give way a second time, and the platform is not told no.
func TestOutsideAGiveWayThatWasCutOffIsNotDoneTwice(t *testing.T) {
	done := 0
	for k := 1; ; k++ {
		cut := true
		synctest.Test(t, func(t *testing.T) {
			full := false
			w := newWorld(t, setting{status: "note", kinds: [2]memory.Kind{record.Right: {
				Versions: true, Counting: true, Accept: func(_ []record.Record, r record.Record) bool { return !full || r.Ref.ID == "" },
			}}})
			defer w.close()
			w.eng.Jobs[job].Booking = &engine.Booking{
				Authority: record.Right, Status: "note", Refused: "rejected", Asks: true, First: "mail", Last: "mail",
				Dead: []string{"cancelled", "rejected"},
			}
			w.put(record.Left, 1, map[string]string{"name": "guest", "note": "confirmed", "mail": "2100-01-01"})
			w.run(engine.Options{})
			w.tick(10 * time.Second)
			full = true
			booking := w.eng.Jobs[job].Booking
			cut = w.killed(k, engine.Options{}) >= k
			w.eng.Jobs[job].Booking = booking
			if w.value(record.Right, 1, "note") != "rejected" || w.value(record.Left, 1, "note") == "rejected" {
				return
			}
			done++
			w.edit(record.Right, 1, "note", "confirmed")
			for range 4 {
				w.tick(10 * time.Second)
				w.run(engine.Options{})
			}
			w.shows(record.Right, 1, "note", "confirmed")
			w.shows(record.Left, 1, "note", "confirmed")
			if t.Failed() {
				t.Logf("killed at step %d", k)
			}
		})
		if !cut {
			break
		}
	}
	if done == 0 {
		t.Error("no kill came after the change was done")
	}
}
