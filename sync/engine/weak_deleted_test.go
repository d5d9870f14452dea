package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// tellsGone is a system that shows what changed, and goes on showing what was removed.
var tellsGone = memory.Kind{Delete: true, Since: true, Times: true, ShowsGone: true}

// What a list of changes shows as removed, and a read by its id does not find, is gone: no
// whole list is waited for. What was removed before it was known is not made across.
func TestWeakListTellsWhatWasRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := bereft(t, setting{kinds: [2]memory.Kind{tellsGone, tellsGone}, gone: both(away.GoneDelete)})
		defer w.close()
		w.put(record.Left, 7, map[string]string{"name": "never known"})
		w.remove(record.Left, 7)
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true})
		if got, e := w.has(0), w.entryOf(record.Left, w.gone0()); got != "" || e.State != record.Gone {
			t.Errorf("who was removed is on %q, and is %q there", got, e.State)
		}
		if got := w.has(7); got != "" {
			t.Errorf("who was removed before anybody knew is on %q", got)
		}
		w.idle(2)
		w.tick(25 * time.Hour) // a whole list shows them, too
		w.run(engine.Options{Yes: true})
		if got := w.has(0) + w.has(7); got != "" {
			t.Errorf("after a whole list they are on %q", got)
		}
	})
}

// A list that says of a record that it was removed proves nothing while a read by its id
// finds it.
func TestWeakListAloneTellsNoRemoval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lags := tellsGone
		lags.GetLag = time.Hour
		w := newWorld(t, setting{kinds: [2]memory.Kind{lags, tellsGone}, gone: both(away.GoneDelete)})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "Ada"})
		w.put(record.Left, 1, map[string]string{"name": "Bea"})
		w.tick(2 * time.Hour)
		w.rest()
		w.remove(record.Left, 0)
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true})
		if got, e := w.has(0), w.entryOf(record.Left, w.gone0()); got != "r" || e.State != record.InStep {
			t.Errorf("a read by id finds it: it is on %q, and is %q there", got, e.State)
		}
	})
}

// What a list says was removed counts for the guards as what is missing from one: more than
// may go at once are no reason to delete anything.
func TestWeakListThatTellsOfManyRemovals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := bereft(t, setting{
			kinds: [2]memory.Kind{tellsGone, tellsGone}, gone: both(away.GoneDelete), guards: guard.Guards{Deletes: guard.Limit{Run: guard.Amount{Count: 1}}},
		})
		defer w.close()
		w.remove(record.Left, 1)
		w.tick(time.Minute)
		w.run(engine.Options{})
		if got := w.has(0) + w.has(1); got != "rr" {
			t.Errorf("two were removed where one may be: they are on %q", got)
		}
	})
}

// What a list only shows to say that it was removed is none of the records that must be there
// for the system to be the one we know.
func TestWeakListThatTellsOfRemovalsIsTheSameSystem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := tellsGone
		one.PageSize, one.Since = 1, false // of each page a record is drawn
		w := newWorld(t, setting{kinds: [2]memory.Kind{one, one}, gone: both(away.GoneDelete)})
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "x"})
		}
		w.rest()
		w.remove(record.Left, 0)
		w.remove(record.Left, 1)
		w.tick(time.Minute)
		for range 3 {
			w.edit(record.Left, 2, "name", w.value(record.Left, 2, "name")+"x")
			rep, err := w.try(engine.Options{Yes: true})
			if err != nil {
				t.Fatalf("got %v %+v, want the two removed", err, rep.Halts)
			}
		}
		if got := w.has(0) + w.has(1) + w.has(2); got != "lr" {
			t.Errorf("they are on %q, want the third alone on both", got)
		}
	})
}
