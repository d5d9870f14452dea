package e2e

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nightporter/internal/pgtest"
)

// What a field would lose where it is never written is no loss.
func TestOutside37LossesOfOneWayFields(t *testing.T) {
	for name, tt := range map[string]struct{ to, want string }{
		"both ways": {"", "phone in crm, phone in pms"}, "to the CRM": {", to: crm", "phone in crm"}, "to the PMS": {", to: pms", "phone in pms"},
	} {
		t.Run(name, func(t *testing.T) {
			crm, h := newPlainHouse(t)
			crm.put(`{"name":"Anna","phone":"1"}`)
			h.exec(`INSERT INTO guests (name, phone) VALUES ('Bruno', '2')`)
			h.edit("crm: phone,", `crm: { path: phone, read: "value + \"a\"", write: value },`)
			h.edit("pms: phone,", `pms: { path: phone, read: "value + \"b\"", write: value },`)
			h.edit("as: text }", "as: text"+tt.to+" }")
			if text := h.losses(); text != tt.want {
				t.Errorf("check --online names %q, want %q", text, tt.want)
			}
		})
	}
}

// A number that a column can't hold keeps no other field from being written, and is named.
func TestOutside37FractionForAnIntegerColumn(t *testing.T) {
	crm, h := newPlainHouse(t)
	h.onPostgres()
	h.edit("      phone:", "      visits: { crm: visits, pms: visits, as: number, conflict: crm }\n      phone:")
	crm.put(`{"name":"Anna","phone":"1","visits":2.5}`)
	crm.put(`{"name":"Bruno","phone":"1","visits":2}`)
	if got := h.losses(); got != "visits in pms" {
		t.Errorf("check --online names %q", got)
	}

	h.clubRun()
	all := `SELECT string_agg(name || coalesce(visits::text, '-') || phone, ' ' ORDER BY name) FROM guests`
	if got := h.one(all); got != "Anna-1 Bruno21" {
		t.Errorf("the PMS has %q", got)
	}
	crm.set("p2", "visits", 2.5)
	crm.set("p2", "phone", "5")
	for range 2 {
		reports := h.clubRun()
		if n := total(reports, "people", "quarantined"); n != 2 {
			t.Errorf("%d are named, want Anna's and Bruno's visits", n)
			h.tell(reports)
		}
	}
	if got := h.one(all); got != "Anna-1 Bruno25" {
		t.Errorf("after an edit the PMS has %q, want Bruno's new phone", got)
	}
	crm.set("p1", "visits", 3)
	crm.set("p2", "visits", 4)
	h.clubRun()
	if got := h.one(all); got != "Anna31 Bruno45" {
		t.Errorf("with whole numbers the PMS has %q", got)
	}
}

// onPostgres puts the guests into a database of PostgreSQL.
func (h *house) onPostgres() {
	h.t.Helper()
	u, err := url.Parse(pgtest.Start(h.t).NewDB(h.t))
	if err != nil {
		h.t.Fatal(err)
	}
	if h.db, err = sql.Open("pgx", u.String()); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { h.db.Close() })
	if _, err := h.db.Exec(`CREATE TABLE guests (id SERIAL PRIMARY KEY, name TEXT NOT NULL, phone TEXT, visits INTEGER)`); err != nil {
		h.t.Fatal(err)
	}
	word, _ := u.User.Password()
	file := filepath.Join(h.dir, "pms.password")
	h.write(file, word)
	h.edit("    type: sqlite\n    address: pms.db\n", fmt.Sprintf(
		"    type: postgres\n    address: %s%s\n    user: %s\n    password: file:%s\n    tls: \"off\"\n", u.Host, u.Path, u.User.Username(), file))
}

// losses is what check --online calls a loss, as "field in system".
func (h *house) losses() string {
	h.t.Helper()
	found := h.online()
	if len(found.Findings) > 0 {
		h.t.Fatal(found.Findings)
	}
	var got []string
	for _, s := range found.Sides {
		for _, l := range s.Losses {
			got = append(got, l.Field+" in "+l.To)
		}
	}
	slices.Sort(got)
	return strings.Join(slices.Compact(got), ", ")
}

// No right to make rows, or to change them, is asked for where the job does neither.
func TestOutside37GrantsOfWhatIsDone(t *testing.T) {
	crm, h := newPlainHouse(t)
	crm.put(`{"name":"Anna","phone":"1"}`)
	h.onPostgres()
	text := h.config
	for name, tt := range map[string]struct {
		old, now         string
		inserts, updates bool
	}{
		"both":       {"pms: always }", "pms: always }", true, true},
		"no creates": {"pms: always }", "pms: never }", false, true},
		"no updates": {"pms: always }", "pms: always }\n    update: { pms: never }", true, false},
	} {
		h.config = strings.Replace(text, tt.old, tt.now, 1)
		rights := ""
		for _, s := range h.online().Sides {
			if s.System == "pms" {
				rights = strings.ToLower(strings.Join(s.Rights, "\n"))
			}
		}
		if strings.Contains(rights, "insert") != tt.inserts || strings.Contains(rights, "update") != tt.updates || !strings.Contains(rights, "select") {
			t.Errorf("%s: the rights are\n%s", name, rights)
		}
	}
}
