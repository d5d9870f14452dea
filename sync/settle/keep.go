package settle

import (
	"context"
	"time"

	"nightporter/sync/guards"
	"nightporter/sync/record"
)

// EndUnmet ends a create without an answer if its source is not linked with the record that came: the source is
// held, left out or waits, or another link takes it over. What came is then a record without a link like any
// other. num is the source.
func (r *Room) EndUnmet(ctx context.Context, num int64) error {
	id := r.match.Meeting[num]
	if id == "" {
		return nil
	}
	delete(r.match.Meeting, num)
	return r.store.FailIntent(ctx, r.Lease, id, record.Cancelled, "", guards.KeyHeld, time.Now())
}
