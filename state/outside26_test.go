package state

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"nightporter/state/internal/disk"
	"nightporter/sync/record"
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
		{"generation", func(path string) string { return path + ".generation.part" }, locked, nil},
		{"reserve", func(path string) string { return path + ".reserve" }, locked, nil},
		{"lock", disk.LockName, locked, disk.ErrLink},
		{"taken over", disk.LockName, func(t *testing.T, s *Store, _ string) error {
			return s.TakeOver(t.Context(), "nightporter serve", 0, time.UnixMilli(1_800_000_000_000))
		}, nil},
		{"looked at", disk.LockName, func(t *testing.T, _ *Store, path string) error {
			_, err := disk.HeldByOther(t.Context(), path)
			return err
		}, disk.ErrLink},
		{"holder", disk.LockName, func(_ *testing.T, _ *Store, path string) error {
			if err := disk.WriteHolder(disk.LockName(path), Holder{}); err == nil && runtime.GOOS != "windows" {
				return errors.New("the holder was written through a link")
			}
			return nil
		}, nil},
		{"key", func(path string) string { return path + ".key.part" }, func(t *testing.T, s *Store, path string) error {
			return s.KeepDigests(t.Context(), path+".key", []record.Binding{"guests"})
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
			if err := disk.Remove(tt.link(path)); err != nil {
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
	return s.db.WriteGeneration(3)
}
