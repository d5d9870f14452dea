package e2e

import (
	"testing"

	"nightporter/simulator"
)

func TestF31_FirstSyncBothWays(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	h.sim.Put("contacts", map[string]any{"first_name": "Anna", "last_name": "Rossi", "phone_number": "+390550000001", "email": "anna@example.com"})
	h.sim.Put("contacts", map[string]any{"first_name": "Carla", "last_name": "Verdi", "phone_number": "+390550000003"})
	h.exec(`INSERT INTO guests (first_name, last_name, phone, email, country) VALUES ('Anna', 'Rossi', '055 0000001', 'anna@example.com', 'IT')`)
	bruno := h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Bruno', 'Bianchi', '055 0000002', 'IT')`)
	h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, date('now', '+3 day'), date('now', '+5 day'))`, bruno)

	reports := h.sync()
	for _, r := range reports {
		t.Logf("%s: %s %v", r.Binding, r.Outcome, r.Counts)
		for _, n := range r.Notes {
			t.Logf("  %s %s %s: %s", n.Side, n.Ref, n.State, n.Why)
		}
	}
	if got := h.sim.Len("contacts"); got != 3 {
		t.Errorf("contacts on the platform: got %d, want 3", got)
	}
	if got := h.one(`SELECT count(*) FROM guests`); got != "3" {
		t.Errorf("guests in the PMS: got %s, want 3", got)
	}
	if got := h.sim.Len("reservations"); got != 1 {
		t.Errorf("reservations on the platform: got %d, want 1", got)
	}
	for _, r := range h.sim.All("reservations") {
		t.Logf("%v", r)
	}
	h.quiet()
}
