package settle

import (
	"context"
	"time"

	"nightporter/sync/guards"
	"nightporter/sync/record"
)

// EndUnmet ends a create without an answer whose source is not linked with what came: it is held, left
// out, or waits, or another link takes it over. What came is a stranger like any other.
func (r *Room) EndUnmet(ctx context.Context, num int64) error {
	id := r.match.Meeting[num]
	if id == "" {
		return nil
	}
	delete(r.match.Meeting, num)
	return r.store.FailIntent(ctx, r.Lease, id, record.Cancelled, "", guards.KeyHeld, time.Now())
}
