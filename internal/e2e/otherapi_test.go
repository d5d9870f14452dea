package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// clubServer is an API that has nothing in common with the platform: other paths,
// a bare array by pages that count from one, nested names, times in milliseconds, the
// key in a header of its own, a PUT that empties what it isn't sent, and 422 with a
// list of problems.
type clubServer struct {
	t *testing.T

	mu      sync.Mutex
	rows    []map[string]any
	made    int
	writes  []string
	refused int
	clock   int64
}

const clubKey = "club-key"

func newClub(t *testing.T) (*clubServer, string) {
	c := &clubServer{t: t, clock: 1_700_000_000_000}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v3/club/people", c.list)
	mux.HandleFunc("POST /v3/club/people", c.create)
	mux.HandleFunc("GET /v3/club/person/{uid}", c.get)
	mux.HandleFunc("PUT /v3/club/person/{uid}", c.replace)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		if r.Header.Get("X-Token") != clubKey || r.Header.Get("Authorization") != "" {
			c.refuse(w, http.StatusUnauthorized, "", "who are you?")
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return c, srv.URL
}

func (c *clubServer) answer(w http.ResponseWriter, status int, v any) {
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		c.t.Error(err)
	}
}

func (c *clubServer) refuse(w http.ResponseWriter, status int, field, text string) {
	c.answer(w, status, map[string]any{"problems": []any{map[string]any{"at": field, "text": text}}})
}

func (c *clubServer) list(w http.ResponseWriter, r *http.Request) {
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	size, err2 := strconv.Atoi(r.URL.Query().Get("per"))
	if err != nil || err2 != nil || page < 1 || size < 1 {
		c.refuse(w, http.StatusUnprocessableEntity, "page", "pages count from 1")
		return
	}
	size = min(size, 25)
	from := min((page-1)*size, len(c.rows))
	c.answer(w, http.StatusOK, c.rows[from:min(from+size, len(c.rows))])
}

func (c *clubServer) find(uid string) int {
	return slices.IndexFunc(c.rows, func(r map[string]any) bool { return r["uid"] == uid })
}

func (c *clubServer) get(w http.ResponseWriter, r *http.Request) {
	i := c.find(r.PathValue("uid"))
	if i < 0 {
		c.refuse(w, http.StatusNotFound, "uid", "nobody")
		return
	}
	c.answer(w, http.StatusOK, c.rows[i])
}

// body reads and checks a whole record; uid is who may hold its number already.
func (c *clubServer) body(w http.ResponseWriter, r *http.Request, uid string) map[string]any {
	row := map[string]any{}
	dec := json.NewDecoder(r.Body)
	dec.UseNumber()
	if err := dec.Decode(&row); err != nil {
		c.refuse(w, http.StatusUnprocessableEntity, "", "not JSON")
		return nil
	}
	c.writes = append(c.writes, r.Method)
	family, mobile := clubText(row, "who", "family"), clubText(row, "reach", "mobile")
	switch {
	case row["uid"] != nil || row["edited"] != nil:
		c.t.Errorf("%s sent what is the club's own: %v", r.Method, row)
	case family == "" || mobile == "":
		c.refuse(w, http.StatusUnprocessableEntity, "who.family", "must not be empty")
		return nil
	case len(family) > 20:
		c.refused++
		c.refuse(w, http.StatusUnprocessableEntity, "who.family", "is too long (at most 20)")
		return nil
	case slices.ContainsFunc(c.rows, func(o map[string]any) bool { return o["uid"] != uid && clubText(o, "reach", "mobile") == mobile }):
		c.refuse(w, http.StatusUnprocessableEntity, "reach.mobile", "has already been taken")
		return nil
	}
	return row
}

func clubText(row map[string]any, outer, inner string) string {
	m, _ := row[outer].(map[string]any)
	s, _ := m[inner].(string)
	return s
}

func (c *clubServer) keep(row map[string]any, uid string) map[string]any {
	c.clock += 1000
	row["uid"], row["edited"] = uid, c.clock
	return row
}

func (c *clubServer) create(w http.ResponseWriter, r *http.Request) {
	if row := c.body(w, r, ""); row != nil {
		c.made++
		row = c.keep(row, fmt.Sprintf("P-%04d", c.made))
		c.rows = append(c.rows, row)
		c.answer(w, http.StatusCreated, row)
	}
}

func (c *clubServer) replace(w http.ResponseWriter, r *http.Request) {
	i := c.find(r.PathValue("uid"))
	if i < 0 {
		c.refuse(w, http.StatusNotFound, "uid", "nobody")
		return
	}
	if row := c.body(w, r, r.PathValue("uid")); row != nil {
		c.rows[i] = c.keep(row, r.PathValue("uid"))
		c.answer(w, http.StatusOK, c.rows[i])
	}
}

