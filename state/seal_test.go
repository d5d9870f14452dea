package state_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

func TestKeepDigests(t *testing.T) {
	ctx := context.Background()
	file := filepath.Join(t.TempDir(), "state.db")
	key := file + ".key"
	const job = record.Binding("guests")
	open := func(bindings ...record.Binding) (*state.Store, error) {
		t.Helper()
		s, err := state.Open(ctx, file, state.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if err := s.Register(ctx, job, [2]record.System{"one", "two"}, [2]record.Kind{"contacts", "people"}, nil); err != nil {
			t.Fatal(err)
		}
		return s, s.KeepDigests(ctx, key, bindings)
	}
	plain, err := open()
	if _, gone := os.Stat(key); err != nil || !errors.Is(gone, fs.ErrNotExist) || plain.SealKey(job) != nil {
		t.Fatalf("kept plain: got %v, and a key: %v", err, gone)
	}
	place := record.Place{Binding: job, Side: record.Left}
	see := func(s *state.Store, id, name string) {
		t.Helper()
		l, err := s.Begin(ctx, job, false, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		seen := record.Seen{
			Ref: record.Ref{Kind: "contacts", ID: id}, Keys: []record.Key{{Name: "name", Text: name}},
			Observation: record.Observation{Fields: record.Fields{"x": record.OfText("y")}, At: time.Now()},
		}
		if err := s.See(ctx, l, place, "", []record.Seen{seen}); err != nil {
			t.Fatal(err)
		}
		if err := s.End(ctx, l, record.Done, "", nil, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	see(plain, "1", "Zwiebelfisch")
	plain.Close()

	s, err := open(job)
	if err != nil {
		t.Fatal(err)
	}
	see(s, "2", "Zwiebelfisch")
	found, err := s.Matching(ctx, place, []record.Key{{Name: "name", Text: "Zwiebelfisch"}})
	if err != nil || len(found) != 2 {
		t.Fatalf("by the key: got %d and %v, want the one seen before and the one seen after", len(found), err)
	}
	if again, err := s.Matching(ctx, place, found[0].Keys); err != nil || len(again) != 2 {
		t.Errorf("by the key as it is kept: got %d and %v", len(again), err)
	}
	if none, err := s.Matching(ctx, place, []record.Key{{Name: "other", Text: "Zwiebelfisch"}}); err != nil || len(none) != 0 {
		t.Errorf("by another rule: got %d and %v", len(none), err)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v %v", info, err)
	}
	for _, suffix := range []string{"", "-wal"} {
		if b, err := os.ReadFile(file + suffix); err != nil || bytes.Contains(b, []byte("Zwiebelfisch")) {
			t.Errorf("%q: the name is there, or %v", suffix, err)
		}
	}
	s.Close()

	if _, err := open(); !errors.Is(err, state.ErrSealed) {
		t.Errorf("plain again: got %v", err)
	}
	for name, text := range map[string]string{"another": "00", "a key of its own": string(bytes.Repeat([]byte("00"), 32))} {
		if err := os.WriteFile(key, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := open(job); !errors.Is(err, state.ErrKey) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if _, err := open(job); !errors.Is(err, state.ErrKey) {
		t.Errorf("no key: got %v", err)
	}
	if _, err := os.Stat(key); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a new key was made for digests of another one")
	}
}

// While jobs run, the configuration is read again: at no moment is a binding whose values
// are kept as digests without its key.
func TestKeepDigestsAgain(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	s, err := state.Open(ctx, filepath.Join(dir, "state.db"), state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	again := func() {
		if err := s.KeepDigests(ctx, filepath.Join(dir, "key"), []record.Binding{"guests", "stays"}); err != nil {
			t.Error(err)
		}
	}
	again()
	over, missed := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-over:
				missed <- n
				return
			default:
			}
			if s.SealKey("guests") == nil || s.SealKey("stays") == nil {
				n++
			}
		}
	}()
	for range 300 {
		again()
	}
	close(over)
	if n := <-missed; n > 0 {
		t.Errorf("looks that found no key: got %d, want none", n)
	}
}

// A kill between making the file of the key and writing it leaves an empty one, or one
// beside it. The key that was noted is not made anew.
func TestKeyHalfMade(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	s := open(t, filepath.Join(dir, "state.db"), state.Options{})
	register(t, s)
	for name, text := range map[string]string{key: "", key + ".part": "00"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.KeepDigests(t.Context(), key, []record.Binding{"guests"}); err != nil {
		t.Fatal(err)
	}
	if got := len(s.SealKey("guests")); got != 32 {
		t.Errorf("got a key of %d bytes, want 32", got)
	}
	if left, err := filepath.Glob(key + "?*"); err != nil || left != nil {
		t.Errorf("left beside the key: %v, %v", left, err)
	}
	if err := os.Truncate(key, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.KeepDigests(t.Context(), key, []record.Binding{"guests"}); !errors.Is(err, state.ErrKey) {
		t.Errorf("the key that was used is empty: got %v, want %v", err, state.ErrKey)
	}
}
