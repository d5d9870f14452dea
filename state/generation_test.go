package state_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// A copy made while one and the same process holds the file, and put back under it by
// hand later, is known by how far the state had come: with the next run, with the end of
// the very run in which it was made, and where nothing but the file beside it is left.
func TestF09_OlderCopyOfTheSameTerm(t *testing.T) {
	ctx := t.Context()
	run := func(t *testing.T, s *state.Store, copyTo string) {
		t.Helper()
		l, err := s.Begin(ctx, "guests", false, noon)
		if err != nil {
			t.Fatal(err)
		}
		if copyTo != "" {
			if err := s.CopyTo(ctx, copyTo); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.End(ctx, l, record.Done, "", nil, noon); err != nil {
			t.Fatal(err)
		}
	}
	for name, after := range map[string]int{"in the run": 0, "runs ago": 3} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			s, _ := paired(t, path)
			if err := s.Lock(ctx, "nightporter serve", noon); err != nil {
				t.Fatal(err)
			}
			old := filepath.Join(t.TempDir(), "old.db")
			run(t, s, old)
			for range after {
				run(t, s, "")
			}
			s.Close()
			held := func(at time.Time) *state.Store {
				s := open(t, path, state.Options{})
				if err := s.Lock(ctx, "nightporter serve", at); err != nil {
					t.Fatal(err)
				}
				return s
			}
			s = held(noon)
			wantAdoptOnly(t, s, "guests", time.Time{})
			s.Close()
			cp(t, old, path, 0)
			if err := removeAll(path+".lock", path+"-wal", path+"-shm"); err != nil {
				t.Fatal(err)
			}
			s = held(noon.Add(time.Hour))
			wantAdoptOnly(t, s, "guests", noon.Add(time.Hour))
			run(t, s, "")
			s.Close()
			s = held(noon.Add(2 * time.Hour))
			wantAdoptOnly(t, s, "guests", noon.Add(time.Hour)) // told once
		})
	}
}

// A state that is lost, with a new one in its place, is adopt-only as well.
func TestF08_LostState(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "state.db")
	s, _ := paired(t, path)
	if err := s.Lock(ctx, "nightporter serve", noon); err != nil {
		t.Fatal(err)
	}
	l, err := s.Begin(ctx, "guests", false, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.End(ctx, l, record.Done, "", nil, noon); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := removeAll(path, path+".lock", path+"-wal", path+"-shm"); err != nil {
		t.Fatal(err)
	}
	s = open(t, path, state.Options{})
	if err := s.Lock(ctx, "nightporter serve", noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	wantAdoptOnly(t, s, "guests", noon.Add(time.Hour))
}

func removeAll(files ...string) error {
	for _, f := range files {
		if err := os.RemoveAll(f); err != nil {
			return err
		}
	}
	return nil
}
