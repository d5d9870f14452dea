package e2e

import (
	"fmt"
	"testing"

	"nightporter/simulator"
)

// A one-way field goes out when its own side changed. An edit where it arrives
// stays, is shown, and is put back only where the configuration says so.
func TestOneWayField(t *testing.T) {
	for _, enforce := range []bool{false, true} {
		h := newHouse(t, simulator.Options{})
		if enforce {
			h.edit("pms: language,   to: platform }", "pms: language,   to: platform, enforce: true }")
		}
		contact, guest := h.pair("Anna", "anna@example.com")
		if got := h.contact(contact, "language"); got != "en" {
			t.Fatalf("language on the platform: got %q, want the PMS's en", got)
		}
		h.sim.Edit("contacts", contact, map[string]any{"language": "de"})
		drifts := total(h.sync(), "guests", "drifts")
		got, in := h.contact(contact, "language"), h.one(`SELECT language FROM guests WHERE id = ?`, guest)
		switch {
		case in != "en":
			t.Errorf("enforce %v: the edit travelled against the direction: the PMS has %q", enforce, in)
		case enforce && got != "en":
			t.Errorf("enforce: the platform has %q, want it put back to en", got)
		case !enforce && (got != "de" || drifts != 1):
			t.Errorf("the platform has %q and %d drifts were shown, want de and 1", got, drifts)
		}
		h.exec(`UPDATE guests SET language = 'fr' WHERE id = ?`, guest)
		h.sync()
		if got := h.contact(contact, "language"); got != "fr" {
			t.Errorf("enforce %v: after an edit in the PMS the platform has %q, want fr", enforce, got)
		}
		h.quiet()
	}
}

// What a side can't show is never taken for cleared.
func TestFieldLeftOutOfAListClearsNothing(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("pms: email,      conflict: platform }", "pms: email,      conflict: platform, clear: propagate }")
	contact, guest := h.pair("Anna", "anna@example.com")
	h.sim.AddFault(simulator.Fault{Kind: simulator.FaultFieldsLeftOut, Fields: []string{"email", "last_name"}})
	h.quiet()
	h.sim.ClearFaults()
	if got := h.one(`SELECT email || last_name FROM guests WHERE id = ?`, guest); got != "anna@example.comRossi" {
		t.Errorf("the PMS has %q", got)
	}
	// And what is really cleared is cleared on the other side too.
	h.sim.Edit("contacts", contact, map[string]any{"email": nil})
	h.sync()
	if got := h.one(`SELECT coalesce(email, 'none') FROM guests WHERE id = ?`, guest); got != "none" {
		t.Errorf("email in the PMS: got %q, want none", got)
	}
	h.quiet()
}

// A masked address of a booking site is not known to us: it is not sent, and clears
// nothing.
func TestMaskedMailIsNotAValue(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	contact, guest := h.pair("Anna", "anna@example.com")
	h.exec(`UPDATE guests SET email = 'x123@guest.booking.com' WHERE id = ?`, guest)
	h.quiet()
	if got := h.contact(contact, "email"); got != "anna@example.com" {
		t.Errorf("email on the platform: got %q", got)
	}
}

// A caller who was left out of the PMS is entered by the desk: the two are one person,
// and nobody has to say so.
func TestCallerEnteredAtTheDesk(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.edit("pms: always }\n    not_a_value", "pms: when_referenced }\n    not_a_value")
	aContact(h)
	h.sync()
	if got := h.one(`SELECT count(*) FROM guests`); got != "0" {
		t.Fatalf("the PMS has %s guests before the desk enters one, want 0", got)
	}
	h.exec(`INSERT INTO guests (first_name, last_name, phone, email, country) VALUES ('Annamaria', 'Rossi', '055 0000001', 'anna@example.com', 'IT')`)
	if reports := h.sync(); total(reports, "guests", "linked") != 1 || total(reports, "guests", "held") != 0 {
		t.Errorf("got %d linked and %d held, want 1 and none", total(reports, "guests", "linked"), total(reports, "guests", "held"))
	}
	if got := fmt.Sprint(h.sim.Len("contacts"), " ", h.sim.All("contacts")[0]["first_name"]); got != "1 Annamaria" {
		t.Errorf("the platform has %s, want one contact with the desk's name", got)
	}
	h.quiet()
}
