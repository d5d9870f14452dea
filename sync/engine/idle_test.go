package engine_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// counting counts what a run reads and stores one by one.
type counting struct {
	*state.Store
	pairs, adopts int
}

func (c *counting) Pair(ctx context.Context, link record.LinkID) (record.Pair, bool, error) {
	c.pairs++
	return c.Store.Pair(ctx, link)
}

func (c *counting) Adopt(ctx context.Context, l record.Lease, link record.LinkID, bases [2]record.Fields, now time.Time) error {
	c.adopts++
	return c.Store.Adopt(ctx, l, link, bases, now)
}

// A difference that stands for good is shown by every run, and stored by none: stored,
// the record across, which is as it was, would be read anew by every run, too.
func TestStandingDifferenceIsNotStoredAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for i, rule := range w.eng.Jobs[job].Rules.Merge {
			if rule.Field == "note" { // it never goes out
				w.eng.Jobs[job].Rules.Merge[i].To = merge.ToRight
			}
		}
		for n := range 3 {
			w.put(record.Left, n+1, map[string]string{"name": fmt.Sprint("Guest ", n), "note": "old"})
		}
		w.rest()
		for n := range 3 {
			w.edit(record.Right, n+1, "note", "the desk's own")
		}
		w.rest()
		store := &counting{Store: w.store}
		w.eng.Stores = storesOf(t, store)
		rep := w.run(engine.Options{Yes: true})
		if got := rep.Counts["drifts"]; got != 3 {
			t.Errorf("differences shown: got %d, want 3", got)
		}
		if got := rep.Counts["left.decoded"] + int64(store.adopts); got != 0 {
			t.Errorf("records across read anew, and pairs stored: got %d (%v), want none", got, rep.Counts)
		}
		w.edit(record.Left, 2, "note", "new")
		w.rest()
		if got, want := w.value(record.Right, 2, "note"), "new"; got != want {
			t.Errorf("an edit on the side that counts: got %q, want %q", got, want)
		}
	})
}

// The desk is told of a booking that it does not answer, and one that it has answered
// is not looked at by every run to come.
func TestAnsweredBookingIsNotReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.eng.Jobs[job].Booking = &engine.Booking{
			Status: "note", Authority: record.Right, Pending: "option", AnswerWithin: 5 * time.Minute, First: "mail", Last: "mail",
		}
		for n := range 3 {
			w.put(record.Left, n+1, map[string]string{"name": fmt.Sprint("Guest ", n), "note": "confirmed", "mail": "2100-01-01"})
		}
		w.run(engine.Options{Yes: true})
		w.edit(record.Right, 1, "note", "confirmed")
		w.edit(record.Right, 2, "note", "confirmed")
		w.tick(6 * time.Minute)
		if got := w.run(engine.Options{Yes: true}).Counts["unanswered"]; got != 1 {
			t.Errorf("bookings without an answer: got %d, want 1", got)
		}
		store := &counting{Store: w.store}
		w.eng.Stores = storesOf(t, store)
		w.run(engine.Options{Yes: true})
		if store.pairs != 1 {
			t.Errorf("bookings read: got %d, want the one without an answer", store.pairs)
		}
		w.edit(record.Right, 3, "note", "confirmed")
		w.run(engine.Options{Yes: true})
		store.pairs = 0
		w.run(engine.Options{Yes: true})
		if store.pairs != 0 {
			t.Errorf("bookings read when all are answered: got %d, want none", store.pairs)
		}
	})
}
