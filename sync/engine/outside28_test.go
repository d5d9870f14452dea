package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// lostCreate is a world whose left has made a record on the right, of which no answer came.
func lostCreate(t *testing.T) *world {
	w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {}}})
	w.put(record.Left, 1, map[string]string{"name": "Anna", "note": "quiet"})
	w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
	w.run(engine.Options{Yes: true})
	return w
}

// A run that looks at one side alone reads the other's list for a create of its own. What
// that list shows of a create that was never answered is nobody's new record.
func TestOutside28ListReadForAnotherCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lostCreate(t)
		defer w.close()
		w.edit(record.Left, 1, "phone", phoneOf(5)) // nothing matches the two any more
		w.put(record.Left, 2, map[string]string{"name": "Bert"})
		w.run(engine.Options{Yes: true, Skip: [2]bool{record.Right: true}})
		if got := w.picture(record.Left); len(got) != 2 {
			t.Errorf("the left has %q, want the two that were entered there", got)
		}
		w.rest()
		if got := w.both(); len(w.picture(record.Left)) != 2 || len(w.picture(record.Right)) != 2 {
			t.Errorf("in the end there are\n%s\nwant two on each side", got)
		}
	})
}

// A side that a run would pass over is read where its list alone tells what became of a
// create: in the first run once that can be told, and then ever more seldom.
func TestOutside28ListIsOwed(t *testing.T) {
	for name, tt := range map[string]struct {
		applied bool
		pages   int
	}{"applied": {true, 1}, "not applied": {false, 2}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {}}})
				defer w.close()
				w.put(record.Left, 1, map[string]string{"name": "Anna"})
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: tt.applied})
				w.run(engine.Options{Yes: true})
				left := engine.Options{Yes: true, Skip: [2]bool{record.Right: true}}
				if got := w.run(left).Counts["right.pages"]; got != 0 {
					t.Errorf("before it can be told: read %d pages of the right, want none", got)
				}
				w.tick(settle)
				for range tt.pages {
					w.run(left)
				}
				w.run(left)
				if got := w.picture(record.Right); len(got) != 1 {
					t.Errorf("the right has %q, want one record", got)
				}
				if got := w.run(left).Counts["right.pages"]; got != 0 {
					t.Errorf("once it is told: read %d pages of the right, want none", got)
				}
				w.rest()
				if due := w.due(); len(due) > 0 {
					t.Errorf("a plan still has %v", due)
				}
			})
		})
	}
}

// Lists that tell nothing are read ever more seldom.
func TestOutside28ListThatTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Total: true}}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Anna"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFetch, Times: -1, Drop: 1}) // it ends before the total
		w.tick(settle)
		pages := int64(0)
		for range 100 {
			pages += w.run(engine.Options{Yes: true, Skip: [2]bool{record.Right: true}}).Counts["right.pages"]
		}
		if pages < 3 || pages > 15 {
			t.Errorf("100 runs in 200 seconds read %d pages, want a few", pages)
		}
	})
}

// What a rule put aside before anybody asked whether a create of ours had made it is found
// all the same.
func TestOutside28PutAsideByARule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lostCreate(t)
		defer w.close()
		ctx := context.Background()
		place := record.Place{Binding: job, Side: record.Right}
		w.run(engine.Options{Dry: true}) // it is seen, and nothing else
		there := w.sys[record.Right].All(kinds[record.Right])
		e, ok, err := w.store.Entry(ctx, place, there[0].Ref)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		lease, err := w.store.Begin(ctx, job, false, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if err := w.store.Park(ctx, lease, e.Num, record.LeftOut, "", "by a rule"); err != nil {
			t.Fatal(err)
		}
		w.edit(record.Left, 1, "phone", phoneOf(5)) // nothing matches the two any more
		w.rest()
		if got := w.picture(record.Right); len(got) != 1 {
			t.Errorf("the right has %q, want the one record", got)
		}
		if p, ok, err := w.store.PairOf(ctx, place, there[0].Ref); err != nil || !ok || p.State != record.LinkLive {
			t.Errorf("it is linked: %t, %v, %v", ok, p.State, err)
		}
	})
}
