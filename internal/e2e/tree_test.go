package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/sync/engine"
)

// treePreset is what a user writes to describe the API of his CRM.
const treePreset = `
name: crm
auth: {type: header, header: X-Api-Key}
prefix: /api/v2
errors: {message: [errors], exists: {status: [409, 422], match: exists}}
kinds:
  people:
    path: /people
    list:
      items: results
      paging: cursor
      limit_param: limit
      cursor_param: after
      next: paging.next.after
      since: {param: updated_since, overlap: 1s}
    changed: {path: updated_at}
    get: {path: "/people/{id}"}
    find:
      - {by: [external_ref], params: {external_ref: external_ref}}
      - {by: [mobile], params: {mobile: mobile}}
    create: {}
    update: {}
    stamp: {field: external_ref, find: true}
    required: [name.given]
    omits_empty: true
`

// treeCRM is the CRM in a configuration, and the job that keeps its people.
const (
	treeCRM = `
  crm:
    preset: file:%s
    base_url: %s
    key: file:%s
`
	treePeople = `
  people:
    kind: contact
    between: { platform: contacts, crm: people }
    match: [phone, email]
    create: { platform: always, crm: always }
    fields:
      given_name:  { platform: first_name,   crm: name.given,  conflict: crm }
      family_name: { platform: last_name,    crm: name.family, conflict: crm }
      phone:       { platform: phone_number, crm: mobile,      conflict: hold, region: [IT] }
      email:       { platform: email,        crm: mail,        conflict: platform }
      language:    { platform: language,     crm: lang,        conflict: crm }
`
)

// treeHouse is a platform, a CRM and, at will, a PMS.
type treeHouse struct {
	*house
	crm *simulator.Sim
	now time.Time // the CRM's clock
}

// newTreeHouse starts both APIs; the configuration has the one job between them.
func newTreeHouse(t *testing.T, o simulator.Options) *treeHouse {
	t.Helper()
	h := &treeHouse{house: newHouse(t, o), now: time.Now().Add(-24 * time.Hour).Truncate(time.Second)}
	h.crm = simulator.New(simulator.Options{
		Dialect: simulator.DialectCRM, Normalise: simulator.Normalise{Phone: simulator.PhoneAsSent},
	})
	h.crm.SetNow(func() time.Time { return h.now })
	srv := httptest.NewServer(h.crm)
	t.Cleanup(srv.Close)
	preset, key := filepath.Join(h.dir, "crm.yaml"), filepath.Join(h.dir, "crm.key")
	h.write(preset, treePreset)
	h.write(key, simulator.DefaultKey)
	h.edit("\njobs:", fmt.Sprintf(treeCRM, preset, srv.URL, key)+"jobs:")
	return h
}

// withoutPMS leaves the job of the CRM alone in the configuration.
func (h *treeHouse) withoutPMS() {
	head, _, _ := strings.Cut(h.config, "jobs:")
	before, rest, _ := strings.Cut(head, "  pms:")
	_, crm, _ := strings.Cut(rest, "  crm:")
	h.config = before + "  crm:" + crm + "jobs:" + treePeople
}

// round runs all jobs once and lets the CRM's clock go on.
func (h *treeHouse) round() []engine.Report {
	h.t.Helper()
	reports := h.sync()
	h.now = h.now.Add(time.Minute)
	return reports
}

// still fails the test unless runs write nothing, anywhere.
func (h *treeHouse) still(runs int) {
	h.t.Helper()
	version := `SELECT coalesce(sum(version), 0) || '/' || count(*) FROM guests`
	before, rows := h.sim.Counts().Mutating+h.crm.Counts().Mutating, h.one(version)
	for n := range runs {
		reports := h.round()
		l, r := writes(reports)
		if sent := h.sim.Counts().Mutating + h.crm.Counts().Mutating; l+r > 0 || sent != before || h.one(version) != rows {
			h.tell(reports)
			h.t.Fatalf("run %d after all was in step wrote %d and %d by %d requests, want none", n+1, l, r, sent-before)
		}
	}
}