// put is a record that got there some other way.
func (c *clubServer) put(given, family, mobile, mail string, joined time.Time) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	uid := fmt.Sprintf("P-%04d", c.made)
	row := map[string]any{
		"who": map[string]any{"given": given, "family": family, "title": "Dott."}, "reach": map[string]any{"mobile": mobile, "mail": nil},
		"joined": joined.UnixMilli(), "points": 7,
	}
	if mail != "" {
		row["reach"].(map[string]any)["mail"] = mail
	}
	c.rows = append(c.rows, c.keep(row, uid))
	return uid
}

func (c *clubServer) edit(uid, outer, inner string, v any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	row := c.rows[c.find(uid)]
	row[outer].(map[string]any)[inner] = v
	c.keep(row, uid)
}

func (c *clubServer) person(uid string) map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rows[c.find(uid)]
}

// tally is how many persons there ever were, and how many were refused for their name.
func (c *clubServer) tally() (made, refused int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made, c.refused
}

// named is the person of a family name, nil for none.
func (c *clubServer) named(family string) map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, row := range c.rows {
		if clubText(row, "who", "family") == family {
			return row
		}
	}
	return nil
}

func (c *clubServer) wrote() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.writes)
}

// clubPreset is all that is known of that API.
const clubPreset = `
name: club
auth: { type: header, header: X-Token }
prefix: /v3/club
page_size: 25
errors:
  message: [problems]
  exists: { status: [422], match: "already been taken" }
kinds:
  people:
    path: /people
    id: uid
    changed: { path: edited, format: epoch_ms }
    list: { items: ., paging: page, page_param: page, first_page: 1, limit_param: per, max_page_size: 25 }
    get: { path: "/person/{id}" }
    create: { method: POST, path: /people }
    update: { method: PUT, path: "/person/{id}", mode: rewrite }
    delete: none
    unique: [[reach.mobile]]
    required: [who.family, reach.mobile]
    read_only: [uid, edited]
`

const clubConfig = `
time_zone: Europe/Rome
settle: 1ms
systems:
  club:
    preset: file:club.yaml
    base_url: %s
    key: file:club.key
  till:
    type: sqlite
    address: till.db
    tables:
      kunden:
        table: kunden
        key: [haus, nr]
        private: [bemerkung]
jobs:
  people:
    kind: contact
    between: { club: people, till: kunden }
    match: [phone, email]
    create: { club: always, till: always }
    on_create: { till: { haus: A } }
    fields:
      given_name:  { club: who.given,    till: vorname,  conflict: till }
      family_name: { club: who.family,   till: nachname, conflict: till }
      phone:       { club: reach.mobile, till: { path: telefon, format: national }, conflict: hold, region: IT }
      email:       { club: reach.mail,   till: mail,     conflict: club }
      joined:      { club: { path: joined, format: epoch_ms }, till: { path: seit, format: local }, as: instant, conflict: till }
`

const clubTable = `
CREATE TABLE kunden (
	haus TEXT NOT NULL, nr INTEGER NOT NULL DEFAULT (1000 + abs(random() % 1000000000)),
	vorname TEXT, nachname TEXT, telefon TEXT, mail TEXT, seit TEXT, bemerkung TEXT NOT NULL DEFAULT 'privat',
	PRIMARY KEY (haus, nr)) WITHOUT ROWID;
`

