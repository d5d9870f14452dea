package e2e

import (
	"testing"

	"nightporter/simulator"
)

// The PMS is changed: the column with the guest of a booking is text now, and spells the number of the guest in
// another way. The database itself takes both for the same number, so the same guest is meant. Of a number that the
// database does not know, nobody can say whom it means: what stands on the platform stays.
func TestOutsideAGuestsNumberIsSpeltAnotherWay(t *testing.T) {
	for name, tt := range map[string]struct {
		spelt string
		known bool
	}{
		"with a zero in front": {"'0' || guest_id", true},
		"as a fraction":        {"guest_id || '.0'", true},
		"as a text":            {"guest_id || ''", true},
		"as a code":            {"'G-' || guest_id", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, simulator.Options{})
			h.db.SetMaxOpenConns(1) // what follows is said of one connection
			guest := h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Anna', 'Rossi', '055 0000001')`)
			h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, guest, day(3), day(5))
			h.sync()
			h.quiet()
			h.guestIsText()
			h.exec(`UPDATE reservations SET guest_id = ` + tt.spelt)
			for range 3 {
				h.sync()
				h.wantStay("Anna Rossi +390550000001")
			}
			if told := len(h.foundOfStays()) > 0; told == tt.known {
				t.Errorf("the guest is known: %t; findings: %q", tt.known, h.foundOfStays())
			}
			h.exec(`UPDATE reservations SET departure = ?`, day(6))
			h.sync()
			if got := h.sim.All("reservations")[0]["ending_date"]; got != day(6) {
				t.Errorf("the departure on the platform is %v, want %s", got, day(6))
			}
			if !tt.known {
				return
			}
			h.exec(`INSERT INTO reservations (guest_id, arrival, departure) SELECT guest_id, ?, ? FROM reservations`, day(13), day(15))
			h.sync()
			if all := h.sim.All("reservations"); len(all) != 2 || all[1]["client_full_name"] != "Anna Rossi" {
				t.Errorf("the platform has %v, want a second booking of Anna Rossi", all)
			}
			h.quiet()
		})
	}
}

// guestIsText makes the column with the guest of a booking one of texts.
func (h *house) guestIsText() {
	h.t.Helper()
	h.exec(`PRAGMA foreign_keys = OFF`)
	h.exec(`PRAGMA writable_schema = ON`)
	h.exec(`UPDATE sqlite_schema SET sql = replace(sql, 'guest_id INTEGER NOT NULL REFERENCES guests(id)', 'guest_id TEXT NOT NULL') WHERE name = 'reservations'`)
	h.exec(`PRAGMA writable_schema = RESET`)
}