// Two APIs with nothing in common but people: other paths, other names, nested
// ones, other paging, and one of them says what changed.
func TestTreeTwoAPIs(t *testing.T) {
	h := newTreeHouse(t, simulator.Options{})
	h.withoutPMS()
	const each, both = 252, 200 // of the CRM 304: a list that ends with a full page and silence is read whole each time
	spell := func(n int) string {
		return []string{"+39055%07d", "0039 055 %07d", "055-%07d", "(055) %07d"}[n%4]
	}
	for n := range 2*each - both {
		name, family, mail := fmt.Sprint("Guest", n), fmt.Sprint("Example", n), any(fmt.Sprintf("guest%d@example.com", n))
		if n%2 == 0 {
			mail = nil
		}
		if n < each {
			h.sim.Put("contacts", map[string]any{"first_name": name, "last_name": family, "phone_number": fmt.Sprintf("+39055%07d", n), "email": mail})
		}
		if n < both || n >= each {
			h.crm.Put("people", map[string]any{"name": map[string]any{"given": name, "family": family}, "mobile": fmt.Sprintf(spell(n), n), "mail": mail})
		}
	}
	h.now = h.now.Add(time.Minute)

	first := h.round()
	for name, want := range map[string]int64{"linked": both, "left.created": each - both, "right.created": each - both, "left.updated": 0, "right.updated": 0} {
		if got := total(first, "people", name); got != want {
			t.Errorf("first run %s: got %d, want %d", name, got, want)
		}
	}
	if l, r := h.sim.Len("contacts"), h.crm.Len("people"); l != 2*each-both || r != l {
		t.Errorf("records: got %d and %d, want %d", l, r, 2*each-both)
	}
	h.still(1) // its incremental reading still shows what the first run made
	h.sim.ResetCounts()
	h.crm.ResetCounts()
	h.still(5)
	h.treeAsked(5, 0)

	// An edit each, in both directions, and none comes back.
	contact, person := h.treeIDs(7)
	h.sim.Edit("contacts", contact, map[string]any{"email": "new@example.com"})
	h.crm.Edit("people", person, map[string]any{"name": map[string]any{"given": "Guest7", "family": "Renamed"}})
	h.sim.ResetCounts()
	h.crm.ResetCounts()
	h.round()
	c, _ := h.sim.Get("contacts", contact)
	p, _ := h.crm.Get("people", person)
	if got := fmt.Sprint(c["last_name"], " ", p["mail"], " ", p["mobile"]); got != "Renamed new@example.com (055) 0000007" {
		t.Errorf("after an edit on each side: got %s, want both edits and the phone as it was spelt", got)
	}
	h.treeAsked(1, 2)
	h.still(5)
}

// treeAsked checks what some runs asked for: the platform's whole list each time,
// of the CRM only what changed; and so many writes, each with the read before it.
func (h *treeHouse) treeAsked(runs, changes int) {
	h.t.Helper()
	n := pages(h.sim.Len("contacts"), 100)
	if got, most := h.sim.Counts().Lists, runs*(n+2); got < runs*n || got > most {
		h.t.Errorf("lists of the platform in %d runs: got %d, want %d to %d", runs, got, runs*n, most)
	}
	c := h.crm.Counts()
	if c.Lists > 2*runs || c.Lists < runs {
		h.t.Errorf("lists of the CRM in %d runs: got %d, want one or two a run", runs, c.Lists)
	}
	log := h.crm.Requests()
	for _, r := range log[len(log)-c.Total:] {
		if r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/people") && !strings.Contains(r.Query, "updated_since=") {
			h.t.Errorf("the CRM was asked for its whole list: %s?%s", r.Path, r.Query)
		}
	}
	if got := h.sim.Counts().Mutating + c.Mutating; got != changes {
		h.t.Errorf("writes: got %d, want %d", got, changes)
	}
}

// treeIDs is one person's record on either side, by the number in his phone.
func (h *treeHouse) treeIDs(n int) (contact, person string) {
	h.t.Helper()
	end := fmt.Sprintf("%07d", n)
	for _, c := range h.sim.All("contacts") {
		if s, _ := c["phone_number"].(string); strings.HasSuffix(s, end) {
			contact, _ = c["id"].(string)
		}
	}
	for _, p := range h.crm.All("people") {
		if s, _ := p["mobile"].(string); strings.HasSuffix(s, end) {
			person, _ = p["id"].(string)
		}
	}
	if contact == "" || person == "" {
		h.t.Fatalf("person %d is not on both sides: %q, %q", n, contact, person)
	}
	return contact, person
}

