package run

import (
	"context"
	"strconv"
	"time"

	"nightporter/sync/record"
)

const (
	Batch     = 500 // entries and links read from the store at once
	ReadsByID = 500 // reads by id that a run makes at most, not counting those before writes
)

func (r *Run) Judge(ctx context.Context, e record.Entry, st record.EntryState, why string) error {
	r.Illegibles[e.Place.Side] = nil
	return r.store.Judge(ctx, r.Lease, e.Num, st, why, time.Time{}, time.Now())
}

func (r *Run) Progress(p Progress) {
	if r.Options.Progress != nil {
		r.Options.Progress(p)
	}
}

func KeyOf(link record.LinkID, from int64) string {
	if link != 0 {
		return "l" + strconv.FormatInt(int64(link), 10)
	}
	return "e" + strconv.FormatInt(from, 10)
}
