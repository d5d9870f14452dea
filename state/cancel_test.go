package state_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"nightporter/state/statetest"
)

// cancelled starts writes and reads and cancels them after ever longer moments.
func cancelled(t *testing.T, h *statetest.House) {
	t.Helper()
	if err := h.Store.See(t.Context(), h.Lease, guests, "m", seen("first", 10)); err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			_ = h.Store.See(ctx, h.Lease, guests, "m", seen(fmt.Sprint(n), 10_000))
			_, _ = h.Store.Unlinked(ctx, guests, 0, 100)
		})
		for range n * 200 {
			if ctx.Err() != nil {
				break
			}
		}
		cancel()
		wg.Wait()
	}
}
