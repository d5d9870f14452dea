package e2e

import (
	"database/sql"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/internal/pgtest"
	"nightporter/simulator"
	"nightporter/sync/engine"
)

// newPriceList is a platform, and a database with prices of which docs/documents.md makes a
// document.
func newPriceList(t testing.TB, system string, db *sql.DB) *library {
	t.Helper()
	l := &library{house: &house{t: t, dir: t.TempDir(), db: db, sim: simulator.New(simulator.Options{IDs: simulator.Sequential})}}
	srv := httptest.NewServer(l.sim)
	t.Cleanup(srv.Close)
	key := filepath.Join(l.dir, "platform.key")
	l.write(key, simulator.DefaultKey)
	blocks := fenced(t, "documents.md", "yaml")
	job := strings.ReplaceAll(strings.ReplaceAll(blocks[1], "house", "pms"), "  documents:\n", "  prices:\n")
	l.config = fmt.Sprintf("time_zone: Europe/Rome\nsettle: 1ms\nsystems:\n  platform:\n    preset: platform\n    base_url: %s\n    key: file:%s\n%s%sjobs:\n%s",
		srv.URL, key, system, blocks[2], job)
	for _, query := range []string{
		`CREATE TABLE menu (category TEXT, dish TEXT, price NUMERIC(8,2), since DATE)`,
		`INSERT INTO menu VALUES ('First courses', 'Pasta', 9.50, '2026-05-01'), ('Desserts', 'Tiramisù', 6, '2026-05-01'), ('First courses', 'Risotto | milanese', 12, '2026-05-01')`,
	} {
		l.exec2(query)
	}
	return l
}

func (l *library) exec2(query string) {
	l.t.Helper()
	if _, err := l.db.Exec(query); err != nil {
		l.t.Fatalf("%s: %v", query, err)
	}
}

const priceList = `# Price list

## Desserts

| Dish | Price |
|---|---|
| Tiramisù | € 6.00 |

## First courses

| Dish | Price |
|---|---|
| Pasta | € 9.50 |
| Risotto \| milanese | € 12.00 |
`

func priceTables(t *testing.T) map[string]func(t *testing.T) *library {
	return map[string]func(t *testing.T) *library{
		"sqlite": func(t *testing.T) *library {
			path := filepath.Join(t.TempDir(), "pms.db")
			db, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=5000")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return newPriceList(t, fmt.Sprintf("  pms:\n    type: sqlite\n    address: %s\n", path), db)
		},
		"postgres": func(t *testing.T) *library {
			h := pgHouse(t)
			return newPriceList(t, h.system, h.db)
		},
	}
}

// A price list that is changed twice, in whatever order its rows are stored, is replaced
// twice; a query that gives nothing takes nothing away.
func TestDocumentOfAQuery(t *testing.T) {
	for name, open := range priceTables(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t)
			l.sync()
			l.holds("at first", "Price list ready active")
			if d := l.sim.All("documents")[0]; d["checksum"] != sumOf(priceList) {
				t.Errorf("the document is another text: %v of %v bytes, want %d", d["checksum"], d["size"], len(priceList))
			}
			l.quiet()

			l.exec2(`UPDATE menu SET dish = dish`) // PostgreSQL stores them elsewhere
			l.exec2(`UPDATE menu SET since = '2026-06-01'`)
			l.quiet()

			l.sim.SetDocuments(simulator.Documents{Processing: time.Hour})
			l.exec2(`UPDATE menu SET price = 10 WHERE dish = 'Pasta'`)
			l.sync()
			l.holds("changed once", "Price list ready active", "Price list processing active")
			l.exec2(`UPDATE menu SET price = 11 WHERE dish = 'Pasta'`)
			l.sync()
			l.holds("changed twice", "Price list ready active", "Price list processing active", "Price list processing active")
			l.sim.SetDocuments(simulator.Documents{})
			l.sync()
			l.sync()
			l.holds("ready", "Price list ready put aside", "Price list ready put aside", "Price list ready active")
			l.quiet()

			l.exec2(`DELETE FROM menu`)
			says(t, l.sync(), "its query gives 0 rows, and fewer than 1 are not believed")
			l.exec2(`DROP TABLE menu`)
			reports, err := l.trySync(engine.Options{Yes: true})
			if err == nil && !strings.Contains(notes(reports), "menu") {
				t.Errorf("a table that is not there is no error and not told:\n%s", notes(reports))
			}
			l.holds("without rows", "Price list ready put aside", "Price list ready put aside", "Price list ready active")
			l.sound()
		})
	}
}

type pgSystem struct {
	system string
	db     *sql.DB
}

func pgHouse(t *testing.T) pgSystem {
	t.Helper()
	dsn := pgtest.Start(t).NewDB(t)
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	porter := "porter_" + strings.TrimPrefix(u.Path, "/") // roles are the whole server's
	for _, query := range []string{
		`CREATE ROLE ` + porter + ` LOGIN PASSWORD 'porter'`,
		`ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO ` + porter,
	} {
		if _, err := db.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(path, []byte("porter"), 0o600); err != nil {
		t.Fatal(err)
	}
	return pgSystem{fmt.Sprintf("  pms:\n    type: postgres\n    address: %s\n    user: %s\n    password: file:%s\n", u.Host+u.Path, porter, path), db}
}
