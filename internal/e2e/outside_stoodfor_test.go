package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/record"
)

// Two guests share a phone, and one stands for both on the platform. Then the owner wants to be asked about such guests
// (`if_several: hold`). Only the guest of the other one's booking waits: its days, its cancel and all else go over. The
// wait ends once that guest has a contact of their own, or somebody else is named on either side.
func TestOutsideABookingOfAGuestWhoWasStoodFor(t *testing.T) {
	for name, tt := range map[string]struct {
		then func(h *house, bea, cy int64)
		want string
	}{
		"a phone of her own": {func(h *house, bea, _ int64) {
			h.exec(`UPDATE guests SET phone = '055 0000009' WHERE id = ?`, bea)
		}, "Bea Rossi +390550000009"},
		"the desk names another one": {func(h *house, bea, cy int64) {
			h.exec(`UPDATE reservations SET guest_id = ? WHERE guest_id = ?`, cy, bea)
		}, "Cy Neri +390550000003"},
		"the platform names another one": {func(h *house, _, _ int64) {
			h.sim.Edit("reservations", h.stayOn(day(8))["id"].(string), map[string]any{"client_full_name": "Cy Neri", "client_phone_number": "+390550000003"})
		}, "Cy Neri +390550000003"},
		"she is left out": {func(h *house, _, _ int64) {
			h.leaveAll("guests")
		}, "Ada Rossi +390550000001"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, simulator.Options{})
			h.edit("    match: [phone, email]\n", "    match: [phone, email]\n    if_several: represent\n")
			ada := h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Ada', 'Rossi', '055 0000001')`)
			bea := h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Bea', 'Rossi', '055 0000001')`)
			cy := h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Cy', 'Neri', '055 0000003')`)
			for i, guest := range []int64{ada, bea, cy} {
				h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, guest, day(5+3*i), day(6+3*i))
			}
			h.sync()
			h.quiet()
			h.wantGuestOn(day(8), "Ada Rossi +390550000001")
			h.edit("    if_several: represent\n", "")
			h.sync()
			h.exec(`UPDATE reservations SET departure = ?, status = 'cancelled' WHERE guest_id = ?`, day(10), bea)
			h.sync()
			h.wantGuestOn(day(8), "Ada Rossi +390550000001")
			if r := h.stayOn(day(8)); r["ending_date"] != day(10) || r["status"] != "CANCELLED" {
				t.Errorf("the platform has %v, want that it is cancelled and ends on %s", r, day(10))
			}
			want := fmt.Sprintf("guests:%d of pms, whom its guest names, waits: what stands here stays until it is known on both sides; decide about it with nightporter conflicts", bea)
			if got := h.foundOfStays(); len(got) != 1 || got[0] != want {
				t.Errorf("findings: %q, want %q", got, want)
			}
			tt.then(h, bea, cy)
			h.sync()
			h.sync()
			h.wantGuestOn(day(8), tt.want)
			if got := h.foundOfStays(); len(got) != 0 {
				t.Errorf("the guest is known, and is told of: %q", got)
			}
			h.quiet()
			h.exec(`UPDATE reservations SET status = 'confirmed' WHERE arrival = ?`, day(8))
			h.sync()
			h.wantGuestOn(day(8), tt.want)
			if r := h.stayOn(day(8)); r["status"] != "CONFIRMED" {
				t.Errorf("the platform has %v, want that it is confirmed", r)
			}
		})
	}
}

// stayOn is the booking of the platform that begins on a day.
func (h *house) stayOn(arrival string) map[string]any {
	h.t.Helper()
	for _, r := range h.sim.All("reservations") {
		if r["starting_date"] == arrival {
			return r
		}
	}
	h.t.Fatalf("the platform has no booking on %s", arrival)
	return nil
}

// wantGuestOn fails the test unless the booking of the platform on a day shows that name and phone.
func (h *house) wantGuestOn(arrival, want string) {
	h.t.Helper()
	r := h.stayOn(arrival)
	if got := strings.TrimSpace(fmt.Sprint(r["client_full_name"], " ", r["client_phone_number"])); got != want {
		h.t.Fatalf("the booking on %s is of %s, want %s", arrival, got, want)
	}
}

// leaveAll says of every record that a person is asked about that it is left out.
func (h *house) leaveAll(job record.Binding) {
	h.t.Helper()
	for _, q := range h.openQuestions(job) {
		h.withState(func(s *state.Store) error {
			return s.Choose(h.t.Context(), q.ID, "value", record.OfText("leave"), time.Now())
		})
	}
}
