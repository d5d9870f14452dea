package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A list that shows a field no more is read in parts, by runs that are cut off and by the one
// that reads its end, which has too few rows to tell by itself. What the runs before had read
// counts: the job stands still. Of a run that was killed the next whole list tells.
func TestWeakSchemaHaltCountsWhatWasCutOff(t *testing.T) {
	for _, c := range []struct {
		name        string
		cut, killed []int // after how many pages runs are cut off, and killed
		dry         bool  // the run that is cut off writes nothing
		lists       int   // whole lists until the job stands still
	}{
		{name: "cut off", cut: []int{3}, lists: 1},
		{name: "cut off twice", cut: []int{2, 1}, lists: 1},
		{name: "a dry run that was cut off", cut: []int{3}, dry: true, lists: 1},
		{name: "killed", killed: []int{3}, lists: 2},
		{name: "cut off, then killed", cut: []int{2}, killed: []int{1}, lists: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {PageSize: 3}}})
				defer w.close()
				for _, side := range record.Sides {
					for i := range 12 {
						w.put(side, i, map[string]string{"name": fmt.Sprint("n", i)})
					}
				}
				w.rest()
				for i := range 12 {
					w.edit(record.Right, i, "note", fmt.Sprint("note", i))
				}
				w.rest()
				w.hides("their_note")
				for _, pages := range c.cut {
					w.sys[record.Right].Heal()
					w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFetch, Skip: pages, Class: connectors.Transient})
					w.hides("their_note")
					if _, err := w.try(engine.Options{Yes: true, Dry: c.dry}); err == nil || errors.Is(err, engine.ErrHalted) {
						t.Fatalf("the run was not cut off: %v", err)
					}
				}
				for _, pages := range c.killed {
					w.killedAtPage(pages)
				}
				for n := 1; ; n++ {
					rep, err := w.try(engine.Options{Yes: true})
					if errors.Is(err, engine.ErrHalted) && len(rep.Halts) == 1 && rep.Halts[0].Cause == "schema" {
						if n != c.lists {
							t.Errorf("it stands still with whole list %d, want %d", n, c.lists)
						}
						break
					}
					if n > 3 {
						t.Fatalf("it does not stand still: %v, %+v", err, rep.Halts)
					}
				}
				w.sys[record.Right].Heal()
				w.rest()
				if halts, err := w.store.Halts(context.Background(), job); err != nil || len(halts) > 0 {
					t.Errorf("shown again: got %v, %+v", err, halts)
				}
			})
		})
	}
}

// killedAtPage has a run die when it asks the right for a page after so many.
func (w *world) killedAtPage(pages int) {
	w.Helper()
	type death struct{}
	n := 0
	w.sys[record.Right].Hook(memory.Hooks{Step: func(name string) {
		if name == "before fetch "+string(kinds[record.Right]) {
			if n++; n > pages {
				panic(death{})
			}
		}
	}})
	defer func() {
		w.sys[record.Right].Hook(memory.Hooks{})
		w.restart()
		if p := recover(); p != any(death{}) {
			w.Fatalf("it did not die: %v", p)
		}
	}()
	w.run(engine.Options{Yes: true})
}
