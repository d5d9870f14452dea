package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// steps is what there is to say of an API that changes nothing of a record but its status,
// by a request of its own for each word; a cancel and a decline take a reason along. A new
// record is pending, and its create takes no status.
const steps = `
    create: { without: [status] }
    status:
      field: status
      requests:
        confirmed: { path: "/people/{id}/confirm", body: {} }
        cancelled: { path: "/people/{id}/cancel", body: { cancellation: { why: "{reason}", of: "{id}" }, notify: true } }
        declined:  { path: "/people/{id}/decline", query: { why: "{reason}" }, body: {} }
`

// newStepsHouse is a house with that API. more is said of the preset's kind beside.
func newStepsHouse(t *testing.T, more string) (*plainAPI, *house) {
	t.Helper()
	p, h := newPlainHouse(t)
	h.preset(strings.Replace(plainPreset, "    create: {}\n    update: {}\n", "", 1) + steps + more)
	h.exec(`ALTER TABLE guests ADD COLUMN state TEXT`)
	h.exec(`ALTER TABLE guests ADD COLUMN why TEXT`)
	h.edit("conflict: pms, as: text }", "conflict: pms, as: text }\n"+
		"      status: { crm: status, pms: state, conflict: pms, as: text }\n"+
		"      reason: { crm: reason, pms: why, conflict: pms, as: text }")
	p.says = func(r *http.Request, body map[string]any) (int, any) {
		id, step, _ := strings.Cut(strings.Trim(strings.TrimPrefix(r.URL.Path, "/people"), "/"), "/")
		row := p.rows[id]
		words := map[string]string{"confirm": "confirmed", "cancel": "cancelled", "decline": "declined"}
		switch {
		case r.Method == http.MethodGet:
			return 0, nil
		case r.Method != http.MethodPost:
			return http.StatusMethodNotAllowed, map[string]any{"error": "no " + r.Method}
		case step == "" && body["status"] != nil:
			return http.StatusBadRequest, map[string]any{"error": "status is not allowed"}
		case step == "":
			body["status"] = "pending"
			return 0, nil
		case row == nil || words[step] == "":
			return http.StatusNotFound, map[string]any{"error": "there is none"}
		}
		row["status"] = words[step]
		row["reason"] = r.URL.Query().Get("why")
		if c, ok := body["cancellation"].(map[string]any); ok {
			row["reason"] = c["why"]
		}
		return http.StatusOK, row
	}
	return p, h
}

// holds fails the test unless the API has just this of a record.
func (p *plainAPI) holds(when, id, want string) {
	p.t.Helper()
	if got := p.at(id, "status") + " " + p.at(id, "reason"); got != want {
		p.t.Errorf("%s: the API holds %s, want %s", when, got, want)
	}
}

// A kind with a request for each word of its status and no update is made without its
// status, told of it in the same run, and changed by those requests, which take the reason
// along.
func TestOutside31StatusRequestsWithoutUpdate(t *testing.T) {
	for name, more := range map[string]string{"left out of a create": "", "read only": "read only"} {
		t.Run(name, func(t *testing.T) {
			p, h := newStepsHouse(t, "")
			if more != "" { // a status with requests of its own that is read only is kept out as well
				h.preset(strings.NewReplacer("    create: {}\n    update: {}\n", "", "read_only: [id]", "read_only: [id, status]").Replace(plainPreset) +
					strings.Replace(steps, "create: { without: [status] }", "create: {}", 1))
			}
			if got := h.check() + wrongOf(h.online().Findings); got != "" {
				t.Fatalf("check says %q", got)
			}
			h.exec(`INSERT INTO guests (name, state) VALUES ('Anna', 'confirmed')`)
			h.clubRun()
			p.holds("made", "p1", `"confirmed" ""`)
			if got, want := p.sent(), []string{`POST {"name":"Anna"}`, `POST {}`}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
			h.clubRun()
			h.exec(`UPDATE guests SET state = 'cancelled', why = 'ill'`)
			h.clubRun()
			p.holds("cancelled", "p1", `"cancelled" "ill"`)
			if got, want := p.sent(), []string{`POST {"cancellation":{"of":"p1","why":"ill"},"notify":true}`}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
			h.exec(`UPDATE guests SET state = 'declined'`) // the reason stands already, and goes along
			h.clubRun()
			p.holds("declined", "p1", `"declined" "ill"`)
			h.exec(`UPDATE guests SET state = 'cancelled', why = NULL`)
			h.clubRun()
			if got, want := p.sent(), []string{`POST {}`, `POST {"cancellation":{"of":"p1"},"notify":true}`}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
			h.clubRun()
			if got := p.sent(); len(got) > 0 {
				t.Errorf("at rest it sent %q", got)
			}
		})
	}
}

// What no request changes is said, with its field, and keeps no status from going over.
func TestOutside31WhatNoRequestChanges(t *testing.T) {
	p, h := newStepsHouse(t, "")
	h.exec(`INSERT INTO guests (name, state, phone) VALUES ('Anna', 'confirmed', '1')`)
	h.clubRun()
	h.exec(`UPDATE guests SET state = 'cancelled', phone = '2'`)
	h.clubRun()
	p.holds("cancelled", "p1", `"cancelled" null`)
	a := h.open()
	defer a.Close()
	found, err := a.Store.Findings(t.Context(), "people")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].About != "phone" || !strings.Contains(found[0].Text, "crm can change status of people, and nothing else of it") {
		t.Errorf("found %+v", found)
	}
}

// An update that does not take the status, or the reason, is in the way of neither.
func TestOutside31UpdateTakesNeither(t *testing.T) {
	p, h := newStepsHouse(t, "    update: { only: [phone] }\n")
	said := p.says
	p.says = func(r *http.Request, body map[string]any) (int, any) {
		if r.Method == http.MethodPatch && body["phone"] != nil && len(body) == 1 {
			return 0, nil
		}
		return said(r, body)
	}
	h.exec(`INSERT INTO guests (name, state, phone) VALUES ('Anna', 'confirmed', '1')`)
	h.clubRun()
	h.exec(`UPDATE guests SET state = 'cancelled', why = 'ill', phone = '2'`)
	h.clubRun()
	p.holds("cancelled", "p1", `"cancelled" "ill"`)
	if got := p.at("p1", "phone"); got != `"2"` {
		t.Errorf("the phone is %s", got)
	}
}

// A record that is put aside by its status takes its reason along, where nothing but requests
// for the status changes it.
func TestOutside31PutAsideWithItsReason(t *testing.T) {
	p, h := newStepsHouse(t, "")
	h.edit("    create: { crm: always, pms: always }\n", "    create: { crm: always, pms: always }\n    gone: { pms: { archive: { status: cancelled, reason: left } } }\n")
	for _, name := range []string{"Anna", "Bea", "Cleo", "Dora"} {
		h.exec(`INSERT INTO guests (name, state) VALUES (?, 'confirmed')`, name)
	}
	h.clubRun()
	h.clubRun()
	p.sent()
	h.exec(`DELETE FROM guests WHERE name = 'Anna'`)
	for range 3 {
		h.clubRun()
	}
	p.holds("put aside", "p1", `"cancelled" "left"`)
	if got, want := p.sent(), []string{`POST {"cancellation":{"of":"p1","why":"left"},"notify":true}`}; !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
}
