package e2e

import (
	"net/http"
	"strings"
	"testing"

	"nightporter/state"
	"nightporter/sync/record"
)

// A record that was removed is answered with 403 and words that the preset knows: it is
// gone, and not suspect for ever.
func TestOutside13GoneByItsWords(t *testing.T) {
	crm, h := newPlainHouse(t)
	h.preset("errors: { not_found: { status: [403], match: \"no such person\" } }\n" + plainPreset)
	crm.says = func(r *http.Request, _ map[string]any) (int, any) {
		if id, single := strings.CutPrefix(r.URL.Path, "/people/"); single && crm.rows[id] == nil {
			return http.StatusForbidden, map[string]any{"error": "no such person, or not yours"}
		}
		return 0, nil
	}
	for _, name := range []string{"Anna", "Bruno", "Carla", "Dario"} {
		crm.put(`{"name":"` + name + `","phone":"1"}`)
	}
	h.clubRun()
	crm.drop("p2")
	for range 3 {
		h.clubRun()
	}
	h.withState(func(s *state.Store) error {
		e, _, err := s.Entry(t.Context(), record.Place{Binding: "people"}, record.Ref{Kind: "people", ID: "p2"})
		if e.State != record.Gone {
			t.Errorf("the removed person is %s, want gone", e.State)
		}
		return err
	})
}

// A 200 whose flag is a word of refusal is no success: the change stays to do, and no base
// takes it for done.
func TestOutside13FlagIsAWord(t *testing.T) {
	for name, words := range map[string]string{"explained": ", ok_is: [success], ok_is_not: [fail]", "not explained": ""} {
		t.Run(name, func(t *testing.T) {
			crm, h := newPlainHouse(t)
			h.preset("errors: { ok_flag: result" + words + " }\n" + plainPreset)
			h.exec(`INSERT INTO guests (name, phone) VALUES ('Anna', '1')`)
			crm.put(`{"name":"Bruno","phone":"1"}`)
			h.clubRun()
			crm.says = func(r *http.Request, _ map[string]any) (int, any) {
				if r.Method != http.MethodGet {
					return http.StatusOK, map[string]any{"result": "fail", "message": "the phone is odd"}
				}
				return 0, nil
			}
			h.exec(`UPDATE guests SET phone = '2'`)
			h.exec(`INSERT INTO guests (name, phone) VALUES ('Carla', '3')`)
			reports := h.clubRun()
			if n := total(reports, "people", "left.updated") + total(reports, "people", "left.created"); n != 0 {
				h.tell(reports)
				t.Errorf("%d writes count as done, and each was answered with a word of refusal", n)
			}
			if got := crm.at("p1", "phone"); got != `"1"` {
				t.Fatalf("the CRM took the phone %s", got)
			}
			h.exec(`UPDATE guests SET phone = '4'`)
			crm.says = nil
			for range 3 {
				h.clubRun()
			}
			if got := crm.at("p1", "phone") + crm.at("p2", "phone"); got != `"4""4"` {
				t.Errorf("once the CRM takes changes again it has %s, want the new ones", got)
			}
			if len(crm.ids) != 3 {
				t.Errorf("the CRM has %d people, want 3", len(crm.ids))
			}
		})
	}
}

const roomConfig = `
time_zone: Europe/Rome
settle: 1ms
systems:
  crm:
    preset: file:crm.yaml
    base_url: %s
  pms:
    type: sqlite
    address: pms.db
    tables:
      bookings: { table: bookings, key: id }
jobs:
  people:
    kind: stay
    between: { pms: bookings, crm: people }
    match: [number]
    create: { crm: always, pms: never }
    fields:
      number:    { pms: number,    crm: number,    conflict: pms, as: text }
      arrival:   { pms: arrival,   crm: arrival,   as: date, together: stay, conflict: pms }
      departure: { pms: departure, crm: departure, as: date, together: stay, conflict: pms }
      status:    { pms: status,    crm: status,    conflict: rules }
    status:
      pending:   { pms: pending,   crm: option }
      confirmed: { pms: confirmed, crm: booked }
      cancelled: { pms: cancelled, crm: cancelled }
      rejected:  { pms: rejected,  crm: rejected }
`

// A system behind an API may answer that there is no room: the side that took the booking
// is told so, and it is asked once.
func TestOutside13NoRoom(t *testing.T) {
	crm, h := newPlainHouse(t)
	h.preset("errors: { no_room: { status: [409], match: \"(?i)no availability\" } }\n" + plainPreset)
	h.exec(`CREATE TABLE bookings (id INTEGER PRIMARY KEY, number TEXT, arrival TEXT, departure TEXT, status TEXT)`)
	h.config = strings.Replace(roomConfig, "%s", crmAddress(h.config), 1)
	crm.says = func(r *http.Request, _ map[string]any) (int, any) {
		if r.Method == http.MethodPost {
			return http.StatusConflict, map[string]any{"error": "No availability on these days"}
		}
		return 0, nil
	}
	h.exec(`INSERT INTO bookings (number, arrival, departure, status) VALUES ('B1', '2031-05-01', '2031-05-03', 'confirmed')`)
	for range 3 {
		h.clubRun()
	}
	if got := h.one(`SELECT status FROM bookings`); got != "rejected" {
		t.Errorf("the booking is %s where it was taken, want rejected", got)
	}
	if sent := crm.sent(); len(sent) != 1 {
		t.Errorf("it was asked %d times, want once: %v", len(sent), sent)
	}
}

// crmAddress is where a configuration says that the API is.
func crmAddress(text string) string {
	_, rest, _ := strings.Cut(text, "base_url: ")
	address, _, _ := strings.Cut(rest, "\n")
	return address
}
