package engine_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A record leaves before it is made across. A list that is not whole does not show that,
// whichever sort it is: the record is read by id, and nothing is made of what is gone.
func TestSourceOfACreateLeft(t *testing.T) {
	changes := memory.Kind{Since: true, Times: true, Total: true, EndByEmpty: true}
	for _, tt := range []struct {
		name  string
		kind  memory.Kind
		fault memory.Fault // of the list that is read after one record left
		full  bool
		flaws int64
	}{
		{"the list of what changed is whole", changes, memory.Fault{}, false, 0},
		{"the list of what changed ends too early", changes, memory.Fault{Empty: true, Skip: 1}, false, 1},
		{"the whole list is cut short, and so is the next", memory.Kind{Total: true}, memory.Fault{Drop: 1, Times: 2}, true, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, tt.kind}})
				defer w.close()
				w.put(record.Right, 1, map[string]string{"name": "Anna"})
				w.put(record.Right, 2, map[string]string{"name": "Bert"})
				w.run(engine.Options{Dry: true})
				w.tick(time.Minute)
				w.remove(record.Right, 1)
				w.edit(record.Right, 2, "name", "Berta")
				if tt.flaws > 0 {
					tt.fault.Call = memory.CallFetch
					w.sys[record.Right].Inject(tt.fault)
				}
				rep := w.run(engine.Options{Yes: true, Full: tt.full})
				if got := rep.Counts["right.incomplete"]; got != tt.flaws {
					t.Fatalf("the right was not read whole %d times, want %d", got, tt.flaws)
				}
				if _, made := w.find(record.Left, 1); made {
					t.Errorf("the left has %q: what left the right was made there", w.picture(record.Left))
				}
				w.rest()
				if l, r := w.picture(record.Left), w.picture(record.Right); !slices.Equal(l, r) || len(l) != 1 {
					t.Errorf("in the end the left has %q and the right %q", l, r)
				}
			})
		})
	}
}

// A record leaves within the settle time after a list showed it first. A read by id that does
// not find it may lag behind that list, so that it is not believed gone: nothing is made of it
// either.
func TestSourceOfACreateLeftAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Total: true}}})
		defer w.close()
		w.put(record.Right, 1, map[string]string{"name": "Anna"})
		w.put(record.Right, 2, map[string]string{"name": "Bert"})
		w.run(engine.Options{Dry: true})
		w.tick(settle / 4)
		w.remove(record.Right, 1)
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFetch, Drop: 1, Times: 2})
		rep := w.run(engine.Options{Yes: true, Full: true})
		if got := rep.Counts["right.incomplete"]; got != 1 {
			t.Fatalf("the right was not read whole %d times, want once", got)
		}
		if _, made := w.find(record.Left, 1); made {
			t.Errorf("the left has %q: what a read by id did not find was made there", w.picture(record.Left))
		}
		w.rest()
		if l, r := w.picture(record.Left), w.picture(record.Right); !slices.Equal(l, r) || len(l) != 1 {
			t.Errorf("in the end the left has %q and the right %q", l, r)
		}
	})
}

// A list that an earlier run began, and that this one ended, shows as little of what left
// since its first page was read.
func TestSourceOfACreateLeftAfterItsPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {PageSize: 1}}})
		defer w.close()
		w.put(record.Right, 1, map[string]string{"name": "Anna"})
		w.put(record.Right, 2, map[string]string{"name": "Bert"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFetch, Skip: 1, Class: connectors.Transient})
		if _, err := w.try(engine.Options{Yes: true}); err == nil {
			t.Fatal("the list was read to its end: nothing is tested")
		}
		w.tick(time.Hour)
		w.remove(record.Right, 1)
		w.run(engine.Options{Yes: true})
		if _, made := w.find(record.Left, 1); made {
			t.Errorf("the left has %q: what left the right was made there", w.picture(record.Left))
		}
		w.rest()
		if l, r := w.picture(record.Left), w.picture(record.Right); !slices.Equal(l, r) || len(l) != 1 {
			t.Errorf("in the end the left has %q and the right %q", l, r)
		}
	})
}
