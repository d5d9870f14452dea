package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nightporter/simulator"
	"nightporter/sync/record"
)

// The desk deletes a guest, and another one gets the row's id; or nobody does. The guest books
// with the platform: the booking waits until a person has said what becomes of the guest, and
// nobody else is entered for it.
func TestOutside39BookingOfAGuestWhoseRowIsAnothers(t *testing.T) {
	for _, stranger := range []bool{false, true} {
		t.Run(fmt.Sprintf("another has the id: %t", stranger), func(t *testing.T) {
			h := newHouse(t, simulator.Options{})
			for n := range 5 {
				h.exec(`INSERT INTO guests (first_name, last_name, phone, email) VALUES (?, 'Rossi', ?, ?)`,
					fmt.Sprint("Anna", n), fmt.Sprint("055 000000", n), fmt.Sprintf("anna%d@example.com", n))
			}
			h.sync()
			h.quiet()
			h.exec(`DELETE FROM guests WHERE id = 5`)
			if stranger {
				h.exec(`INSERT INTO guests (id, first_name, last_name, phone, email, language) VALUES (5, 'Bruno', 'Verdi', '055 0000008', 'bruno@example.com', 'de')`)
			}
			h.sim.Put("reservations", map[string]any{
				"client_full_name": "Anna4 Rossi", "client_phone_number": "+390550000004",
				"starting_date": day(3), "ending_date": day(5), "status": "CONFIRMED",
			})
			for range 3 {
				h.sync()
				if got := h.one(`SELECT count(*) FROM reservations`); got != "0" {
					t.Fatalf("the desk has the booking for guest %s", h.one(`SELECT guest_id FROM reservations`))
				}
			}
			if got := h.foundOfStays(); !slices.ContainsFunc(got, func(text string) bool {
				return strings.Contains(text, "guests:5 of pms") && strings.Contains(text, "decide with nightporter conflicts")
			}) {
				t.Errorf("findings: %q", got)
			}
			if !stranger {
				return
			}
			a := h.open()
			open, err := a.Store.Questions(t.Context(), "guests", true)
			if err != nil || len(open) != 1 {
				t.Fatalf("questions %v (%v), want one", open, err)
			}
			if err := a.Store.Choose(t.Context(), open[0].ID, "value", record.OfText("same"), open[0].Opened); err != nil {
				t.Fatal(err)
			}
			a.Close()
			h.sync()
			h.sync()
			if got := h.one(`SELECT guest_id FROM reservations`); got != "5" {
				t.Errorf("once they are the same the booking is for %q", got)
			}
			if got := h.foundOfStays(); len(got) != 0 {
				t.Errorf("it is known who comes, and is told of: %q", got)
			}
		})
	}
}
