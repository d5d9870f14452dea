package observe

import (
	"context"
	"fmt"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// readUnlisted reads by id the linked records that a list does not show although they are there, as many as a run
// reads. What they hold is an observation like any other: many systems stop listing a record that is cancelled or
// was moved out of the window, and nothing else shows such a record. left is the records for which nothing tells
// why the list does not show them. If there are more than a run reads, each run begins with others.
func (r *Room) readUnlisted(ctx context.Context, side record.Side, lost run.Loss) (left run.Loss, err error) {
	es, err := r.store.Entries(ctx, lost.Nums)
	if err != nil {
		return left, err
	}
	n, failed := len(lost.Nums), 0
	for i := range n {
		e := es[lost.Nums[(i+int(r.Lease.Run%int64(n))*run.ReadsByID)%n]]
		if i >= run.ReadsByID {
			left.Add(e)
			continue
		}
		if err := r.BetweenRequests(ctx); err != nil {
			return left, err
		}
		err := r.ReadEntry(ctx, side, e)
		if stop := r.PassOver(side, err, &failed); stop != nil {
			return left, fmt.Errorf("read %s, which the list does not show: %w", e.Ref, stop)
		}
		if err != nil {
			r.NoteUnread(side, e.Ref, err)
		}
		now, _, err := r.store.Entry(ctx, r.Place(side), e.Ref)
		if err != nil {
			return left, err
		}
		if now.State != record.OutOfScope && now.State != record.Gone && !r.HasEnded(side, now) {
			left.Add(now)
		}
	}
	return left, nil
}
