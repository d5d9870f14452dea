package e2e

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/engine"
)

// Two daemons on one state: the second is refused; taken over, the first can't send
// what it is about to.
func TestF11_TwoDaemons(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	guest := func(n int) {
		h.exec(`INSERT INTO guests (first_name, last_name, phone, country) VALUES (?, 'Bianchi', ?, 'IT')`, fmt.Sprint("Guest", n), fmt.Sprintf("+39055%07d", n))
	}
	guest(1)
	first := h.open()
	defer first.Close()
	if _, err := h.tryOpen(); !errors.Is(err, state.ErrInUse) {
		t.Fatalf("the second: got %v, want %v", err, state.ErrInUse)
	}
	if _, err := first.Sync(context.Background(), nil, engine.Options{Yes: true}); err != nil {
		t.Fatal(err)
	}
	guest(2)
	cfg, err := config.Load(filepath.Join(h.dir, "nightporter.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var second *app.App
	first.Engine.Step = func(name string) { // the first stands still right before it sends
		if name != "before send" || second != nil {
			return
		}
		if second, err = app.Open(t.Context(), cfg, app.Options{Jobs: true, State: h.stateFile(), TakeOver: time.Nanosecond}); err != nil {
			t.Error(err)
			return
		}
		if _, err := second.Sync(context.Background(), nil, engine.Options{Yes: true}); err != nil {
			t.Error(err)
		}
	}
	_, err = first.Sync(context.Background(), nil, engine.Options{Yes: true})
	if second == nil {
		t.Fatal("the first sent nothing")
	}
	defer second.Close()
	if !errors.Is(err, state.ErrFenced) {
		t.Errorf("the first: got %v, want %v", err, state.ErrFenced)
	}
	if _, err := second.Sync(context.Background(), nil, engine.Options{Yes: true}); err != nil {
		t.Error(err)
	}
	if n := h.sim.Len("contacts"); n != 2 {
		t.Errorf("the platform has %d contacts, want 2", n)
	}
}

// Systems change how they show things: a field is not shown any more, a status has a
// value that nobody knows, a column has another name. Nothing is cleared for it, the job
// that has the field stands still until a person lets it go, what can be read goes on, and
// it all comes right when it is mended.
func TestF20_SchemaChanges(t *testing.T) {
	a := newAccounts(t, simulator.UUIDs)
	a.sync()
	a.sync()
	hidden := a.sim.AddFault(simulator.Fault{Kind: simulator.FaultFieldsLeftOut, Path: "/contacts", Fields: []string{"email"}})
	booking := a.sim.All("reservations")[0]
	a.sim.Edit("reservations", booking["id"].(string), map[string]any{"status": "WAITLISTED", "ending_date": day(33)})
	a.exec(`UPDATE guests SET last_name = 'Verdi' WHERE phone = '+390550000002'`)
	verdis := func() (n int) {
		for _, c := range a.sim.All("contacts") {
			if c["last_name"] == "Verdi" {
				n++
			}
		}
		return n
	}
	for range 2 {
		reports, err := a.trySync(engine.Options{Yes: true})
		if said := badWords(reports, err); !errors.Is(err, engine.ErrHalted) || !strings.Contains(said, "contacts of platform does not show email any more: 13 of its 13") {
			t.Fatalf("a field that is gone: got %s", said)
		}
	}
	if h := a.halts(); len(h) != 1 || h["guests"].Cause != "schema" || verdis() != 0 {
		t.Errorf("got %+v and %d new names, want the guests alone to stand still", h, verdis())
	}
	if got := a.one(`SELECT count(*) FROM reservations WHERE departure = ?`, day(33)); got != "1" {
		t.Errorf("%s bookings have the new departure, want 1: they go on", got)
	}
	a.letGo("guests")
	a.sync()
	a.sync()
	if got := a.one(`SELECT count(*) FROM guests WHERE email IS NULL OR email = ''`); got != "1" { // who never had one
		t.Errorf("%s guests have no address, want 1", got)
	}
	if got := a.one(`SELECT count(*) FROM reservations WHERE status = 'option'`); got != fmt.Sprint(inStep) {
		t.Errorf("%s bookings have the status they had, want %d", got, inStep)
	}
	if got := a.one(`SELECT count(*) FROM reservations WHERE departure = ?`, day(33)); got != "1" {
		t.Errorf("%s bookings have the new departure, want 1", got)
	}
	for _, c := range a.sim.All("contacts") {
		if c["email"] == nil && c["first_name"] != "New" {
			t.Errorf("contact %v has lost its address", c["id"])
		}
	}
	if n := verdis(); n != 1 {
		t.Errorf("%d contacts have the new name, want 1", n)
	}
	a.sim.RemoveFault(hidden)
	a.sim.Edit("reservations", booking["id"].(string), map[string]any{"status": "CONFIRMED"})
	before := a.picture()
	a.exec(`ALTER TABLE guests RENAME COLUMN first_name TO given`)
	if _, err := a.trySync(engine.Options{Yes: true}); err == nil || !strings.Contains(err.Error(), "first_name") {
		t.Errorf("got %v, want the column that is missing", err)
	}
	a.exec(`ALTER TABLE guests RENAME COLUMN given TO first_name`)
	if got := a.picture(); got != before {
		t.Error("something was written while a column was missing")
	}
	a.sync()
	a.sync()
	a.quiet()
}
