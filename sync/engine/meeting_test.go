package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A create gets no answer. What it made is edited there before a list shows it, so that its key
// alone says what it is: the two are to be linked. A run that links nothing, as one that carries out
// a single other action, or one that dies, forgets nothing of the create: once the source is given
// another key, the record across is still not made a second time.
func TestUnansweredCreateEndsWithTheLink(t *testing.T) {
	for k, died := 0, true; died; k++ { // 0: it carries out another action alone; else it dies at that step
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{kinds: [2]memory.Kind{{Unique: [][]string{{"phone"}}}, {}}})
			defer w.close()
			left := func() int { return len(w.sys[record.Left].All(kinds[record.Left])) }
			w.put(record.Right, 1, map[string]string{"name": "Ada"})
			w.rest()
			w.put(record.Right, 2, map[string]string{"name": "Bea", "mail": "one"})
			w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: true})
			w.run(engine.Options{Yes: true})
			w.edit(record.Left, 2, "mail", "another")
			w.edit(record.Right, 1, "note", "an edit")
			w.tick(time.Second)
			if k == 0 {
				w.run(engine.Options{Yes: true, Limit: 1})
			} else {
				died = w.killed(k, engine.Options{Yes: true}) == k
			}
			if n := left(); n != 2 {
				t.Fatalf("there are %d records on the left", n)
			}
			w.edit(record.Right, 2, "phone", phoneOf(7))
			for range 3 {
				w.tick(time.Hour)
				w.run(engine.Options{Yes: true, Full: true})
			}
			if n := left(); n != 2 {
				t.Errorf("killed at %d: it was made twice:\n%s", k, w.both())
			}
		})
	}
}

// Both sides edit a field, and an update writes the value that wins over the other; its answer is
// lost, and it never arrives. Meanwhile the user there takes his edit back to what both sides held
// before. That is an edit too: where the other value is written over it, the journal names what lost.
func TestEditedBackWhileAnUpdateWasUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 1, map[string]string{"name": "Ada", "note": "settled"})
		}
		w.rest()
		w.edit(record.Left, 1, "note", "an edit")
		w.edit(record.Right, 1, "note", "the desk's")
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous})
		w.run(engine.Options{Yes: true})
		w.edit(record.Left, 1, "note", "settled")
		w.tick(2 * settle)
		w.rest()
		if a, b := w.value(record.Left, 1, "note"), w.value(record.Right, 1, "note"); a != b || !w.losers["note=settled"] {
			t.Errorf("the sides hold %q and %q, and what lost is %v", a, b, sorted(w.losers))
		}
	})
}

// What came is held, because two records have its key: the create is over, and a person is asked.
func TestUnansweredCreateEndsWhereAPersonIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{Unique: [][]string{{"phone"}}}, {}}})
		defer w.close()
		w.put(record.Right, 2, map[string]string{"name": "Bea", "mail": "one"})
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		w.edit(record.Left, 2, "mail", "another")
		w.put(record.Right, 3, map[string]string{"name": "Bea too"})
		w.edit(record.Right, 3, "phone", phoneOf(2))
		w.rest()
		open, err := w.store.Unsettled(t.Context(), job)
		if err != nil || len(open) != 0 {
			t.Errorf("open: %v, %v", open, err)
		}
		if n := len(w.sys[record.Left].All(kinds[record.Left])); n != 1 {
			t.Errorf("there are %d records on the left", n)
		}
	})
}
