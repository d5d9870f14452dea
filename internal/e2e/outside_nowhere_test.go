package e2e

import (
	"fmt"
	"slices"
	"testing"

	"nightporter/simulator"
	"nightporter/state"
)

// A booking whose guest's id leads to no row says nothing of who comes: name and phone stay on
// the platform, and the record is named until the id leads to somebody. A guest whom the desk
// keeps to itself is told from one who is not there.
func TestWeakReferenceThatLeadsNowhere(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	anna := h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Anna', 'Rossi', '055 0000001')`)
	private := h.exec(`INSERT INTO guests (title, first_name, last_name, phone) VALUES ('Company', 'Secret', 'Ltd', '055 0000007')`)
	h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, anna, day(3), day(5))
	h.sync()
	h.quiet()
	h.db.SetMaxOpenConns(1) // what follows is said of one connection
	h.exec(`PRAGMA foreign_keys = OFF`)
	for _, gone := range []bool{false, true} { // a row that never was, and one that was read and is gone
		id := int64(9999)
		if gone {
			id = h.exec(`INSERT INTO guests (first_name, last_name) VALUES ('Nino', 'Rossi')`)
			h.sync()
			h.exec(`DELETE FROM guests WHERE id = ?`, id)
			h.sync()
			h.sync()
		}
		h.exec(`UPDATE reservations SET guest_id = ?`, id)
		for range 3 {
			h.sync()
			h.wantStay("Anna Rossi +390550000001")
		}
		if !slices.ContainsFunc(h.foundOfStays(), func(text string) bool {
			return text == fmt.Sprintf("pms has no guests:%d, whom its guest names: what stands here stays. Name another one in its record there", id)
		}) {
			t.Errorf("findings: %q", h.foundOfStays())
		}
		h.exec(`UPDATE reservations SET guest_id = ?`, anna)
		h.sync()
		if got := h.foundOfStays(); len(got) != 0 {
			t.Errorf("it leads to somebody again, and is told of: %q", got)
		}
	}
	h.exec(`UPDATE reservations SET guest_id = ?`, private)
	h.sync()
	h.wantStay("Occupied <nil>")
}

// foundOfStays is what is told of bookings that are not written as they should be.
func (h *house) foundOfStays() (texts []string) {
	h.t.Helper()
	h.withState(func(s *state.Store) error {
		found, err := s.Findings(h.t.Context(), "reservations")
		for _, f := range found {
			texts = append(texts, f.Text)
		}
		return err
	})
	return texts
}
