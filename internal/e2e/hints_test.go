package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/record"
)

// openHints is the hints of bookings that no run has looked at yet.
func (h *house) openHints() []record.Hint {
	h.t.Helper()
	var found []record.Hint
	h.withState(func(s *state.Store) (err error) {
		found, err = s.Hints(context.Background(), "reservations", 0, 100)
		return err
	})
	return found
}

// withState does something with the state file, as another process would.
func (h *house) withState(do func(*state.Store) error) {
	h.t.Helper()
	s, err := state.Open(context.Background(), h.stateFile(), state.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	defer s.Close()
	if err := do(s); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) entered(n int) func() bool {
	return func() bool { return h.one(`SELECT count(*) FROM reservations`) == fmt.Sprint(n) }
}

func (h *house) heeded() bool { return len(h.openHints()) == 0 }

// linkedGuest is a house with one guest whom both sides know.
func linkedGuest(t *testing.T) *house {
	h := newHouse(t, simulator.Options{})
	h.edit("settle: 1ms", "settle: 1ms\ngrace: 1s")
	aContact(h)
	h.sync()
	return h
}

func TestF28_HintsAreTakenOnceAndForgotten(t *testing.T) {
	h := linkedGuest(t)
	s := h.serve()
	id := aBooking(h)
	for range 5 {
		s.hint("reservations", "reservations", id)
	}
	s.hint("reservations", "reservations", "does-not-exist")
	h.await(10*time.Second, "the booking is entered", h.entered(1))
	for range 5 {
		s.hint("reservations", "reservations", id)
	}
	h.await(10*time.Second, "all hints are heeded", h.heeded)
	s.stop()
	if !h.entered(1)() {
		t.Error("the booking was entered more than once")
	}
	h.quiet()
}

// A record that can't be read keeps no other hint waiting, and its own hint stays
// until it can.
func TestAHintThatFailsBlocksNoOther(t *testing.T) {
	h := linkedGuest(t)
	s := h.serve()
	bad := bookingOf(h, "+390550000001")
	fault := h.sim.AddFault(simulator.Fault{Kind: simulator.FaultStatus, Method: "GET", Path: "/reservations/" + bad, Status: 500})
	s.hint("reservations", "reservations", bad)
	h.await(20*time.Second, "the record is asked for", func() bool { return h.sim.FaultHits(fault) > 0 })
	for i := range 3 {
		id := h.sim.Put("reservations", map[string]any{
			"client_full_name": "Anna Rossi", "client_phone_number": "+390550000001",
			"starting_date": day(20 + 3*i), "ending_date": day(21 + 3*i), "status": "CONFIRMED",
		})
		s.hint("reservations", "reservations", id)
		h.await(5*time.Second, "another booking is entered", h.entered(i+1))
	}
	// A booking is there a moment before its hint is noted as heeded.
	h.await(5*time.Second, "the other hints are heeded", func() bool { return len(h.openHints()) == 1 })
	if open := h.openHints(); len(open) != 1 || open[0].Ref.ID != bad {
		t.Errorf("open hints: got %v, want the one at %s", open, bad)
	}
	if hits := h.sim.FaultHits(fault); hits > 6 { // three requests a try
		t.Errorf("requests for the record that can't be read: got %d, want those of two tries at most", hits)
	}
	h.sim.RemoveFault(fault)
	h.await(time.Minute, "the booking is entered once it can be read", h.entered(4))
	h.await(5*time.Second, "its hint is heeded", h.heeded)
	s.stop()
	h.quiet()
}

// Killed between the hint and its run, the next process takes it up: also where the
// run was not even asked for.
func TestHintsOutliveTheProcess(t *testing.T) {
	h := linkedGuest(t)
	id := aBooking(h)
	h.withState(func(s *state.Store) error {
		_, err := s.Hint(context.Background(), []record.Hint{{
			Place: record.Place{Binding: "reservations", Side: record.Left},
			Ref:   record.Ref{Kind: "reservations", ID: id}, At: time.Now(),
		}})
		return err
	})
	s := h.serve()
	h.await(10*time.Second, "the booking is entered", h.entered(1))
	h.await(5*time.Second, "the hint is heeded", h.heeded)
	s.stop()
	h.quiet()
}

// A run that is broken off before it has come to its end has heeded nothing.
func TestHintsOfABrokenRunAreTakenAgain(t *testing.T) {
	h := linkedGuest(t)
	s := h.serve()
	id := aBooking(h)
	fault := h.sim.AddFault(simulator.Fault{Kind: simulator.FaultLatency, Method: "GET", Path: "/reservations/", Delay: 3 * time.Second})
	s.hint("reservations", "reservations", id)
	h.await(10*time.Second, "the record is asked for", func() bool { return h.sim.FaultHits(fault) > 0 })
	s.stop()
	if len(h.openHints()) != 1 || !h.entered(0)() {
		t.Fatalf("open hints after the stop: got %v, want the one", h.openHints())
	}
	h.sim.RemoveFault(fault)
	again := h.serve()
	h.await(10*time.Second, "the booking is entered", h.entered(1))
	again.stop()
	h.quiet()
}

// A hint writes nothing before somebody agreed to the first plan, and is kept.
func TestHintsWaitForTheFirstYes(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("settle: 1ms", "settle: 1ms\ngrace: 1s")
	contact := aContact(h)
	s := h.serve()
	s.hint("guests", "contacts", contact)
	s.hint("reservations", "reservations", aBooking(h))
	reads := func() int { return len(h.sim.Requests()) }
	if err := within(2*time.Second, func() bool { return reads() > 0 }); err == nil {
		t.Errorf("got %d requests for hints before the first yes, want none", reads())
	}
	s.stop()
	if n := h.one(`SELECT count(*) FROM guests`); n != "0" {
		t.Errorf("guests in the PMS before anybody agreed: got %s, want 0", n)
	}
	if len(h.openHints()) != 1 {
		t.Errorf("open hints: got %v, want the one", h.openHints())
	}
}

// The contact of a caller who is found only later: the system can't be asked by phone,
// so that its list is read, and the booking is entered at once all the same.
func TestABookingWaitsForAContactThatOnlyAListShows(t *testing.T) {
	h := linkedGuest(t)
	h.sim.AddFault(simulator.Fault{Kind: simulator.FaultFilterIgnored, Path: "/contacts"})
	s := h.serve()
	h.sim.Put("contacts", map[string]any{"first_name": "Nora", "last_name": "Neri", "phone_number": "+390559999999"})
	s.hint("reservations", "reservations", bookingOf(h, "+390559999999"))
	h.await(20*time.Second, "the booking is entered", h.entered(1))
	s.stop()
	if n := h.pages(); n > 4 { // the first sync's are in it
		t.Errorf("pages of contacts asked for: got %d, want 4 at most", n)
	}
	h.quiet()
}

// The contact comes after the booking: it is looked for again.
func TestABookingWaitsForAContactThatComesLater(t *testing.T) {
	h := linkedGuest(t)
	s := h.serve()
	finds := func() int {
		n := 0
		for _, r := range h.sim.Requests() {
			if strings.HasSuffix(r.Path, "/contacts") && !isPage(r) {
				n++
			}
		}
		return n
	}
	before := finds()
	s.hint("reservations", "reservations", bookingOf(h, "+390559999999"))
	h.await(10*time.Second, "the contact is looked for", func() bool { return finds() > before })
	h.sim.Put("contacts", map[string]any{"first_name": "Nora", "last_name": "Neri", "phone_number": "+390559999999"})
	h.await(20*time.Second, "the booking is entered", h.entered(1))
	s.stop()
	h.quiet()
}
