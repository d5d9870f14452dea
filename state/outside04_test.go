package state_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/state"
)

// rowsOfAllIndexes has a row in each index of the tables that decide.
const rowsOfAllIndexes = `
INSERT INTO link (id, binding, entity, made) VALUES (1, 'guests', 'e1', 1);
INSERT INTO entry (num, binding, side, kind, id, link, seen, dirty, state, recheck, since)
	VALUES (1, 'guests', 0, 'guests', 'g1', 1, '{}', 1, 'held', 5, 1), (2, 'guests', 1, 'guests', 'g2', NULL, NULL, 0, '', NULL, 1);
INSERT INTO entry_key (binding, side, name, text, entry) VALUES ('guests', 0, 'phone', '+39055', 1);
INSERT INTO intent (id, binding, run, side, link, source, entity, kind, ref, change, reason, fields, bases, state, made, sent_at, ended_at, risk)
	VALUES ('i1', 'guests', 1, 0, 1, NULL, 'e1', 'guests', 'g1', '{}', '', '[]', '[null,null]', 'sent', 1, 2, 3, 'update'),
	('i2', 'guests', 1, 0, NULL, 2, 'e2', 'guests', '', '{}', '', '[]', '[null,null]', 'sent', 1, 2, 3, 'create'),
	('i3', 'guests', 1, 0, NULL, 2, 'e2', 'guests', '', '{}', '', '[]', '[null,null]', 'rejected', 1, 2, 3, 'create');
`

// Each index by which it is decided what is made, and what is open, is looked at: at start,
// and while the file is open, after which nothing is begun any more.
func TestOutside04EveryIndexIsChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path, state.Options{})
	register(t, s)
	s.Exec(t, rowsOfAllIndexes)
	names, err := s.Texts(t.Context(), `SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL
		AND tbl_name IN ('entry', 'link', 'intent') ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 15 {
		t.Fatalf("got %d indexes, want all of them", len(names))
	}
	if err := sliced(t, s); err != nil {
		t.Fatalf("a whole file: %v", err)
	}
	s.Close()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			s = open(t, path, state.Options{SkipCheck: true})
			s.Empty(t, name)
			s.Exec(t, `DELETE FROM setting WHERE name = 'checked'`) // an hour is over
			s.Close()
			_, atStart := state.Open(t.Context(), path, state.Options{})
			s = open(t, path, state.Options{SkipCheck: true})
			opened := sliced(t, s)
			if !errors.Is(atStart, state.ErrCorrupt) {
				t.Errorf("at start: got error %v, want %v", atStart, state.ErrCorrupt)
			}
			if atStart != nil && !strings.Contains(fmt.Sprint(atStart), path) {
				t.Errorf("the file is not named: %v", atStart)
			}
			if !errors.Is(opened, state.ErrCorrupt) {
				t.Errorf("while it is open: got error %v, want %v", opened, state.ErrCorrupt)
			}
			if _, err := s.Begin(t.Context(), "guests", false, noon); !errors.Is(err, state.ErrCorrupt) {
				t.Errorf("a run was begun, or refused with another error: %v", err)
			}
			if !errors.Is(s.Sound(), state.ErrCorrupt) {
				t.Error("the file counts as sound")
			}
			s.Exec(t, `REINDEX `+name)
			s.Close()
			s = open(t, path, state.Options{})
			s.Close()
		})
	}
}

// Starts that follow each other within an hour look at the indexes once, and nothing is
// written before they were looked at: by this start, or before the first change.
func TestOutside04IndexesAreCheckedOnceAnHourAtStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path, state.Options{})
	register(t, s)
	s.Exec(t, rowsOfAllIndexes)
	s.Close()
	s = open(t, path, state.Options{}) // notes it
	s.Close()
	s = open(t, path, state.Options{SkipCheck: true})
	s.Misplace(t)
	s.Close()
	s = open(t, path, state.Options{}) // does not look again
	if err := s.MayWrite(t.Context()); !errors.Is(err, state.ErrCorrupt) {
		t.Errorf("before a change: got error %v, want %v", err, state.ErrCorrupt)
	}
	s.Exec(t, `UPDATE setting SET value = value - 3600000 WHERE name = 'checked'`)
	s.Close()
	if _, err := state.Open(t.Context(), path, state.Options{}); !errors.Is(err, state.ErrCorrupt) {
		t.Errorf("an hour later: got error %v, want %v", err, state.ErrCorrupt)
	}
}

// What was found whole by slices, or by a start, is not looked at again before each change.
func TestOutside04AChangeWaitsForNoCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path, state.Options{SkipCheck: true})
	register(t, s)
	s.Exec(t, rowsOfAllIndexes)
	s.Close()
	for name, look := range map[string]func(*state.Store) error{
		"a start":      func(*state.Store) error { return nil },
		"a change":     func(s *state.Store) error { return s.MayWrite(t.Context()) },
		"slices of it": func(s *state.Store) error { return sliced(t, s) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, path, state.Options{SkipCheck: name != "a start"})
			defer s.Close()
			s.Exec(t, `DELETE FROM setting WHERE name = 'checked'`)
			if err := look(s); err != nil {
				t.Fatal(err)
			}
			s.Misplace(t)
			if err := s.MayWrite(t.Context()); err != nil {
				t.Errorf("it was looked at again: %v", err)
			}
			s.Exec(t, `REINDEX entry_ref`)
		})
	}
}

// sliced looks at all of a file, a slice at a time.
func sliced(t *testing.T, s *state.Store) (err error) {
	for at, done := (state.Slice{}), false; !done && err == nil; {
		at, done, err = s.CheckSlice(t.Context(), at)
	}
	return err
}
