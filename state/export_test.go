package state

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"nightporter/state/internal/disk"
	"nightporter/state/internal/sqlite"
)

// Exec runs SQL on the writer's connection.
func (s *Store) Exec(t *testing.T, query string) {
	t.Helper()
	if _, err := s.db.Writer.ExecContext(t.Context(), query); err != nil {
		t.Fatalf("exec %s: %v", query, err)
	}
}

// Explain is how SQLite would run a query, each parameter an empty text.
func (s *Store) Explain(t *testing.T, query string) string {
	t.Helper()
	query = strings.NewReplacer("?1", "''", "?2", "''", "?3", "''", "?4", "''", "?5", "''").Replace(query)
	rows, err := s.db.Reader.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	plan := ""
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan += detail + "\n"
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}

// Schema is the statements that made the tables and indexes, goose's own left out.
func (s *Store) Schema(ctx context.Context) ([]string, error) {
	return texts(ctx, s, `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'schema_version%'
		AND tbl_name NOT LIKE 'sqlite_%' ORDER BY type, name`)
}

func texts(ctx context.Context, s *Store, query string) ([]string, error) {
	rows, err := s.db.Reader.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// WithRoom are the options for a disk that has so many bytes left.
func WithRoom(bytes uint64) Options {
	return Options{Room: func(string) (uint64, bool, error) { return bytes, true, nil }}
}

// HoldFile holds a state file as another process would, without opening it, until the
// test ends or release is called.
func HoldFile(t *testing.T, path string) (release func()) {
	t.Helper()
	f, err := disk.Acquire(t.Context(), path, disk.LockPatience)
	if err != nil {
		t.Fatal(err)
	}
	h := disk.Self("nightporter serve", time.Now())
	h.Term = 1
	if err := disk.WriteHolder(disk.LockName(path), h); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return func() { f.Close() }
}

// Reading holds a read transaction on a state file open until done is called.
func Reading(t *testing.T, path string) (done func()) {
	t.Helper()
	db := sql.OpenDB(sqlite.Connector{DSN: sqlite.CopyDSN(path), ReadOnly: true})
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := tx.QueryRowContext(t.Context(), `SELECT count(*) FROM entry`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(tx.Rollback(), db.Close()); err != nil {
			t.Error(err)
		}
	}
}

// Fill uses up all pages that the file may have.
func (s *Store) Fill(t *testing.T) {
	t.Helper()
	for size := 100_000; size > 0; {
		_, err := s.db.Writer.ExecContext(t.Context(), `INSERT INTO setting (binding, name, value)
			VALUES ('', (SELECT count(*) FROM setting), zeroblob(?1) || '')`, size)
		if err != nil {
			size /= 4
		}
	}
}

// Texts is the first column of what a query gives.
func (s *Store) Texts(ctx context.Context, query string) ([]string, error) {
	return texts(ctx, s, query)
}

// Empty has an index lose all of its rows, unseen by SQLite.
func (s *Store) Empty(t *testing.T, index string) {
	t.Helper()
	all, err := texts(t.Context(), s, `SELECT sql FROM sqlite_schema WHERE name = '`+index+`'`)
	if err != nil || len(all) != 1 {
		t.Fatalf("read index %s: %v", index, err)
	}
	made := all[0]
	whole, _, _ := strings.Cut(made, "WHERE ")
	s.Exec(t, `DROP INDEX `+index+`; `+strings.TrimSpace(whole)+` WHERE rowid < 0`)
	s.Exec(t, `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '`+strings.ReplaceAll(made, "'", "''")+
		`' WHERE name = '`+index+`'; PRAGMA writable_schema = RESET`)
}

// Misplace has the index of entries by their ids hold something else in place of them, as
// bits that turned do: as many rows as there are, of which none is found.
func (s *Store) Misplace(t *testing.T) {
	t.Helper()
	s.Exec(t, `DROP INDEX entry_ref; CREATE UNIQUE INDEX entry_ref ON entry (binding, side, since)`)
	s.Exec(t, `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX entry_ref ON entry (binding, side, id)'
		WHERE name = 'entry_ref'; PRAGMA writable_schema = RESET`)
}

// MayWrite is what is asked before a change is sent.
func (s *Store) MayWrite(ctx context.Context) error { return s.db.MayWrite(ctx) }
