package week

import (
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"nightporter/internal/pgtest"
	"nightporter/simulator"
)

// hotel is a folder with the configuration of the example, and a database with its schema
// whose clock is the test's.
type hotel struct {
	dir  string
	dsn  string
	text string // the configuration, with {state} where its state file goes
}

// pace is how often lists are read where nobody tells of a change: as the example has it,
// or less often, which makes the same week cheaper.
type pace struct{ stays, rows, lists string }

var (
	asWritten = pace{stays: "30m", rows: "15m", lists: "1h"}
	seldom    = pace{stays: "4h", rows: "2h", lists: "3h"}
)

// clockSchema has the database live by a clock that a test sets: now() is looked up here
// before PostgreSQL's own is.
const clockSchema = `
CREATE SCHEMA clock;
CREATE TABLE clock.hands (at timestamptz NOT NULL);
INSERT INTO clock.hands VALUES ('2000-01-01');
CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM clock.hands';
CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM clock.hands';
GRANT USAGE ON SCHEMA clock TO public;
GRANT SELECT ON clock.hands TO public;
`

func newHotel(t *testing.T, dir string, p pace) *hotel {
	t.Helper()
	h := &hotel{dir: dir, dsn: pgtest.Start(t).NewDB(t)}
	u, err := url.Parse(h.dsn)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	porter := "porter_" + name // roles are the whole server's
	h.do(t, clockSchema, `ALTER DATABASE `+name+` SET search_path = clock, pg_catalog, public`, `CREATE ROLE `+porter+` LOGIN PASSWORD 'porter'`)
	h.do(t, strings.ReplaceAll(h.example(t, "schema.sql"), "TO nightporter", "TO "+porter))
	for file, text := range map[string]string{
		"platform.key": simulator.DefaultKey, "pms.password": "porter", "events.secret": "a-secret-of-these-tests",
		"never.txt": h.example(t, "never.txt"), "newsletter.csv": h.example(t, "newsletter.csv"),
	} {
		h.write(t, file, text)
	}
	h.text = h.example(t, "nightporter.yaml")
	for _, edit := range [][2]string{
		{"/etc/nightporter/", dir + "/"},
		{"192.0.2.10:5432/hotel", u.Host + u.Path},
		{"user: nightporter", "user: " + porter + "\n    tls: off"},
		{"/srv/newsletter", dir},
		{"pms: every 30m", "pms: every " + p.stays},
		{"pms: every 15m", "pms: every " + p.rows},
		{"or every 1h", "or every " + p.lists},
		{"platform: every 1h", "platform: every " + p.lists},
		{"subscribe: usual", "subscribe: { events: usual, check: " + p.lists + " }"},
		{"time_zone: Europe/Rome\n", "time_zone: Europe/Rome\nstate: {state}\n"},
	} {
		if !strings.Contains(h.text, edit[0]) {
			t.Fatalf("the example has no %q", edit[0])
		}
		h.text = strings.ReplaceAll(h.text, edit[0], edit[1])
	}
	return h
}

// do runs statements, each batch on a connection of its own.
func (h *hotel) do(t *testing.T, batches ...string) {
	t.Helper()
	for _, batch := range batches {
		db, err := sql.Open("pgx", h.dsn)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = db.ExecContext(t.Context(), batch); err != nil {
			t.Fatalf("%.60s…: %v", batch, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func (h *hotel) example(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "hotel-week", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (h *hotel) path(name string) string { return filepath.Join(h.dir, name) }

func (h *hotel) write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(h.path(file), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// configured writes the configuration with a state file, and gives where.
func (h *hotel) configured(t *testing.T, state string) string {
	t.Helper()
	h.write(t, "nightporter.yaml", strings.Replace(h.text, "{state}", state, 1))
	return h.path("nightporter.yaml")
}
