package serve

import (
	"path/filepath"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/schedule"
	"nightporter/sync/schedule/ledgertest"
)

// The state file's ledger does what the schedule counts on, over restarts too.
func TestLedger(t *testing.T) {
	ledgertest.Test(t, func(t *testing.T) (schedule.Ledger, func() schedule.Ledger) {
		path := filepath.Join(t.TempDir(), "state.db")
		var s *state.Store
		open := func() schedule.Ledger {
			var err error
			if s, err = state.Open(t.Context(), path, state.Options{}); err != nil {
				t.Fatal(err)
			}
			if err := s.Lock(t.Context(), "a test", time.Now()); err != nil {
				t.Fatal(err)
			}
			return ledger{s.Ledger()}
		}
		first := open()
		t.Cleanup(func() { s.Close() })
		return first, func() schedule.Ledger {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open()
		}
	})
}
