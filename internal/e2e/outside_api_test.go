package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"nightporter/internal/app"
	"nightporter/internal/config"
)

// plainAPI is an API with one kind, people: a bare list, a read by id, POST, and a PATCH
// that puts what it is sent in the place of what was there, name by name.
type plainAPI struct {
	t *testing.T

	mu     sync.Mutex
	ids    []string
	rows   map[string]map[string]any
	writes []string // method and body of each, as they were sent
	made   int

	// says answers a request in the API's place, if it gives a status.
	says func(r *http.Request, body map[string]any) (status int, answer any)
}

func newPlainAPI(t *testing.T) (*plainAPI, string) {
	p := &plainAPI{t: t, rows: map[string]map[string]any{}}
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	return p, srv.URL
}

func (p *plainAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	body := map[string]any{}
	if r.Method != http.MethodGet {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			p.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		p.writes = append(p.writes, r.Method+" "+compact(body))
	}
	if p.says != nil {
		if status, answer := p.says(r, body); status != 0 {
			p.answer(w, status, answer)
			return
		}
	}
	id, single := strings.CutPrefix(r.URL.Path, "/people/")
	row := p.rows[id]
	switch {
	case single && row == nil:
		p.answer(w, http.StatusNotFound, map[string]any{"error": "there is none"})
	case r.Method == http.MethodGet && single:
		p.answer(w, http.StatusOK, row)
	case r.Method == http.MethodGet:
		list := []any{}
		for _, id := range p.ids {
			list = append(list, p.rows[id])
		}
		p.answer(w, http.StatusOK, list)
	case single:
		maps.Copy(row, body)
		p.answer(w, http.StatusOK, row)
	default:
		p.answer(w, http.StatusCreated, p.keep(body))
	}
}

func (p *plainAPI) answer(w http.ResponseWriter, status int, v any) {
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		p.t.Error(err)
	}
}

// keep stores a new record, under an id of its own where it names none.
func (p *plainAPI) keep(row map[string]any) map[string]any {
	if row["id"] == nil {
		p.made++
		row["id"] = fmt.Sprintf("p%d", p.made)
	}
	id := fmt.Sprint(row["id"])
	p.ids = append(p.ids, id)
	p.rows[id] = row
	return row
}

// put is a record that got there some other way, given as JSON.
func (p *plainAPI) put(text string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	row := map[string]any{}
	if err := json.Unmarshal([]byte(text), &row); err != nil {
		p.t.Fatal(err)
	}
	p.keep(row)
}

// drop takes a record away.
func (p *plainAPI) drop(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.rows, id)
	ids := p.ids[:0]
	for _, i := range p.ids {
		if i != id {
			ids = append(ids, i)
		}
	}
	p.ids = ids
}

// set gives a record another value.
func (p *plainAPI) set(id, name string, v any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows[id][name] = v
}

// at is what a record holds under a name, as JSON.
func (p *plainAPI) at(id, name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return compact(p.rows[id][name])
}

// sent is the writes since the last time, and forgets them.
func (p *plainAPI) sent() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.writes
	p.writes = nil
	return out
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// plainPreset is all that there is to say of that API, and more may be said below it.
const plainPreset = `
name: crm
auth: { type: none }
kinds:
  people:
    path: /people
    list: { items: ., paging: none }
    get: { path: "/people/{id}" }
    create: {}
    update: {}
    read_only: [id]
`

// plainConfig keeps its people in step with a table; %s is its address.
const plainConfig = `
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
      guests: { table: guests, key: id }
jobs:
  people:
    kind: contact
    between: { crm: people, pms: guests }
    match: [name]
    create: { crm: always, pms: always }
    fields:
      name:  { crm: name,  pms: name,  conflict: pms }
      phone: { crm: phone, pms: phone, conflict: pms, as: text }
`

// newPlainHouse is a house with that API and a table of guests.
func newPlainHouse(t *testing.T) (*plainAPI, *house) {
	p, url := newPlainAPI(t)
	h := &house{t: t, dir: t.TempDir(), config: fmt.Sprintf(plainConfig, url)}
	h.preset(plainPreset)
	var err error
	if h.db, err = sql.Open("sqlite3", "file:"+filepath.Join(h.dir, "pms.db")+"?_busy_timeout=5000"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.db.Close() })
	h.exec(`CREATE TABLE guests (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, phone TEXT, visits INTEGER)`)
	return p, h
}

func (h *house) preset(text string) { h.write(filepath.Join(h.dir, "crm.yaml"), text) }

// loaded is the house's configuration as it is now.
func (h *house) loaded() *config.Config {
	h.t.Helper()
	path := filepath.Join(h.dir, "nightporter.yaml")
	h.write(path, h.config)
	cfg, err := config.Load(path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return cfg
}

// check is what check finds wrong, without asking the systems.
func (h *house) check() string {
	h.t.Helper()
	return wrongOf(app.CheckFile(h.loaded()))
}

// online is what check --online shows of the systems.
func (h *house) online() app.Online {
	h.t.Helper()
	found, err := app.CheckOnline(h.t.Context(), h.loaded(), app.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}

// wrongOf is the findings that must be mended, a line each.
func wrongOf(all []app.Finding) string {
	var out []string
	for _, f := range all {
		if f.Wrong {
			out = append(out, f.Where+": "+f.Text)
		}
	}
	return strings.Join(out, "\n")
}
