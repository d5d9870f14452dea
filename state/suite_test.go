package state_test

import (
	"path/filepath"
	"testing"

	"nightporter/state"
	"nightporter/state/statetest"
)

func onDisk(t *testing.T) *state.Store {
	t.Helper()
	s, err := state.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func inMemory(t *testing.T) *state.Store {
	t.Helper()
	s, err := state.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestOnDisk(t *testing.T) { statetest.Run(t, onDisk) }

func TestInMemory(t *testing.T) { statetest.Run(t, inMemory) }
