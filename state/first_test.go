package state_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"nightporter/state"
)

// Several that open one new file at the same moment, as a service and a command do, all
// get it: one makes it, and the others wait.
func TestOpenAtOnce(t *testing.T) {
	for range 5 {
		path := filepath.Join(t.TempDir(), "state.db")
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				s, err := state.Open(t.Context(), path, state.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// While one waits for its turn, another file is put in the place of the one that it was to
// make: that is the one it opens.
func TestOpenWhileAnotherIsPutThere(t *testing.T) {
	dir := t.TempDir()
	whole, path := filepath.Join(dir, "whole.db"), filepath.Join(dir, "state.db")
	register(t, open(t, whole, state.Options{}))
	copied := filepath.Join(dir, "copy.db")
	if err := open(t, whole, state.Options{}).CopyTo(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	release := state.HoldFile(t, path)
	opened := make(chan *state.Store)
	go func() {
		s, err := state.Open(t.Context(), path, state.Options{})
		if err != nil {
			t.Error(err)
		}
		opened <- s
	}()
	for _, err := os.Stat(path); err != nil && t.Context().Err() == nil; _, err = os.Stat(path) { // it looks before it waits
		runtime.Gosched()
	}
	if err := os.Rename(copied, path); err != nil {
		t.Fatal(err)
	}
	release()
	s := <-opened
	if s == nil {
		return
	}
	defer s.Close()
	l, err := s.Begin(t.Context(), "guests", false, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Holds(t.Context(), l); err != nil {
		t.Errorf("what is written is not what is read: %v", err)
	}
	runs, err := s.Runs(t.Context(), "guests", 10)
	if err != nil || len(runs) != 2 {
		t.Errorf("got %d runs, %v; want that of the file put there, and this one", len(runs), err)
	}
}

// What was opened before another file was put in its place is not what jobs run on.
func TestLockWhatWasReplaced(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "state.db"), filepath.Join(dir, "copy.db")
	s := open(t, path, state.Options{})
	if err := s.CopyTo(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(copied, path); err != nil {
		t.Fatal(err)
	}
	if err := s.Lock(t.Context(), "nightporter serve", noon); !errors.Is(err, state.ErrReplaced) {
		t.Errorf("lock: got %v, want %v", err, state.ErrReplaced)
	}
	if err := s.TakeOver(t.Context(), "nightporter serve", 0, noon); !errors.Is(err, state.ErrReplaced) {
		t.Errorf("take over: got %v, want %v", err, state.ErrReplaced)
	}
	if err := open(t, path, state.Options{}).Lock(t.Context(), "nightporter serve", noon); err != nil {
		t.Errorf("the one put there: %v", err)
	}
}
