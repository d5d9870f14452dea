package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// dies runs the job and ends the process at the first step of that name.
func (w *world) dies(name string) {
	w.Helper()
	type death struct{}
	met := false
	step := func(s string) {
		if s == name && !met {
			met = true
			panic(death{})
		}
	}
	for _, s := range w.sys {
		s.Hook(memory.Hooks{Step: step})
	}
	w.eng.Step = step
	func() {
		defer func() {
			if p := recover(); p != nil {
				if _, ok := p.(death); !ok {
					panic(p)
				}
			}
		}()
		w.run(engine.Options{Yes: true})
	}()
	for _, s := range w.sys {
		s.Hook(memory.Hooks{})
	}
	w.restart()
	if !met {
		w.Fatalf("nothing was killed: there is no step %q", name)
	}
}

// The process dies after the other system has made the record, and before that is
// known here: the record is found, and not made again.
func TestF01_DiesAfterTheCreate(t *testing.T) {
	for _, step := range []string{"applied create people", "after create people", "after send"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{})
			defer w.close()
			w.put(record.Left, 1, map[string]string{"name": "Ada"})
			w.dies(step)
			w.rest()
			if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 1 {
				t.Errorf("killed at %q: %d records on the other side, want 1", step, n)
			}
			if n := w.mutations(); n != 1 {
				t.Errorf("killed at %q: %d writes, want 1", step, n)
			}
			if due := w.due(); len(due) > 0 {
				t.Errorf("killed at %q: still to be done: %v", step, due)
			}
		})
	}
}

// It dies after what it is about to send is written down, and before it is sent: it is
// sent once, after the time in which it could still have shown up.
func TestF02_DiesBeforeTheCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		w.dies("before send")
		w.run(engine.Options{Yes: true})
		if n := w.mutations(); n != 0 {
			t.Errorf("%d writes before the settle time is over, want none: it might have been sent", n)
		}
		w.rest()
		if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 1 || w.mutations() != 1 {
			t.Errorf("%d records by %d writes, want one by one", n, w.mutations())
		}
	})
}

// It dies after the other system took an update, and the user edits the record again
// before it is back: what stands there is our own, and no conflict.
func TestF03_DiesAfterTheUpdateAndAnEditFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{policies: map[string]merge.Policy{"name": merge.Person}})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 1, map[string]string{"name": "Ada"})
		}
		w.rest()
		w.edit(record.Left, 1, "name", "Bea")
		w.dies("after send")
		w.edit(record.Left, 1, "name", "Cleo")
		w.rest()
		if got, want := w.value(record.Right, 1, "name"), "Cleo"; got != want {
			t.Errorf("name is %q, want %q", got, want)
		}
		if n := len(w.open()); n > 0 {
			t.Errorf("%d conflicts, want none", n)
		}
	})
}

// No hint comes of an edit: the next reading of that side has it.
func TestF27_LostHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 1, map[string]string{"name": "Ada"})
		}
		w.rest()
		w.edit(record.Left, 1, "name", "Bea")
		w.run(engine.Options{Yes: true, Skip: [2]bool{record.Left: true}})
		if got, want := w.value(record.Right, 1, "name"), "Ada"; got != want {
			t.Errorf("name is %q though nobody read the other side, want %q", got, want)
		}
		w.run(engine.Options{Yes: true, Skip: [2]bool{record.Right: true}})
		if got, want := w.value(record.Right, 1, "name"), "Bea"; got != want {
			t.Errorf("name is %q after one reading, want %q", got, want)
		}
	})
}

// A system asks to wait in the middle of a plan: what was done is done, and the next run
// does the rest and nothing twice.
func TestF45_ThrottledInTheMiddleOfAPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for n := range 10 {
			w.put(record.Left, n, map[string]string{"name": "Ada"})
		}
		w.sys[record.Right].Inject(memory.Fault{
			Call: memory.CallApply, Op: record.Create, Skip: 4, Class: connectors.Throttled, RetryAfter: time.Minute,
		})
		rep := w.run(engine.Options{Yes: true})
		if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 4 {
			t.Errorf("%d records before the system asked to wait, want 4: counts %v", n, rep.Counts)
		}
		w.rest()
		if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 10 || w.mutations() != 11 {
			t.Errorf("%d records by %d writes, want ten by ten and the one that had to wait", n, w.mutations())
		}
	})
}
