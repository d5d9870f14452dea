package e2e

import (
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A guest who is held for a person: two share a phone. The stay takes a room all the
// same, and is published with what is known once the wait is over.
func TestStayOfAHeldGuestIsPublishedAfterTheWait(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("        if_left_out: Occupied\n", "        wait: 1ms\n        then: snapshot\n")
	one := h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Anna', 'Rossi', '055 0000001', 'IT')`)
	h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Aldo', 'Rossi', '055 0000001', 'IT')`)
	h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, one, day(3), day(5))
	h.sync()
	h.sync()
	rs := h.sim.All("reservations")
	if len(rs) != 1 || rs[0]["client_full_name"] != "Anna Rossi" || rs[0]["client_phone_number"] != "+390550000001" {
		t.Fatalf("the platform has %v, want the stay with the guest's own name and phone", rs)
	}
	h.quiet()
}

func TestStayOfAHeldGuestIsHeldAfterTheWait(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("        if_left_out: Occupied\n", "        wait: 1ms\n        then: hold\n")
	one := h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Anna', 'Rossi', '055 0000001', 'IT')`)
	h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Aldo', 'Rossi', '055 0000001', 'IT')`)
	h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, one, day(3), day(5))
	h.sync()
	reports := h.sync()
	if n := total(reports, "reservations", "held"); n != 1 || h.sim.Len("reservations") != 0 {
		h.tell(reports)
		t.Fatalf("held: got %d, want 1, and nothing published (%d)", n, h.sim.Len("reservations"))
	}
}

// A booking that arrived as pending and that nobody answers is alerted once.
func TestPendingBookingIsAlertedOnce(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("    platform_may:", "    answer_within: 1ms\n    platform_may:")
	aContact(h)
	aBooking(h)
	alerts := 0
	for range 3 {
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // the promise of these tests is real and one millisecond
		for _, r := range h.sync() {
			for _, a := range r.Alerts {
				if a.Kind == "booking_waiting" && strings.Contains(a.Text, "neither confirmed nor refused") {
					alerts++
				}
			}
		}
	}
	if alerts != 1 {
		t.Errorf("alerts about the pending booking: got %d, want 1", alerts)
	}
}

// A record that can't wait is taken before a long list's next two requests.
func TestKickGoesBeforeTheNextPages(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("    key: file:", "    page_size: 10\n    key: file:")
	for i := range 120 {
		h.sim.Put("contacts", map[string]any{"first_name": "Guest", "last_name": "X", "phone_number": driftPhone(i)})
	}
	aContact(h)
	h.sync()
	kicked := aBooking(h)
	waiting := []engine.Kick{{Side: record.Left, Ref: record.Ref{Kind: "reservations", ID: kicked}}}
	for range 60 {
		h.sim.Put("reservations", map[string]any{
			"client_full_name": "Nobody Known", "client_phone_number": nil,
			"starting_date": day(20), "ending_date": day(21), "status": "CANCELLED",
		})
	}
	h.sim.ResetCounts()
	written, asked := -1, -1
	h.syncWith(engine.Options{Yes: true, Kicked: func() []engine.Kick {
		lists := h.sim.Counts().Routes["GET /reservations"]
		if h.one(`SELECT count(*) FROM reservations`) == "1" && written < 0 {
			written = lists
		}
		if lists < 2 || asked >= 0 {
			return nil
		}
		asked = lists
		return waiting
	}})
	if asked < 0 || written < 0 || written > asked+2 {
		t.Errorf("the booking was kicked after %d lists and written after %d, want at most two later", asked, written)
	}
	h.quiet()
}