// A PMS and a CRM that share a platform. What is edited at one end reaches the
// other, and what we wrote to tell records by stays as it was written.
func TestTreeOfThree(t *testing.T) {
	h := newTreeHouse(t, simulator.Options{Reference: simulator.ReferenceField})
	h.edit("    key: file:", `    override:
      kinds:
        contacts:
          stamp: { field: external_id, find: true }
          find:
            - { by: [phone_number], params: { phone_number: phone_number } }
            - { by: [external_id], params: { external_id: external_id } }
    key: file:`)
	h.edit("  reservations:\n    kind: stay", strings.TrimPrefix(treePeople, "\n")+"  reservations:\n    kind: stay")
	guest := h.exec(`INSERT INTO guests (first_name, last_name, phone, email, country) VALUES ('Gina', 'Pms', '055 0000001', 'gina@example.com', 'IT')`)
	person := h.crm.Put("people", map[string]any{"name": map[string]any{"given": "Carlo", "family": "Crm"}, "mobile": "+390550000002", "mail": "carlo@example.com"})
	contact := h.sim.Put("contacts", map[string]any{"first_name": "Paola", "last_name": "Platform", "phone_number": "+390550000003", "email": "paola@example.com"})
	h.now = h.now.Add(time.Minute)
	h.round()
	h.round()
	if p, c, g := h.sim.Len("contacts"), h.crm.Len("people"), h.one(`SELECT count(*) FROM guests`); p != 3 || c != 3 || g != "3" {
		t.Fatalf("after two rounds: %d contacts, %d people, %s guests, want 3 each", p, c, g)
	}
	h.still(2)
	stamps := h.treeStamps()
	h.treeStamped(stamps)

	for n, edit := range []func(name string){
		func(name string) { h.exec(`UPDATE guests SET last_name = ? WHERE id = ?`, name, guest) },
		func(name string) {
			h.crm.Edit("people", person, map[string]any{"name": map[string]any{"given": "Carlo", "family": name}})
		},
		func(name string) { h.sim.Edit("contacts", contact, map[string]any{"last_name": name}) },
	} {
		name := fmt.Sprint("Renamed", n)
		edit(name)
		h.now = h.now.Add(time.Minute)
		h.round()
		h.round()
		h.treeNamed(n+1, name)
		h.still(2)
	}
	// One edit at each, all at once, to different fields of one person.
	gina, _ := h.treeIDs(1)
	_, ginasPerson := h.treeIDs(1)
	h.exec(`UPDATE guests SET first_name = 'Luigina' WHERE id = ?`, guest)
	h.crm.Edit("people", ginasPerson, map[string]any{"name": map[string]any{"given": "Gina", "family": "Bianchi"}})
	h.sim.Edit("contacts", gina, map[string]any{"email": "luigina@example.com"})
	h.round()
	h.round()
	c, _ := h.sim.Get("contacts", gina)
	p, _ := h.crm.Get("people", ginasPerson)
	names, _ := p["name"].(map[string]any)
	want := "Luigina Bianchi luigina@example.com"
	for system, got := range map[string]string{
		"platform": fmt.Sprint(c["first_name"], " ", c["last_name"], " ", c["email"]),
		"CRM":      fmt.Sprint(names["given"], " ", names["family"], " ", p["mail"]),
		"PMS":      h.one(`SELECT first_name || ' ' || last_name || ' ' || email FROM guests WHERE id = ?`, guest),
	} {
		if got != want {
			t.Errorf("three edits at once: %s has %q, want %q", system, got, want)
		}
	}
	h.still(3)
	for where, stamp := range h.treeStamps() {
		if stamps[where] != stamp {
			t.Errorf("stamp of %s: got %q, want %q as at first", where, stamp, stamps[where])
		}
	}
}

// treeStamps is what stands where we note our reference, by system and phone.
func (h *treeHouse) treeStamps() map[string]string {
	h.t.Helper()
	out := map[string]string{}
	for _, c := range h.sim.All("contacts") {
		out[fmt.Sprint("platform ", c["phone_number"])] = fmt.Sprint(c["external_id"])
	}
	for _, p := range h.crm.All("people") {
		out[fmt.Sprint("crm ", p["mobile"])] = fmt.Sprint(p["external_ref"])
	}
	for _, n := range []string{"1", "2", "3"} {
		out["pms "+n] = h.one(`SELECT coalesce(external_ref, '<nil>') FROM guests WHERE replace(phone, ' ', '') LIKE '%' || ?`, n)
	}
	return out
}

// treeStamped checks that what was made by us carries one name for each person in
// all systems, and what was there before carries none.
func (h *treeHouse) treeStamped(stamps map[string]string) {
	h.t.Helper()
	const none = "<nil>"
	for _, want := range []struct{ born, a, b string }{
		{"pms 1", "platform +390550000001", "crm +390550000001"},
		{"crm +390550000002", "platform +390550000002", "pms 2"},
		{"platform +390550000003", "pms 3", "crm +390550000003"},
	} {
		if stamps[want.born] != none || stamps[want.a] == none || !strings.HasPrefix(stamps[want.a], "np:") || stamps[want.a] != stamps[want.b] {
			h.t.Errorf("stamps: %s has %q, want none; %s has %q and %s has %q, want the same", want.born, stamps[want.born],
				want.a, stamps[want.a], want.b, stamps[want.b])
		}
	}
}

// treeNamed checks that a person has that family name everywhere.
func (h *treeHouse) treeNamed(n int, family string) {
	h.t.Helper()
	contact, person := h.treeIDs(n)
	c, _ := h.sim.Get("contacts", contact)
	p, _ := h.crm.Get("people", person)
	name, _ := p["name"].(map[string]any)
	pms := h.one(`SELECT last_name FROM guests WHERE replace(phone, ' ', '') LIKE '%' || ?`, fmt.Sprint(n))
	if c["last_name"] != family || name["family"] != family || pms != family {
		h.t.Errorf("family name of person %d: platform %v, CRM %v, PMS %s, want %s", n, c["last_name"], name["family"], pms, family)
	}
}
