package sqlite

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// A large file is asked once a day whether it is whole, a small one each time.
func TestCheckedLately(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "state.db")
	reopen := func(query string, args ...any) (checked string) {
		t.Helper()
		s, err := Open(ctx, path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		err = s.Writer.QueryRow(`SELECT coalesce((SELECT value FROM setting WHERE name = 'checked'), '')`).Scan(&checked)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Writer.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
		return checked
	}
	if at := reopen(`INSERT INTO setting (name, value) VALUES ('large', printf('%.*c', ?1, 'x'))`, largeFile); at != "" {
		t.Errorf("a new file was noted as checked at %s", at)
	}
	before := time.Now().UnixMilli()
	first := reopen(`SELECT 1`)
	if at, err := strconv.ParseInt(first, 10, 64); err != nil || at < before {
		t.Fatalf("a large file was checked at %q, want now", first)
	}
	if again := reopen(`SELECT 1`); again != first {
		t.Errorf("it was checked again, at %s", again)
	}
	for name, at := range map[string]time.Time{
		"a day ago":              time.Now().Add(-checkEvery),
		"by a clock set forward": time.Now().Add(time.Hour),
	} {
		reopen(`UPDATE setting SET value = ?1 WHERE name = 'checked'`, strconv.FormatInt(at.UnixMilli(), 10))
		if again := reopen(`SELECT 1`); again == strconv.FormatInt(at.UnixMilli(), 10) {
			t.Errorf("checked %s, it was not checked again", name)
		}
	}
}
