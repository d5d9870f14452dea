package state_test

import (
	"path/filepath"
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
