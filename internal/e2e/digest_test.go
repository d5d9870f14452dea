package e2e

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

const digestMarker = "Zwiebelfisch" // a name that must not be found in the state file

// digestHouse has guests of whom only digests are kept, if so asked.
func digestHouse(t *testing.T, digests bool) *house {
	t.Helper()
	h := newHouse(t, simulator.Options{KeepRequests: 1000})
	if digests {
		h.edit("    match: [phone, email]\n", "    match: [phone, email]\n    keep_values: digest\n")
	}
	return h
}

// stateBytes is all that stands in the files of the state, but for the key.
func (h *house) stateBytes() []byte {
	h.t.Helper()
	var all []byte
	for _, suffix := range []string{"", "-wal", "-journal"} {
		b, err := os.ReadFile(h.stateFile() + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			h.t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// live is a history of a house: what is linked, created, edited on either side and
// on both, booked and left alone.
func (h *house) live() []string {
	h.t.Helper()
	var told []string
	run := func() {
		l, r := writes(h.sync())
		told = append(told, strings.Repeat("<", int(l))+strings.Repeat(">", int(r)))
	}
	h.sim.Put("contacts", map[string]any{"first_name": "Anna", "last_name": digestMarker, "phone_number": "+390550000001", "email": "anna@example.com"})
	h.exec(`INSERT INTO guests (first_name, last_name, phone, email, country) VALUES ('Anna', '` + digestMarker + `', '055 0000001', 'anna@example.com', 'IT')`)
	h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('` + digestMarker + `', 'Bianchi', '055 0000002', 'IT')`)
	h.sim.Put("contacts", map[string]any{"first_name": "Carla", "last_name": digestMarker + "-Verdi", "phone_number": "+390550000003"})
	bruno := h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Bruno', 'Neri', '055 0000004', 'IT')`)
	run()
	run()
	h.exec(`UPDATE guests SET email = 'other.anna@example.com' WHERE email = 'anna@example.com'`) // one side
	run()
	bianchi := h.contactOf("Bianchi")
	h.sim.Edit("contacts", bianchi, map[string]any{"last_name": "Bianchini", "email": "b@example.com"}) // two fields
	h.exec(`UPDATE guests SET first_name = 'Dario` + digestMarker + `' WHERE last_name = 'Bianchi'`)    // and another of the same record
	run()
	h.sim.Edit("contacts", bianchi, map[string]any{"last_name": "Left" + digestMarker}) // a collision: the PMS wins
	h.exec(`UPDATE guests SET last_name = 'Right' WHERE last_name = 'Bianchini'`)
	run()
	h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, date('now', '+3 day'), date('now', '+5 day'))`, bruno)
	run()
	h.sim.Edit("contacts", bianchi, map[string]any{"email": ""})
	run()
	run()
	for _, c := range h.sim.All("contacts") {
		for _, f := range []string{"first_name", "last_name", "phone_number", "email"} {
			if v, ok := c[f].(string); ok {
				told = append(told, v)
			}
		}
	}
	for _, r := range h.sim.All("reservations") {
		for _, f := range []string{"client_full_name", "client_phone_number"} {
			if v, ok := r[f].(string); ok {
				told = append(told, v)
			}
		}
	}
	return append(told, h.one(`SELECT group_concat(first_name || last_name || coalesce(phone, '') || coalesce(email, '') , ';') FROM guests`))
}

// A house of which only digests are kept does just what the others do, and no name
// is left in its state file.
func TestDigestsOfGuests(t *testing.T) {
	plain, sealed := digestHouse(t, false), digestHouse(t, true)
	want, got := plain.live(), sealed.live()
	if w, g := strings.Join(want, "\n"), strings.Join(got, "\n"); w != g {
		t.Errorf("with digests:\n%s\nwithout:\n%s", g, w)
	}
	if !bytes.Contains(plain.stateBytes(), []byte(digestMarker)) {
		t.Error("the name is not in the plain state: it proves nothing")
	}
	b := sealed.stateBytes()
	for _, secret := range []string{digestMarker, "anna@example.com", "0550000001"} {
		if i := bytes.Index(b, []byte(secret)); i >= 0 {
			t.Errorf("%s is in the state: %q", secret, b[max(0, i-300):i+100])
		}
	}
}

// A booking that names its guest by name and phone waits for as long as the guest can't be read
// by its id; all others go on, and it is entered as soon as that is over.
func TestWeakGuestThatCantBeRead(t *testing.T) {
	for name, fault := range map[string]simulator.Fault{
		"it can't be read":      {Kind: simulator.FaultTruncated},
		"it may not be read":    {Kind: simulator.FaultStatus, Status: 403},
		"its system is away":    {Kind: simulator.FaultStatus, Status: 500},
		"it is not to be found": {Kind: simulator.FaultStatus, Status: 404},
	} {
		t.Run(name, func(t *testing.T) {
			h := digestHouse(t, true)
			bruno := h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Bruno', 'Neri', '055 0000004', 'IT')`)
			anna := h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Anna', 'Bianchi', '055 0000005', 'IT')`)
			h.sync()
			h.sync()
			fault.Method, fault.Path = "GET", "/contacts/"+h.contactOf("Neri")
			h.sim.AddFault(fault)
			for _, guest := range []int64{bruno, anna} {
				h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, date('now', '+3 day'), date('now', '+5 day'))`, guest)
			}
			for range 2 {
				if _, err := h.trySync(engine.Options{Yes: true}); err != nil {
					t.Fatalf("while a guest can't be read: %v", err)
				}
				if got := h.sim.All("reservations"); len(got) != 1 || got[0]["client_full_name"] != "Anna Bianchi" {
					t.Fatalf("got %v, want the booking of the other guest alone", got)
				}
			}
			if _, err := h.trySync(engine.Options{Dry: true, Full: true, Verify: true}); err != nil {
				t.Errorf("verify meanwhile: %v", err)
			}
			h.sim.ClearFaults()
			h.sync()
			if got := h.sim.All("reservations"); len(got) != 2 {
				t.Errorf("got %v, want both", got)
			}
		})
	}
}

// What was kept plain becomes digests when it is so asked, and never plain again.
func TestDigestsFromNowOn(t *testing.T) {
	h := digestHouse(t, false)
	h.live()
	h.edit("    match: [phone, email]\n", "    match: [phone, email]\n    keep_values: digest\n")
	h.quiet()
	if i := bytes.Index(h.stateBytes(), []byte(digestMarker)); i >= 0 {
		t.Errorf("the name is in the state: %q", h.stateBytes()[max(0, i-300):i+100])
	}
	if err := os.Rename(h.dir+"/nightporter.db.key", h.dir+"/elsewhere"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.trySync(engine.Options{Yes: true}); !errors.Is(err, state.ErrKey) {
		t.Errorf("without its key: %v", err)
	}
	if err := os.Rename(h.dir+"/elsewhere", h.dir+"/nightporter.db.key"); err != nil {
		t.Fatal(err)
	}
	h.quiet()
	h.edit("    keep_values: digest\n", "")
	if _, err := h.trySync(engine.Options{Yes: true}); !errors.Is(err, state.ErrSealed) {
		t.Errorf("plain again: %v", err)
	}
}

// What a record is named by is read by its id where only digests of it are kept, also while a
// field of it differs and waits for a person: that field alone is known by its value then.
func TestDigestsABookingNamesAGuestWhoDiffers(t *testing.T) {
	for name, pause := range map[string]bool{"a person decides": false, "a pause": true} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, simulator.Options{})
			h.edit("    match: [phone, email]\n", "    match: [phone, email]\n    keep_values: digest\n")
			h.edit("{ platform: email,        pms: email,      conflict: platform }", "{ platform: email, pms: email, conflict: hold }")
			guest := h.exec(`INSERT INTO guests (first_name, last_name, phone, country, email) VALUES ('Anna', 'Rossi', '055 0000001', 'IT', 'a@example.com')`)
			other := h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES ('Bruno', 'Bianchi', '055 0000002', 'IT')`)
			h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, date('now', '+3 day'), date('now', '+5 day'))`, other)
			h.sync()
			h.quiet()
			contact := h.contactOf("Rossi")
			h.sim.Edit("contacts", contact, map[string]any{"email": "b@example.com"})
			if pause {
				desk, err := state.Open(t.Context(), h.stateFile(), state.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(desk.Pause(t.Context(), record.Pause{Scope: record.PauseJob, Name: "guests", Since: time.Now()}), desk.Close()); err != nil {
					t.Fatal(err)
				}
			} else {
				h.exec(`UPDATE guests SET email = 'c@example.com' WHERE id = ?`, guest)
			}
			h.exec(`UPDATE reservations SET guest_id = ?`, guest)
			h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, date('now', '+9 day'), date('now', '+11 day'))`, guest)
			h.sync()
			bookings := h.sim.All("reservations")
			for _, b := range bookings {
				if b["client_phone_number"] != "+390550000001" || b["client_full_name"] != "Anna Rossi" {
					t.Errorf("a booking of Anna Rossi is for %v, %v", b["client_full_name"], b["client_phone_number"])
				}
			}
			if len(bookings) != 2 {
				t.Errorf("the platform has %d bookings, want two", len(bookings))
			}
		})
	}
}