// Another API and another table, and nothing but text says how they are: the first
// sync goes both ways, so do edits, and then it is quiet.
func TestAnotherAPIByConfigurationAlone(t *testing.T) {
	club, url := newClub(t)
	h := &house{t: t, dir: t.TempDir(), config: fmt.Sprintf(clubConfig, url)}
	h.write(filepath.Join(h.dir, "club.yaml"), clubPreset)
	h.write(filepath.Join(h.dir, "club.key"), clubKey+"\n")
	var err error
	if h.db, err = sql.Open("sqlite3", "file:"+filepath.Join(h.dir, "till.db")+"?_busy_timeout=5000"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.db.Close() })
	h.exec(clubTable)
	joined := time.Date(2024, 7, 1, 8, 30, 0, 0, time.UTC)

	var both []string
	for i := range 60 { // three pages and a bit
		uid := club.put("Nome", fmt.Sprintf("Beide%02d", i), fmt.Sprintf("+3905550001%02d", i), "", joined)
		both = append(both, uid)
		h.exec(`INSERT INTO kunden (haus, nr, vorname, nachname, telefon, seit) VALUES ('A', ?, 'Nome', ?, ?, '2024-07-01 10:30:00')`,
			i+1, fmt.Sprintf("Beide%02d", i), fmt.Sprintf("055 50001%02d", i))
	}
	for i := range 5 {
		club.put("Nome", fmt.Sprintf("Club%02d", i), fmt.Sprintf("+3905550002%02d", i), fmt.Sprintf("club%d@example.com", i), joined)
		h.exec(`INSERT INTO kunden (haus, nr, vorname, nachname, telefon, mail, seit) VALUES ('A', ?, 'Nome', ?, ?, ?, '2024-01-15 09:00:00')`,
			100+i, fmt.Sprintf("Kasse%02d", i), fmt.Sprintf("055 50003%02d", i), fmt.Sprintf("kasse%d@example.com", i))
	}
	h.exec(`INSERT INTO kunden (haus, nr, vorname, nachname, telefon) VALUES ('B', 1, 'Nome', 'Anderswo', '055 5000400')`) // the same number in another house
	h.exec(`INSERT INTO kunden (haus, nr, vorname, nachname, telefon) VALUES ('A', 200, 'Nome', 'Hinterzartenbergerhausen', '055 5000500')`)

	reports := h.clubRun()
	for name, want := range map[string]int64{"linked": 60, "left.created": 6, "right.created": 5, "quarantined": 0, "refused": 1, "held": 0} {
		if got := total(reports, "people", name); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	if t.Failed() {
		h.tell(reports)
	}
	if got := h.one(`SELECT group_concat(haus || nachname || telefon || coalesce(mail, '') || seit) FROM (SELECT * FROM kunden WHERE nachname = 'Club03')`); got != "AClub03055 500 0203club3@example.com2024-07-01 10:30:00" {
		t.Errorf("a person of the club at the till: %q", got)
	}
	made, _ := club.tally()
	if row := club.named("Kasse04"); row == nil || clubText(row, "reach", "mobile") != "+390555000304" || fmt.Sprint(row["joined"]) != fmt.Sprint(time.Date(2024, 1, 15, 8, 0, 0, 0, time.UTC).UnixMilli()) {
		t.Errorf("a customer of the till in the club: %v", row)
	}
	h.clubQuiet(club)

	club.edit(both[7], "reach", "mail", "neu@example.com")
	h.exec(`UPDATE kunden SET nachname = 'Neumann', seit = '2024-08-01 00:00:00' WHERE haus = 'A' AND nr = 8`)
	h.exec(`UPDATE kunden SET vorname = 'Nur' WHERE haus = 'A' AND nr = 9`)
	h.exec(`UPDATE kunden SET vorname = 'Eine' WHERE haus = 'B' AND nr = 1`)
	h.exec(`UPDATE kunden SET nachname = 'Kurz' WHERE haus = 'A' AND nr = 200`)
	reports = h.clubRun()
	if got := h.one(`SELECT mail || nachname FROM kunden WHERE haus = 'A' AND nr = 8`); got != "neu@example.comNeumann" {
		t.Errorf("after edits on both sides the till has %q", got)
	}
	row := club.person(both[7])
	if clubText(row, "who", "family") != "Neumann" || clubText(row, "reach", "mail") != "neu@example.com" ||
		fmt.Sprint(row["joined"]) != fmt.Sprint(time.Date(2024, 7, 31, 22, 0, 0, 0, time.UTC).UnixMilli()) {
		t.Errorf("after edits on both sides the club has %v", row)
	}
	if clubText(row, "who", "title") != "Dott." || fmt.Sprint(row["points"]) != "7" {
		t.Errorf("a field that nobody mapped was lost: %v", row)
	}
	if got := clubText(club.person(both[8]), "who", "given"); got != "Nur" {
		t.Errorf("given name in the club: %q", got)
	}
	if got := clubText(club.named("Anderswo"), "who", "given"); got != "Eine" {
		t.Errorf("given name of the other house's number 1 in the club: %q", got)
	}
	if got := clubText(club.person(both[0]), "who", "given"); got != "Nome" {
		t.Errorf("given name of this house's number 1 in the club: %q", got)
	}
	if made2, refused := club.tally(); made2 != made+1 {
		t.Errorf("persons made in the club: got %d, want the one whose name is short enough now", made2-made)
		h.tell(reports)
	} else if refused != 1 {
		t.Errorf("the name that is too long was sent %d times, want once", refused)
	}
	if got := h.one(`SELECT count(*) FROM kunden`); got != "72" {
		t.Errorf("customers: got %s, want 72", got)
	}
	h.clubQuiet(club)
}

func (h *house) clubRun() []engine.Report {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	reports, err := a.Sync(h.t.Context(), []record.Binding{"people"}, engine.Options{Yes: true})
	if err != nil {
		h.t.Fatalf("sync: %v", err)
	}
	return reports
}

// clubQuiet fails the test unless a further run writes nothing.
func (h *house) clubQuiet(c *clubServer) {
	h.t.Helper()
	const all = `SELECT group_concat(haus || nr || vorname || nachname || telefon || coalesce(mail, '') || coalesce(seit, '') || bemerkung)
		FROM (SELECT * FROM kunden ORDER BY haus, nr)`
	before, customers := c.wrote(), h.one(all)
	reports := h.clubRun()
	if l, r := writes(reports); l+r != 0 || c.wrote() != before {
		h.tell(reports)
		h.t.Errorf("a further run wrote %d to the club (%d requests) and %d to the till, want none", l, c.wrote()-before, r)
	}
	if h.one(all) != customers {
		h.t.Error("a further run changed the till")
	}
}
