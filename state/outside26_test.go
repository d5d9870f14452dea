package state

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Whoever may write in the folder of the state can't have us write another file: what we
// make there is made anew, and a lock that is a link is refused.
func TestOutside26NothingIsWrittenThroughLinks(t *testing.T) {
	const theirs = "another file\n"
	for _, tt := range []struct {
		name string
		link func(path string) string
		do   func(t *testing.T, s *Store, path string) error
		want error
	}{
		{"generation", func(path string) string { return generationName(path) + partial }, locked, nil},
		{"reserve", reserveName, locked, nil},
		{"lock", lockName, locked, errLink},
		{"taken over", lockName, func(t *testing.T, s *Store, _ string) error {
			return s.TakeOver(t.Context(), "nightporter serve", 0, time.UnixMilli(1_800_000_000_000))
		}, nil},
		{"looked at", lockName, func(t *testing.T, _ *Store, path string) error {
			_, err := heldByOther(t.Context(), path)
			return err
		}, errLink},
		{"holder", lockName, func(_ *testing.T, _ *Store, path string) error {
			if err := writeHolder(lockName(path), Holder{}); err == nil && noFollow != 0 {
				return errors.New("the holder was written through a link")
			}
			return nil
		}, nil},
		{"key", func(path string) string { return path + ".key" + partial }, func(_ *testing.T, _ *Store, path string) error {
			return makeKey(path + ".key")
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path, other := filepath.Join(dir, "state.db"), filepath.Join(dir, "other")
			s, err := Open(t.Context(), path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := remove(tt.link(path)); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.WriteFile(other, []byte(theirs), 0o600), os.Symlink(other, tt.link(path))); err != nil {
				t.Fatal(err)
			}
			if err := tt.do(t, s, path); !errors.Is(err, tt.want) {
				t.Errorf("got error %v, want %v", err, tt.want)
			}
			if b, err := os.ReadFile(other); err != nil || string(b) != theirs {
				t.Errorf("the file behind the link: %d bytes, %v, want it as it was", len(b), err)
			}
		})
	}
}

// locked takes the state and has it note a run.
func locked(t *testing.T, s *Store, _ string) error {
	if err := s.Lock(t.Context(), "nightporter serve", time.UnixMilli(1_800_000_000_000)); err != nil {
		return err
	}
	return s.writeGeneration(3)
}
