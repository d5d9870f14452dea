package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nightporter/simulator"
)

// The desk merges one guest into another, of whom a person is asked who it is: until they say,
// the guest's name and phone stay in the booking across, and the booking is named as waiting.
// Once it is known, the booking is brought across.
func TestWeakGuestMergedIntoOneThatIsHeld(t *testing.T) {
	for name, merged := range map[string]string{
		"removed":  `DELETE FROM guests WHERE id = ?`,
		"archived": `UPDATE guests SET title = 'Company' WHERE id = ?`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, simulator.Options{})
			anna := h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Anna', 'Rossi', '055 0000001')`)
			h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Bice', 'Bianchi', '055 0000009')`)
			h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, anna, day(3), day(5))
			h.sync()
			h.quiet()
			again := h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Anna Maria', 'Rossi', '055 0000001')`)
			h.sync()
			h.exec(`UPDATE reservations SET guest_id = ?`, again)
			h.exec(merged, anna)
			for range 3 {
				h.sync()
				h.wantStay("Anna Rossi +390550000001")
			}
			if !slices.ContainsFunc(h.foundOfStays(), func(text string) bool {
				return strings.HasPrefix(text, fmt.Sprintf("guests:%d of pms, whom its guest names, waits:", again))
			}) {
				t.Errorf("findings: %q", h.foundOfStays())
			}
			h.exec(`UPDATE guests SET phone = '055 0000002' WHERE id = ?`, again)
			h.sync()
			h.sync()
			h.wantStay("Anna Maria Rossi +390550000002")
			if got := h.foundOfStays(); len(got) != 0 {
				t.Errorf("the guest is known, and is told of: %q", got)
			}
			h.quiet()
		})
	}
}

// wantStay fails the test unless the only booking of the platform shows that name and phone.
func (h *house) wantStay(want string) {
	h.t.Helper()
	r := h.sim.All("reservations")[0]
	if got := fmt.Sprint(r["client_full_name"], " ", r["client_phone_number"]); got != want {
		h.t.Fatalf("the platform shows %s, want %s", got, want)
	}
}
