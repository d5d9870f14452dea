package state_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"nightporter/state"
	"nightporter/sync/record"
)

// killed leaves at to what a process killed in the middle of a transaction leaves of
// the file at from: pages that are written, and the journal to take them back by.
func killed(t *testing.T, from, to string, during ...string) {
	t.Helper()
	ctx := t.Context()
	db, err := sql.Open("sqlite3", "file:"+from+"?_journal_mode=DELETE&_cache_size=1") // each page is written at once
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}()
	for _, q := range append(during, `CREATE TABLE half (text)`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) INSERT INTO half SELECT randomblob(4000) FROM n`) {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	cp(t, from, to, 0)
	cp(t, from+"-journal", to+"-journal", 0)
}

// A process that is killed before the file keeps a write-ahead log leaves a journal
// that a connection for reading may not roll back.
func TestHalfWritten(t *testing.T) {
	dir := t.TempDir()
	readOnly := state.Options{ReadOnly: true}

	t.Run("new", func(t *testing.T) {
		for name, opts := range map[string]state.Options{"begun": {}, "looked-at": readOnly} {
			path := filepath.Join(dir, name)
			killed(t, filepath.Join(dir, "empty-"+name), path)
			s, err := state.Open(t.Context(), path, opts)
			if opts.ReadOnly {
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("got %v, want that nothing is there yet", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			register(t, s)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("ours", func(t *testing.T) {
		whole := filepath.Join(dir, "whole")
		s := open(t, whole, state.Options{})
		if err := s.See(t.Context(), register(t, s), guests, "m", seen("1", 3)); err != nil {
			t.Fatal(err)
		}
		s.Close()
		for name, opts := range map[string]state.Options{"run": {}, "read": readOnly} {
			path := filepath.Join(dir, name)
			killed(t, whole, path, `DELETE FROM entry`)
			s := open(t, path, opts)
			if _, ok, err := s.Entry(context.Background(), guests, record.Ref{Kind: "guests", ID: "1"}); err != nil || !ok {
				t.Errorf("%s: got %v, %v; want the entry that was committed", name, ok, err)
			}
		}
	})
	t.Run("another's", func(t *testing.T) {
		other, path := filepath.Join(dir, "other"), filepath.Join(dir, "theirs")
		s := open(t, other, state.Options{})
		s.Exec(t, `PRAGMA application_id = 7`)
		s.Close()
		killed(t, other, path)
		refuse(t, path, state.Options{}, state.ErrForeign)
	})
}

// The journal of the killed process is not played into the file that is put in the place of
// its own.
func TestHalfWrittenIsReplaced(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.db")
	s := open(t, whole, state.Options{})
	if err := s.See(t.Context(), register(t, s), guests, "m", seen("1", 3)); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "copy.db")
	if err := s.CopyTo(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	s.Close()
	for name, put := range map[string]func(to string) error{
		"restore": func(to string) error { _, err := state.Restore(t.Context(), copied, to, true, noon); return err },
		"rebuild": func(to string) error { _, err := state.Rebuild(t.Context(), to, true, noon); return err },
	} {
		for of, from := range map[string]string{
			"a new file": filepath.Join(dir, "new-"+name), "a copy": whole, "an empty file": filepath.Join(dir, "empty-"+name),
		} {
			to := filepath.Join(dir, name+" "+of)
			killed(t, from, to)
			if of == "an empty file" { // none of its pages has reached the disk
				if err := os.Truncate(to, 0); err != nil {
					t.Fatal(err)
				}
			}
			if err := put(to); err != nil {
				t.Errorf("%s over %s: %v", name, of, err)
				continue
			}
			s := open(t, to, state.Options{})
			if _, ok, err := s.Entry(t.Context(), guests, record.Ref{Kind: "guests", ID: "1"}); err != nil || ok != (name == "restore") {
				t.Errorf("%s over %s: the entry: %v, %v", name, of, ok, err)
			}
			if _, adopt, err := s.AdoptOnly(t.Context(), "guests"); err != nil || !adopt {
				t.Errorf("%s over %s: adopt-only: %v, %v", name, of, adopt, err)
			}
		}
	}
}

// A file that was emptied is not one of which nothing was run yet.
func TestEmptied(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path, state.Options{})
	if err := s.Lock(t.Context(), "nightporter serve", noon); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	refuse(t, path, state.Options{ReadOnly: true}, state.ErrForeign)
}
