package e2e

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/internal/pgtest"
)

// A user without any right is told which ones it needs, and with just these it works.
func TestOutside15GrantsForARoleWithoutRights(t *testing.T) {
	for name, has := range map[string][]string{
		"none": nil, "of the schema": {"USAGE ON SCHEMA desk"},
		"of some columns": {"USAGE ON SCHEMA desk", "SELECT (id, name, visits) ON desk.guests"},
		"to read":         {"USAGE ON SCHEMA desk", "SELECT ON desk.guests"},
	} {
		t.Run(name, func(t *testing.T) { withRights(t, has) })
	}
}

func withRights(t *testing.T, has []string) {
	t.Helper()
	crm, h := newPlainHouse(t)
	u, err := url.Parse(pgtest.Start(t).NewDB(t))
	if err != nil {
		t.Fatal(err)
	}
	if h.db, err = sql.Open("pgx", u.String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.db.Close() })
	do := func(statement string) {
		t.Helper()
		if _, err := h.db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	role := "porter" + strings.TrimPrefix(u.Path, "/")
	do(`CREATE SCHEMA desk`)
	do(`CREATE TABLE desk.guests (id serial PRIMARY KEY, name text NOT NULL, phone text, visits int)`)
	do(`CREATE ROLE "` + role + `" LOGIN PASSWORD 'not-a-secret'`)
	t.Cleanup(func() {
		for _, statement := range []string{`DROP OWNED BY "` + role + `"`, `DROP ROLE "` + role + `"`} {
			if _, err := h.db.ExecContext(context.Background(), statement); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
	})
	file := filepath.Join(h.dir, "pms.password")
	h.write(file, "not-a-secret")
	h.edit("type: sqlite\n    address: pms.db", "type: postgres\n    address: "+u.Host+u.Path+"\n    user: "+role+"\n    password: file:"+file+"\n    tls: \"off\"")
	h.edit("table: guests", "table: desk.guests")
	crm.put(`{"name":"Anna","phone":"1"}`)
	do(`INSERT INTO desk.guests (name, phone) VALUES ('Bruno', '2')`)

	for _, right := range has {
		do(`GRANT ` + right + ` TO "` + role + `"`)
	}
	var grants []string
	found := h.online()
	for _, f := range found.Findings {
		if g, ok := strings.CutPrefix(f.Text, "right needed: "); ok && f.Where == "pms" && !f.Wrong {
			grants = append(grants, g)
		}
	}
	for _, s := range found.Sides {
		if s.System == "pms" {
			grants = append(grants, s.Rights...)
		}
	}
	if len(grants) == 0 {
		t.Fatalf("a role without rights is told %+v", found.Findings)
	}
	for _, g := range grants {
		do(g)
	}
	if got := wrongOf(h.online().Findings); got != "" {
		t.Fatalf("with %q: %s", grants, got)
	}
	h.clubRun()
	if got := h.one(`SELECT string_agg(name || phone, ' ' ORDER BY name) FROM desk.guests`); got != "Anna1 Bruno2" {
		t.Errorf("the PMS has %q", got)
	}
}
