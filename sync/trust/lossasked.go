package trust

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/record"
)

// askedLoss is the question whether all linked records of a side were removed. It covers the records that were
// linked when it was first asked: each run reads another sample, and a record that was linked later was there then.
type askedLoss struct {
	at       time.Time // zero: it was not asked yet
	accepted bool
}

// askedOfLoss returns the open question about a side, the zero askedLoss if there is none.
func (r *Room) askedOfLoss(side record.Side) (l askedLoss) {
	for _, h := range r.OpenHalts {
		if h.Cause != record.HaltIdentity || h.Side != side {
			continue
		}
		l = askedLoss{at: h.Rests.At, accepted: h.Choice == record.Accepted}
		if l.at.IsZero() {
			l.at = h.Opened
		}
	}
	return l
}

// lostBy reports whether all these records were linked when the question was asked. Then the answer to
// it covers them. It is false if nothing was asked.
func (r *Room) lostBy(ctx context.Context, l askedLoss, gone []record.Entry) (bool, error) {
	for _, e := range gone {
		pair, _, err := r.store.Pair(ctx, e.Link)
		if err != nil {
			return false, fmt.Errorf("look when %s was linked: %w", e.Ref, err)
		}
		if pair.Made.After(l.at) {
			return false, nil
		}
	}
	return !l.at.IsZero(), nil
}

// endRefound ends the question for each side on which the linked records were found again, whatever a
// person answered. If they are missing later, that is another loss.
func (r *Room) endRefound(ctx context.Context, now time.Time) error {
	var keep []record.Question
	over := false
	for _, h := range r.OpenHalts {
		if h.Cause == record.HaltIdentity && r.refound[h.Side] {
			over = true
		} else if h.Cause == record.HaltIdentity {
			keep = append(keep, h)
		}
	}
	if !over {
		return nil
	}
	r.OpenHalts = slices.DeleteFunc(r.OpenHalts, func(h record.Question) bool { return h.Cause == record.HaltIdentity && r.refound[h.Side] })
	return r.store.Stand(ctx, r.Lease, []record.Cause{record.HaltIdentity}, keep, now)
}
