package e2e

import (
	"slices"
	"strings"
	"testing"

	"nightporter/state"
	"nightporter/sync/record"
)

// An id of dots leads to another address, however it is encoded. Such a record is put aside
// and named by every run; others go on, and what might be it is one question.
func TestOutside25IdsThatAreDots(t *testing.T) {
	crm, h := newPlainHouse(t)
	crm.put(`{"id":".","name":"Anna","phone":"1"}`)
	crm.put(`{"id":"..","name":"Bruno","phone":"1"}`)
	crm.put(`{"id":"a","name":"Carla","phone":"1"}`)
	h.clubRun()
	h.exec(`UPDATE guests SET phone = '2'`)
	h.exec(`INSERT INTO guests (name, phone) VALUES ('Dario', '3')`)
	for range 2 {
		reports := h.clubRun()
		if n := total(reports, "people", "left.quarantined"); n != 2 {
			h.tell(reports)
			t.Errorf("%d records are put aside, want both", n)
		}
		if n := total(reports, "people", "postponed"); n != 0 {
			t.Errorf("%d changes are postponed", n)
		}
		if n := total(reports, "people", "staged"); n != 1 {
			t.Errorf("%d records wait for a person, want Dario", n)
		}
	}
	if sent := crm.sent(); !slices.Equal(sent, []string{`PATCH {"phone":"2"}`}) {
		t.Errorf("it was sent %v, want Carla's phone alone", sent)
	}
	h.withState(func(s *state.Store) error {
		for _, id := range []string{".", ".."} {
			e, _, err := s.Entry(t.Context(), record.Place{Binding: "people"}, record.Ref{Kind: "people", ID: id})
			if err != nil {
				return err
			}
			if e.State != record.Quarantined || !strings.Contains(e.Why, "an id that can't stand in an address: give it another one there") {
				t.Errorf("%s is %s: %s", id, e.State, e.Why)
			}
		}
		return nil
	})
}

// Where nothing is asked by id, an id of dots is like any other.
func TestOutside25DotsThatStandInNoAddress(t *testing.T) {
	crm, h := newPlainHouse(t)
	h.preset(strings.NewReplacer("    get: { path: \"/people/{id}\" }\n", "", "    update: {}\n", "").Replace(plainPreset))
	crm.put(`{"id":"..","name":"Anna","phone":"1"}`)
	h.clubRun()
	if got := h.one(`SELECT phone FROM guests WHERE name = 'Anna'`); got != "1" {
		t.Errorf("the PMS has %q", got)
	}
}
