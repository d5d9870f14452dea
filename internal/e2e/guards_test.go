package e2e

import (
	"errors"
	"testing"
	"time"

	"nightporter/internal/serve"
	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// emptied is how many contacts have no last name.
func (h *house) emptied() int {
	n := 0
	for _, c := range h.sim.All("contacts") {
		if name, _ := c["last_name"].(string); name == "" {
			n++
		}
	}
	return n
}

// A decision that is noted beside the service is taken up by it at once, from what is
// known: no list is read for it.
func TestF41_TheServiceTakesUpADecision(t *testing.T) {
	h := newHouse(t, simulator.Options{IDs: simulator.Sequential})
	h.people(60)
	h.sync()
	s := h.serving(nil)
	ask := func(w serve.Wish) record.Request {
		t.Helper()
		id, err := serve.Ask(t.Context(), s.asking, "guests", w, "ada", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return s.ended(id)
	}
	waiting := func() record.Stage {
		t.Helper()
		all, err := s.asking.Stages(t.Context(), "guests", false)
		if err != nil || len(all) != 1 {
			t.Fatalf("got %d sets (%v), want one", len(all), err)
		}
		return all[0]
	}
	decide := func(d record.Choice) (record.Stage, map[string]bool) {
		t.Helper()
		st, err := s.asking.DecideStage(t.Context(), waiting().Set, d, "ada", time.Time{}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		rows, err := s.asking.StagedOf(t.Context(), st.Set, 0)
		if err != nil {
			t.Fatal(err)
		}
		only := map[string]bool{}
		for _, x := range rows {
			only[x.Action] = true
		}
		return st, only
	}

	h.exec(`UPDATE guests SET last_name = '' WHERE id <= 25`)
	if r := ask(serve.Wish{Full: true}); r.Outcome != record.Waits || h.emptied() != 0 {
		t.Fatalf("a mass clear: %s, %d names emptied: %s", r.Outcome, h.emptied(), r.Error)
	}
	lists := h.sim.Counts().Lists
	_, only := decide(record.Approved)
	r := ask(serve.Wish{Seen: true, Plan: only})
	if h.emptied() != 25 || h.sim.Counts().Lists != lists {
		t.Errorf("after a yes %d names are emptied, want 25, and %d lists were read: %s", h.emptied(), h.sim.Counts().Lists-lists, r.Error)
	}

	h.exec(`UPDATE guests SET last_name = '' WHERE id > 25 AND id <= 50`)
	if r := ask(serve.Wish{Full: true}); r.Outcome != record.Waits {
		t.Fatalf("another mass clear: %s: %s", r.Outcome, r.Error)
	}
	decide(record.Refusal)
	ask(serve.Wish{Seen: true})
	if left := h.one(`SELECT count(*) FROM guests WHERE id > 25 AND last_name = ''`); left != "0" || h.emptied() != 25 {
		t.Errorf("after a no %s guests have no last name, and %d contacts, want none and 25", left, h.emptied())
	}
}

// A changed filter, a changed window and both taken back: nothing is written, nothing
// deleted or emptied, and the links are the same.
func TestF21_ChangedFilterNeverDeletes(t *testing.T) {
	h := newHouse(t, simulator.Options{IDs: simulator.Sequential})
	h.people(40)
	for i := range 30 {
		h.exec(`INSERT INTO reservations (guest_id, arrival, departure) VALUES (?, ?, ?)`, i+1, day(10+i), day(12+i))
	}
	h.sync()
	h.sync()
	links := func() (n [2]int64) {
		a := h.open()
		defer a.Close()
		for i, b := range a.Order {
			counts, err := a.Store.Counts(t.Context(), b)
			if err != nil {
				t.Fatal(err)
			}
			n[i] = counts["links"]
		}
		return n
	}
	had, contacts, stays := links(), len(h.sim.All("contacts")), len(h.sim.All("reservations"))
	unchanged := func(what string) {
		t.Helper()
		before := h.sim.Counts().Mutating
		versions := h.one(`SELECT sum(version) FROM guests`) + " " + h.one(`SELECT sum(version) FROM reservations`)
		for range 3 {
			reports, err := h.trySync(engine.Options{})
			if err != nil && !errors.Is(err, engine.ErrHalted) {
				t.Fatalf("%s: %v", what, err)
			}
			if l, r := writes(reports); l+r > 0 {
				t.Errorf("%s: %d writes to the platform and %d to the PMS", what, l, r)
			}
		}
		if got := h.one(`SELECT sum(version) FROM guests`) + " " + h.one(`SELECT sum(version) FROM reservations`); got != versions || h.sim.Counts().Mutating != before {
			t.Errorf("%s: the PMS went from %s to %s, and %d requests wrote to the platform", what, versions, got, h.sim.Counts().Mutating-before)
		}
		if len(h.sim.All("contacts")) != contacts || len(h.sim.All("reservations")) != stays || links() != had {
			t.Errorf("%s: %d contacts, %d stays, links %v; before %d, %d, %v", what,
				len(h.sim.All("contacts")), len(h.sim.All("reservations")), links(), contacts, stays, had)
		}
	}
	unchanged("nothing changed")
	const all, few = `only: "title not in ('Company', 'Agency')"`, `only: "title not in ('Company', 'Agency') and id > 15"`
	h.edit(all, few)
	unchanged("fewer guests are read")
	h.edit("to: +400d", "to: +20d")
	unchanged("fewer days are read")
	h.edit("to: +20d", "to: +400d")
	h.edit(few, all)
	unchanged("all are read again")
	h.exec(`UPDATE guests SET first_name = 'Renamed' WHERE id = 3`)
	h.syncWith(engine.Options{})
	if got := h.sim.All("contacts")[2]["first_name"]; got != "Renamed" {
		t.Errorf("an edit afterwards: the contact is called %q", got)
	}
}
