package state_test

import (
	"context"
	"errors"
	"testing"

	"nightporter/state"
	"nightporter/sync/record"
)

// What was cancelled before a read fails it.
func TestACancelledReadFails(t *testing.T) {
	s := open(t, t.TempDir()+"/state.db", state.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, rows := s.Halts(ctx, record.Binding("guests"))
	for name, err := range map[string]error{"of rows": rows, "of one row": s.Holds(ctx, record.Lease{Binding: "guests", Epoch: 1})} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a read %s: got error %v, want %v", name, err, context.Canceled)
		}
	}
}
