package run

import (
	"context"
	"strconv"
	"time"

	"nightporter/sync/record"
)

// How much is read at a time.
const (
	Batch     = 500 // entries and links read from the store at once
	ReadsByID = 500 // reads by id that a run makes at most, not counting those before writes
)

// Judge stores what is to be thought of a record, and why.
func (r *Run) Judge(ctx context.Context, e record.Entry, st record.EntryState, why string) error {
	r.Illegibles[e.Place.Side] = nil
	return r.store.Judge(ctx, r.Lease, e.Num, st, why, time.Time{}, time.Now())
}

// Progress tells whoever waits how far the run is.
func (r *Run) Progress(p Progress) {
	if r.Options.Progress != nil {
		r.Options.Progress(p)
	}
}

// KeyOf names what an action is about: a link, or the record that it is made from.
func KeyOf(link record.LinkID, from int64) string {
	if link != 0 {
		return "l" + strconv.FormatInt(int64(link), 10)
	}
	return "e" + strconv.FormatInt(from, 10)
}
