package run

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// KeepConflicts makes these the open conflicts of a link.
func (r *Run) KeepConflicts(ctx context.Context, link record.LinkID, conflicts []record.Question) error {
	now := time.Now()
	cs := make([]record.Question, len(conflicts))
	for i, c := range conflicts {
		c.Link, c.Binding, c.Opened, c.Run = link, r.Job.Binding, now, r.Lease.Run
		cs[i] = c
	}
	if err := r.store.Ask(ctx, r.Lease, link, 0, cs, now); err != nil {
		return fmt.Errorf("note conflicts of link %d: %w", link, err)
	}
	return nil
}
