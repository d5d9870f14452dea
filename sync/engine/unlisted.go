package engine

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// hasEnded reports whether a record is known to be over: a stay that was cancelled, or one whose
// status is an end.
func (r *run) hasEnded(side record.Side, e record.Entry) bool {
	canonical, _ := r.job.Mapping.Read(side, e.Last())
	if b := r.job.Booking; b != nil && slices.Contains(b.Dead, canonical[b.Status].Text()) {
		return true
	}
	return slices.ContainsFunc(r.job.Rules.Merge, func(rule merge.Rule) bool {
		return plan.Ends(r.job.Rules, rule.Field, canonical[rule.Field].Text())
	})
}

// readUnlisted reads linked records by id that a list does not show and that are there, as many as
// a run reads. What they hold is an observation like any other: records that many systems stop
// listing, as what is cancelled or was moved out of the window, are seen in no other way. It gives
// those of which nothing tells why the list does not show them. Where there are more than a run
// reads, each run begins with others.
func (r *run) readUnlisted(ctx context.Context, side record.Side, lost loss) (left loss, err error) {
	es, err := r.Store.Entries(ctx, lost.nums)
	if err != nil {
		return left, err
	}
	n, failed := len(lost.nums), 0
	for i := range n {
		e := es[lost.nums[(i+int(r.lease.Run%int64(n))*readsByID)%n]]
		if i >= readsByID {
			left.add(e)
			continue
		}
		if err := r.betweenRequests(ctx); err != nil {
			return left, err
		}
		err := r.readEntry(ctx, side, e)
		if stop := r.passOver(side, err, &failed); stop != nil {
			return left, fmt.Errorf("read %s, which the list does not show: %w", e.Ref, stop)
		}
		if err != nil {
			r.noteUnread(side, e.Ref, err)
		}
		now, _, err := r.Store.Entry(ctx, r.place(side), e.Ref)
		if err != nil {
			return left, err
		}
		if now.State != record.OutOfScope && now.State != record.Gone && !r.hasEnded(side, now) {
			left.add(now)
		}
	}
	return left, nil
}
