package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// people fills both sides with n guests that match one another, in the same order.
func (h *house) people(n int) {
	h.t.Helper()
	h.exec(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
		INSERT INTO guests (first_name, last_name, phone, email, country, language)
		SELECT 'Guest' || i, 'Bianchi', printf('+39055%07d', i), 'guest' || i || '@example.com', 'IT', 'it' FROM n`, n)
	for i := range n {
		h.sim.Put("contacts", map[string]any{
			"first_name": fmt.Sprintf("Guest%d", i), "last_name": "Bianchi", "language": "it",
			"phone_number": fmt.Sprintf("+39055%07d", i), "email": fmt.Sprintf("guest%d@example.com", i),
			"notes": "Prefers a quiet room on a high floor, late check-in.",
		})
	}
}

// seeded writes, in seconds, the state file that a first sync of the house's n people
// and the pass after it leave behind (TestSeeded). It takes the rows of one person
// from a real first sync and puts the others' names, numbers and digests in.
func (h *house) seeded(path string, ids simulator.IDStyle, n int) {
	h.t.Helper()
	one := newHouse(h.t, simulator.Options{IDs: ids})
	one.people(1)
	one.sync()
	one.sync()
	h.write(path, string(one.read(one.stateFile())))
	db, err := sql.Open("sqlite3", "file:"+path+"?_synchronous=OFF&_journal_mode=OFF&_cache_size=-400000")
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	do := func(query string, args ...any) {
		h.t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			h.t.Fatalf("%s: %v", query, err)
		}
	}
	do(`CREATE TEMP TABLE shown (side, i, id, listed, PRIMARY KEY (side, i)) WITHOUT ROWID`)
	do(`CREATE TEMP TABLE was AS SELECT * FROM entry`)
	tx, err := db.Begin()
	if err != nil {
		h.t.Fatal(err)
	}
	defer tx.Rollback()
	h.listAll(func(side record.Side, i int, id string, listed record.Digest) {
		if _, err := tx.Exec(`INSERT INTO shown VALUES (?, ?, ?, ?)`, side, i, id, []byte(listed)); err != nil {
			h.t.Fatal(err)
		}
	})
	if err := tx.Commit(); err != nil {
		h.t.Fatal(err)
	}
	do(`UPDATE entry SET link = NULL`)
	for _, table := range []string{"entry_key", "link", "entry"} {
		do(`DELETE FROM ` + table)
	}
	do(`INSERT INTO link (id, binding, entity, state, made) SELECT i + 1, 'guests', printf('01M7YD%020d', i), '', 1 FROM shown WHERE side = 1 ORDER BY i`)
	put := func(column string) string {
		return `replace(replace(replace(` + column + `, '"Guest0"', '"Guest' || i || '"'), '"guest0@', '"guest' || i || '@'), '"+390550000000"', printf('"+39055%07d"', i))`
	}
	do(`INSERT INTO entry (num, binding, side, kind, id, link, base, base_version, seen, listed, mapping, pre, acked, settle_until,
			provisional, state, why, recheck, since, keys, dirty, vouching)
		SELECT i + 1 + CASE w.side WHEN 0 THEN ?1 ELSE 0 END, binding, w.side, kind, s.id, i + 1, `+put("base")+`, base_version, seen, s.listed,
			mapping, pre, acked, settle_until, provisional, state, why, recheck, since, `+put("keys")+`, dirty, vouching
		FROM was w, shown s WHERE w.side = s.side ORDER BY w.side DESC, i`, n)
	do(`INSERT INTO entry_key (binding, side, name, text, entry)
		SELECT binding, side, k.value ->> 'name', k.value ->> 'text', num FROM entry, json_each(keys) k ORDER BY 1, 2, 3, 4`)
	do(`UPDATE scan SET row_count = ?1, total = CASE WHEN total < 0 THEN total ELSE ?1 END,
		pages = CASE side WHEN 0 THEN (?1 + 99) / 100 ELSE (?1 + 499) / 500 END WHERE binding = 'guests'`, n)
	do(`DELETE FROM witnessed`) // the PMS that it was made with stands elsewhere
	do(`DROP TABLE temp.shown`)
	do(`DROP TABLE temp.was`)
}

// listAll reads both sides' guests as the program does.
func (h *house) listAll(each func(side record.Side, i int, id string, listed record.Digest)) {
	h.t.Helper()
	file := filepath.Join(h.dir, "listing.yaml")
	h.write(file, h.config)
	cfg, err := config.Load(file, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	a, err := app.Open(context.Background(), cfg, app.Options{State: filepath.Join(h.t.TempDir(), "listing.db")})
	if err != nil {
		h.t.Fatal(err)
	}
	defer a.Close()
	job := a.Engine.Jobs["guests"]
	for _, side := range record.Sides {
		s := job.Sides[side]
		q := connectors.Query{Kind: s.Kind, Fields: job.Mapping.Paths(side)}
		sum, i := record.NewDigester(job.Mapping.Fingerprint(side)), 0
		for after, end := record.Cursor(""), false; !end; {
			page, err := s.Conn.Fetch(context.Background(), q, after)
			if err != nil {
				h.t.Fatal(err)
			}
			for _, it := range page.Items {
				each(side, i, it.ID, record.Digest(sum.Sum(it.Raw)))
				i++
			}
			after, end = page.Next, page.End
		}
	}
}

// dump is a table's rows as texts, without what no two runs have in common: times and
// the names of entities and installations.
func dump(t *testing.T, file, table string) []string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+file+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var columns string
	err = db.QueryRow(`SELECT group_concat(name, ', ') FROM pragma_table_info(?) WHERE name NOT IN ('since', 'made', 'entity', 'started', 'ended', 'counts', 'epoch', 'beat', 'witness')`, table).Scan(&columns)
	if err != nil {
		t.Fatal(err)
	}
	var quoted []string
	for name := range strings.SplitSeq(columns, ", ") {
		quoted = append(quoted, "quote("+name+")")
	}
	rows, err := db.Query(`SELECT ` + strings.Join(quoted, " || '|' || ") + ` FROM ` + table + ` ORDER BY ` + columns)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(row, "'install'") && !strings.Contains(row, "'checked'") { // a name of its own, and a moment
			out = append(out, row)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// What the benchmark puts in the place of a first sync of a million is what a first
// sync leaves.
func TestSeeded(t *testing.T) {
	const n = 2000
	for name, ids := range map[string]simulator.IDStyle{"ids in key order": simulator.Sequential, "random ids": simulator.UUIDs} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, simulator.Options{IDs: ids})
			h.people(n)
			h.sync()
			h.sync()
			path := filepath.Join(h.dir, "seeded.db")
			h.seeded(path, ids, n)
			db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			rows, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_version'`)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			tables := 0
			for rows.Next() {
				var table string
				if err := rows.Scan(&table); err != nil {
					t.Fatal(err)
				}
				tables++
				if table == "config" || table == "forgiven" || table == "witnessed" { // what they hold names a moment, or a place
					continue
				}
				want := dump(t, h.stateFile(), table)
				if diff := cmp.Diff(want, dump(t, path, table)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", table, diff[:min(len(diff), 2000)])
				}
				if table == "entry" && len(want) != 2*n {
					t.Errorf("a first sync left %d entries, want %d", len(want), 2*n)
				}
			}
			if tables < 10 || rows.Err() != nil {
				t.Errorf("compared %d tables, %v", tables, rows.Err())
			}
			if err := os.Rename(path, h.stateFile()); err != nil {
				t.Fatal(err)
			}
			h.quietPass(n)
		})
	}
}

