package trust

import (
	"context"
	"time"

	"nightporter/sync/record"
)

// A person who answers --again says that a side was put back to an older copy. That holds for what the run
// found to be an older copy (rolled_back), and for linked records that are missing (shrink, empty, account).
// What the copy lacks explains why it is missing. So it is no loss that stops the job once more, and no
// record across goes because of it: it is made anew.

// saysBack reports whether a side was put back to an older copy, by what the run found or by what a person
// answered.
func saysBack(h record.Question) bool {
	return h.Cause == record.HaltRolledBack || h.SaysLost() && h.Choice == record.Again
}

// AnsweredBack returns what a person answered about a side that was put back to an older copy; false if nothing was
// answered. If the side was put back several times, the answer about the copy that was found last counts.
func (r *Room) AnsweredBack(side record.Side) (last record.Question, answered bool) {
	for _, h := range r.OpenHalts {
		if h.Side == side && h.Choice != "" && saysBack(h) && (!answered || foundAt(h).After(foundAt(last))) {
			last, answered = h, true
		}
	}
	return last, answered
}

// foundAt is when what a halt is about was found.
func foundAt(h record.Question) time.Time {
	if h.Rests.At.IsZero() {
		return h.Opened
	}
	return h.Rests.At
}

// LossRests is what a halt about missing records rests on, by their numbers. It keeps the time when the loss was
// found as long as nobody has answered.
func (r *Room) LossRests(side record.Side, nums []int64) record.Rests {
	rests := record.RestsOnEntries(nums)
	rests.At = r.foundSince(side, record.Question.SaysLost)
	return rests
}

// foundSince is when the question of a sort that nobody has answered yet was found; now if there is none.
func (r *Room) foundSince(side record.Side, is func(record.Question) bool) time.Time {
	for _, h := range r.OpenHalts {
		if h.Side == side && h.Choice == "" && is(h) {
			return foundAt(h)
		}
	}
	return r.Now
}

// AgainExplains reports whether an answered --again explains why a linked record is missing: the copy lacks it.
func (r *Room) AgainExplains(ctx context.Context, side record.Side, e record.Entry) (bool, error) {
	return r.CopyLacks(ctx, side, e.Num, r.Now)
}
