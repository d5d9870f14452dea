package proof

import (
	"context"
	"errors"
	"fmt"

	"nightporter/sync/match"
	"nightporter/sync/record"
)

// SourceNow reads the record by id that another is made from, where no whole list of this
// run showed it. Neither a list of what changed nor one that is not whole tells that a
// record left, nor one that an earlier run began, of which left what its first pages
// showed; and one whose create had to wait may have left long ago. What a list of
// this run did show is known well enough: then it reports false.
func (r *Room) SourceNow(ctx context.Context, side record.Side, e record.Entry) (record.Entry, bool, error) {
	if e.Seen == nil || r.OfThisRun(e.Seen.At) {
		return e, false, nil
	}
	if err := r.observe.Refresh(ctx, side, e.Ref); err != nil {
		return e, false, fmt.Errorf("look whether %s is still there: %w", e.Ref, err)
	}
	now, _, err := r.store.Entry(ctx, r.Place(side), e.Ref)
	return now, true, err
}

// SourceThere reports whether the record that an open create was made from is there as
// far as anybody knows: what somebody has removed since is not sent again. Where it can't
// be read now nothing is known. failed counts such records: one stops nothing.
func (r *Room) SourceThere(ctx context.Context, in record.Intent, failed *int) (there, known bool, err error) {
	es, err := r.store.Entries(ctx, []int64{in.From})
	if err != nil {
		return false, false, err
	}
	from, e := in.Place.Side.Other(), es[in.From]
	if r.observe.Showed[from] || match.Departed(e) {
		return !match.Departed(e), true, nil
	}
	now, read, err := r.SourceNow(ctx, from, e)
	if stop := r.observe.PassOver(from, err, failed); stop != nil {
		return false, false, stop
	}
	if read && now.State == record.Quarantined {
		err = errors.New(now.Why)
	}
	if err != nil {
		r.NoteUnread(from, e.Ref, err)
		return false, false, nil
	}
	return !match.Departed(now), true, nil
}
