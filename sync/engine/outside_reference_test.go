package engine_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// A reference was edited on both sides, and a value was typed for it. What a side writes of it is
// worked out from whom the other one names, so that each would get the other's guest: both stay, and
// the question is open until one of the two sides is chosen.
func TestOutsideAReferenceIsNotSwapped(t *testing.T) {
	for _, said := range []string{"an id", "an entity", "nobody"} {
		t.Run(said, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{})
				defer w.close()
				w.payers()
				w.eng.Jobs[job].Rules.Merge[1].Policy = merge.Person
				for n := range 4 {
					w.put(record.Left, n, nil)
				}
				w.rest()
				w.pays(record.Left, 0, 1)
				w.pays(record.Right, 0, 2)
				w.rest()
				third, _ := w.find(record.Left, 3)
				value := map[string]record.Value{
					"an id":     record.OfMap(map[string]record.Value{"id": record.OfText(third.Ref.ID)}),
					"an entity": record.OfText(w.entityOf(record.Left, 3)),
					"nobody":    record.Nothing(),
				}[said]
				w.must(w.store.Choose(t.Context(), w.heldOn("payer").ID, "value", value, time.Now()))
				for range 3 {
					w.rest()
					w.wantPayers(1, 2)
				}
				w.must(w.store.Choose(t.Context(), w.heldOn("payer").ID, "right", record.Value{}, time.Now()))
				w.rest()
				w.wantPayers(2, 2)
				w.idle(2)
			})
		})
	}
}

// pays has a record of a side name another one as its payer.
func (w *world) pays(side record.Side, n, payer int) {
	w.Helper()
	p, ok := w.find(side, payer)
	if !ok {
		w.Fatalf("there is no record %d on the %s", payer, side)
	}
	w.edit(side, n, "mail", p.Ref.ID)
}

// wantPayers fails the test unless both sides name these as the payer of the first record.
func (w *world) wantPayers(left, right int) {
	w.Helper()
	for side, n := range [2]int{left, right} {
		p, _ := w.find(record.Side(side), n)
		if got := w.value(record.Side(side), 0, "mail"); got != p.Ref.ID {
			w.Errorf("the %s names %q, want %q:\n%s", record.Side(side), got, p.Ref.ID, w.both())
		}
	}
}

// entityOf is what the link of a record stands for.
func (w *world) entityOf(side record.Side, n int) string {
	w.Helper()
	rec, _ := w.find(side, n)
	p, ok, err := w.store.PairOf(context.Background(), record.Place{Binding: job, Side: side}, rec.Ref)
	if err != nil || !ok {
		w.Fatal(fmt.Sprint(ok, err))
	}
	return p.Entity
}
