package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What is committed survives the loss of power: each connection that writes forces it to
// the disk.
func TestSync(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var level int
	if err := s.Writer.QueryRowContext(t.Context(), `PRAGMA synchronous`).Scan(&level); err != nil || level < fullSync {
		t.Errorf("synchronous is %d (%v), want %d: full", level, err, fullSync)
	}
}

// A transaction that is to be durable soon goes with a power cut, until one that is durable was committed after it.
func TestSoon(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), Options{Step: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	set := func(ctx context.Context, value string) {
		err := s.Write(ctx, "note", func(ctx context.Context, tx *sql.Tx) error {
			return Exec(ctx, tx, `INSERT INTO note (value) VALUES (?1)`, value)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Writer.ExecContext(t.Context(), `CREATE TABLE note (value TEXT)`); err != nil {
		t.Fatal(err)
	}
	set(t.Context(), "one")
	set(Soon(t.Context()), "two")
	if got := notesAfterPowerCut(t, s); got != "one" {
		t.Errorf("after a power cut there is %q, want one", got)
	}
	set(t.Context(), "three")
	if got := notesAfterPowerCut(t, s); got != "one,two,three" {
		t.Errorf("after a power cut there is %q, want all", got)
	}
	set(Soon(t.Context()), "four")
	var level int
	if err := s.Writer.QueryRowContext(t.Context(), `PRAGMA synchronous`).Scan(&level); err != nil || level != fullSync {
		t.Errorf("synchronous is %d (%v) afterwards, want %d: full", level, err, fullSync)
	}
}

// notesAfterPowerCut reads a copy of the state as a power cut would leave it now.
func notesAfterPowerCut(t *testing.T, s *DB) (notes string) {
	t.Helper()
	file, err := os.ReadFile(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	wal, err := os.ReadFile(s.Path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "state.db")
	if err := errors.Join(os.WriteFile(to, file, 0o600), os.WriteFile(to+"-wal", wal[:s.DurableLog()], 0o600)); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", to)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), `SELECT group_concat(value) FROM (SELECT value FROM note ORDER BY rowid)`).Scan(&notes); err != nil {
		t.Fatal(err)
	}
	return notes
}
