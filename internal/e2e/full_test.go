package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/engine"
)

// The disk fills up at any moment of a load. What a system had answered by then is
// recorded all the same, nothing more is sent until there is room again, and then
// nothing is made twice.
func TestF07_DiskFull(t *testing.T) {
	const each = 30
	stopped := map[bool]int{}
	for room := 0; ; room += 2 {
		h := newHouse(t, simulator.Options{})
		for n := range each {
			h.sim.Put("contacts", map[string]any{
				"first_name": fmt.Sprint("Caller", n), "last_name": strings.Repeat("x", 400), "phone_number": fmt.Sprintf("+39055%07d", n),
			})
		}
		a := h.open()
		if err := a.Store.LimitGrowth(t.Context(), 2*room); err != nil {
			t.Fatal(err)
		}
		_, err := a.Sync(context.Background(), nil, engine.Options{Yes: true})
		if err == nil {
			a.Close()
			break
		}
		if !errors.Is(err, state.ErrFull) {
			t.Fatalf("with %d pages: got %v", 2*room, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		made := h.one(`SELECT count(*) FROM guests`)
		stopped[made != "0"]++
		if sent := stateOne(t, h, `SELECT count(*) FROM intent WHERE state = 'sent'`); sent != "0" {
			t.Errorf("with %d pages: %s changes were sent and their answer is not known", 2*room, sent)
		}
		if links := stateOne(t, h, `SELECT count(*) FROM link`); links != made {
			t.Errorf("with %d pages: %s guests were made, and %s links", 2*room, made, links)
		}
		if outcome := stateOne(t, h, `SELECT coalesce(max(outcome), '') FROM run WHERE binding = 'guests'`); made != "0" && outcome != "failed" {
			t.Errorf("with %d pages: the run that stopped is %q", 2*room, outcome)
		}
		h.sync() // there is room again
		if got := h.one(`SELECT count(*) || ' ' || count(DISTINCT phone) FROM guests`); got != fmt.Sprint(each, " ", each) {
			t.Errorf("with %d pages: got %s guests and phones, want %d", 2*room, got, each)
		}
	}
	if stopped[true] < 3 {
		t.Errorf("it did not stop in the middle often enough: %v", stopped)
	}
}

// stateOne is a single value of the state file as text.
func stateOne(t *testing.T, h *house, query string) string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+h.stateFile()+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var v string
	if err := db.QueryRowContext(t.Context(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}
