package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// moved is a house whose state can be copied in the middle of a run and put on
// another machine.
type moved struct {
	*house
	copy string
}

// copyAt makes a backup of the state when the nth request was answered and nothing
// of the answer is stored yet.
func (m *moved) copyAt(nth int) {
	m.t.Helper()
	sent := 0
	m.step = func(name string) {
		if name != "after send" {
			return
		}
		if sent++; sent != nth {
			return
		}
		s, err := state.Open(m.t.Context(), m.stateFile(), state.Options{ReadOnly: true})
		if err != nil {
			m.t.Error(err)
			return
		}
		defer s.Close()
		if _, err := s.Backup(m.t.Context(), m.copy); err != nil {
			m.t.Error(err)
		}
	}
}

// move restores the copy as the state of a new machine.
func (m *moved) move() {
	m.t.Helper()
	m.step = nil
	m.lives++ // its state file has another name
	if _, err := state.Restore(m.t.Context(), m.copy, m.stateFile(), false, time.Now()); err != nil {
		m.t.Fatal(err)
	}
}

func newMoved(t *testing.T, each int) *moved {
	t.Helper()
	m := &moved{house: newHouse(t, simulator.Options{})}
	m.copy = filepath.Join(t.TempDir(), "copy.db")
	for n := range each {
		m.guest(n)
		m.caller(n)
	}
	return m
}

func (m *moved) guest(n int) int64 {
	return m.exec(`INSERT INTO guests (first_name, last_name, phone, email, country) VALUES (?, 'Bianchi', ?, ?, 'IT')`,
		fmt.Sprint("Guest", n), fmt.Sprintf("+39055%07d", n), fmt.Sprintf("guest%d@example.com", n))
}

func (m *moved) caller(n int) {
	m.sim.Put("contacts", map[string]any{
		"first_name": fmt.Sprint("Caller", n), "last_name": "Rossi",
		"phone_number": fmt.Sprintf("+39055%07d", 1_000_000+n), "email": fmt.Sprintf("caller%d@example.com", n),
	})
}

func (m *moved) check(want int) {
	m.t.Helper()
	if got := m.sim.Len("contacts"); got != want {
		m.t.Errorf("the platform has %d contacts, want %d", got, want)
	}
	if got := m.one(`SELECT count(*) || ' ' || count(DISTINCT phone) FROM guests`); got != fmt.Sprint(want, " ", want) {
		m.t.Errorf("the PMS has %s guests and phones, want %d each", got, want)
	}
}

// A state that was copied at any moment of a first load, with a change sent and not
// answered, and put on a new machine after the house went on for long, leads to no
// duplicate and no delete, and one whole run brings everything in step.
func TestMovedInTheMiddleOfWork(t *testing.T) {
	const each = 8
	for _, nth := range []int{1, 5, each + 3, 2 * each} {
		t.Run(fmt.Sprint("copied at request ", nth), func(t *testing.T) {
			m := newMoved(t, each)
			m.copyAt(nth)
			m.sync()
			m.step = nil
			for n := range 3 { // the house goes on with the state that is lost
				m.guest(100 + n)
				m.caller(100 + n)
			}
			m.exec(`UPDATE guests SET first_name = 'Renamed' WHERE phone = '+390550000001'`)
			m.exec(`UPDATE guests SET email = 'new@example.com' WHERE phone = '+390550000102'`)
			m.sync()
			m.exec(`UPDATE guests SET last_name = 'Verdi' WHERE phone = '+390551000003'`)
			m.move()
			reports := m.sync()
			m.check(2*each + 6)
			for _, r := range reports {
				for name, n := range r.Counts {
					if n > 0 && strings.HasSuffix(name, ".deleted") {
						t.Errorf("job %s: %s %d", r.Binding, name, n)
					}
				}
			}
			for _, c := range m.sim.All("contacts") {
				switch c["phone_number"] {
				case "+390550000001":
					wantField(t, c, "first_name", "Renamed")
				case "+390551000003":
					wantField(t, c, "last_name", "Verdi")
				}
			}
			m.quiet()
			m.wantAdoptOnly(false)
		})
	}
}