// The benchmark's pass in small: what it reads and asks for, without the clock.
func TestQuietPass(t *testing.T) {
	const n = 10_000
	h := newHouse(t, simulator.Options{IDs: simulator.UUIDs, KeepRequests: 1})
	h.people(n)
	h.seeded(h.stateFile(), simulator.UUIDs, n)
	h.quietPass(n)
	h.edit("preset: platform\n", "preset: platform\n    concurrency: 8\n")
	h.quietPass(n) // pages read side by side are not more of them
}

// quietPass runs once and fails unless everything was known by its bytes, and the
// platform got as many list requests as the records need and two more at most.
func (h *house) quietPass(n int) {
	h.t.Helper()
	h.sim.ResetCounts()
	reports := h.syncWith(engine.Options{Yes: true})
	c := h.sim.Counts()
	if d := total(reports, "guests", "left.decoded") + total(reports, "guests", "right.decoded"); d != 0 {
		h.t.Errorf("a pass without a change decoded %d records", d)
	}
	if got := total(reports, "guests", "left.records"); got != int64(n) {
		h.t.Errorf("the pass read %d contacts, want %d", got, n)
	}
	if want := (n+99)/100 + 2 + 1; c.Mutating != 0 || c.Lists > want { // the reservations' list is one more
		h.t.Errorf("a pass without a change made %d writes and %d list requests, want none and %d at most", c.Mutating, c.Lists, want)
	}
}
