package proof

import (
	"context"
	"errors"
	"fmt"

	"nightporter/sync/match"
	"nightporter/sync/record"
)

// SourceNow reads by id the record that another one is to be made from, if no list of this run showed it. If one
// did, the record is known well enough and SourceNow reports false. A list of what changed does not tell that a
// record left, nor does one that is not whole. A list that an earlier run began may show on its first pages what
// has left since. And the source of a create that had to wait may have left long ago.
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

// SourceThere reports whether the record that an open create was made from is there, as far as anybody knows: what
// somebody has removed since is not sent again. known is false if the record can't be read now. failed counts such
// records: one does not end the run.
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