func wantField(t *testing.T, c map[string]any, name, want string) {
	t.Helper()
	if c[name] != want {
		t.Errorf("contact %v: got %s %v, want %s", c["id"], name, c[name], want)
	}
}

func (m *moved) wantAdoptOnly(want bool) {
	m.t.Helper()
	s, err := state.Open(m.t.Context(), m.stateFile(), state.Options{ReadOnly: true})
	if err != nil {
		m.t.Fatal(err)
	}
	defer s.Close()
	if _, got, err := s.AdoptOnly(m.t.Context(), "guests"); err != nil || got != want {
		m.t.Errorf("got adopt-only %v, %v; want %v", got, err, want)
	}
}

// Before both sides were compared whole a state that was put back creates nothing,
// not even a record that somebody asks for by name.
func TestPutBackCreatesNothingAtOnce(t *testing.T) {
	m := newMoved(t, 2)
	m.copyAt(4)
	m.sync()
	m.move()
	id := m.guest(50)
	only := engine.Options{
		Yes: true, Only: []record.Ref{{Kind: "guests", ID: fmt.Sprint(id)}}, OnlySide: record.Right,
	}
	a := m.open()
	rep, err := a.Engine.Run(t.Context(), "guests", only)
	a.Close()
	if err != nil {
		t.Fatal(err)
	}
	if got := m.sim.Len("contacts"); got != 4 || rep.Counts["unproven"] != 1 {
		t.Errorf("got %d contacts, counts %v; want none created", got, rep.Counts)
	}
	if len(rep.Notes) == 0 || !strings.Contains(rep.Notes[len(rep.Notes)-1].Why, "put back") {
		t.Errorf("got notes %v, want why it waits", rep.Notes)
	}
	m.wantAdoptOnly(true)
	m.sync()
	m.check(5)
	m.wantAdoptOnly(false)
}

// A guest and his booking were entered since the copy was made. Whichever job comes
// first after it was put back, both are recognised, not made once more.
func TestPutBackKnowsBookingOfNewGuest(t *testing.T) {
	for _, order := range [][]record.Binding{
		{"reservations", "guests", "reservations"},
		{"guests", "reservations", "guests"},
		{"reservations", "reservations", "guests", "reservations", "guests"},
	} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			m := newMoved(t, 2)
			m.edit("pms: always }\n    not_a_value", "pms: when_referenced }\n    not_a_value")
			m.sync()
			copyNow(m)
			m.caller(77)
			m.sim.Put("reservations", map[string]any{
				"client_full_name": "Caller77 Rossi", "client_phone_number": "+390551000077",
				"starting_date": day(3), "ending_date": day(5), "status": "CONFIRMED",
			})
			m.sync()
			if got := m.one(`SELECT count(*) FROM reservations`); got != "1" {
				t.Fatalf("the PMS has %s bookings before the state is put back, want 1", got)
			}
			m.move()
			a := m.open()
			defer a.Close()
			for _, b := range order {
				if _, err := a.Engine.Run(t.Context(), b, engine.Options{Yes: true}); err != nil {
					t.Fatal(err)
				}
			}
			for _, b := range []record.Binding{"guests", "reservations"} {
				if _, err := a.Engine.Run(t.Context(), b, engine.Options{Yes: true, Full: true}); err != nil {
					t.Fatal(err)
				}
			}
			if l, r := m.sim.Len("reservations"), m.one(`SELECT count(*) FROM reservations`); l != 1 || r != "1" {
				t.Errorf("got %d bookings on the platform and %s in the PMS, want 1 each", l, r)
			}
			if got := m.one(`SELECT count(*) FROM guests`); got != "3" {
				t.Errorf("the PMS has %s guests, want 3", got)
			}
		})
	}
}

// copyNow makes a backup of the state as it is.
func copyNow(m *moved) {
	m.t.Helper()
	s, err := state.Open(m.t.Context(), m.stateFile(), state.Options{ReadOnly: true})
	if err != nil {
		m.t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Backup(m.t.Context(), m.copy); err != nil {
		m.t.Fatal(err)
	}
}
