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

// Ninety days without a run, with a create that was never answered: no system remembers
// its key any more. It is looked for, not sent again, and both sides are compared whole
// before anything else; what was edited meanwhile is carried over, nothing comes back.
func TestF12_LongOutage(t *testing.T) {
	for _, applied := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			right := memory.ClassKind(memory.Kind{Times: true, Since: true}, connectors.ClassA)
			w := newWorld(t, setting{kinds: [2]memory.Kind{{}, right}})
			defer w.close()
			for n := range 3 {
				w.put(record.Left, n, map[string]string{"name": "Anna", "note": "x"})
			}
			w.rest()
			w.put(record.Left, 5, map[string]string{"name": "Late"})
			w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: applied})
			w.run(engine.Options{Yes: true})
			w.tick(90 * 24 * time.Hour)
			w.sys[record.Right].ForgetKeys() // as every system has by then
			w.edit(record.Left, 0, "name", "Berta")
			w.edit(record.Right, 1, "note", "y")
			fetched := w.sys[record.Right].Counts().Fetches
			for range 2 { // it pages by offset: one list alone may hide a record
				w.run(engine.Options{Yes: true, Full: true})
			}
			w.rest()
			if n := len(w.sys[record.Right].All("people")); n != 4 {
				t.Errorf("applied %t: the right has %d records, want 4", applied, n)
			}
			if w.sys[record.Right].Counts().Fetches == fetched {
				t.Errorf("applied %t: nothing was compared", applied)
			}
			if w.value(record.Right, 0, "name") != "Berta" || w.value(record.Left, 1, "note") != "y" {
				t.Errorf("applied %t: edits were lost: %s", applied, w.both())
			}
		})
	}
}

// A system's clock that is wrong by minutes or by years loses no edit and takes no side:
// times are compared within one system alone, and where two would have to be, a person
// is asked.
func TestF30_ClockSkew(t *testing.T) {
	for _, skew := range []time.Duration{10 * time.Minute, -10 * time.Minute, 365 * 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			k := memory.Kind{Times: true, Since: true, SinceOverlap: time.Minute}
			w := newWorld(t, setting{
				kinds: [2]memory.Kind{k, k}, policies: map[string]merge.Policy{"mail": merge.Newest},
				clock: func() time.Time { return time.Now().Add(skew) },
			})
			defer w.close()
			for n := range 3 {
				w.put(record.Left, n, map[string]string{"name": "Anna", "note": "x", "mail": "old@example.com"})
			}
			w.rest()
			for i := range 4 { // edits of both sides, run by run
				value := string(rune('a' + i))
				w.edit(record.Left, 0, "note", "left "+value)
				w.edit(record.Right, 1, "name", "right "+value)
				w.run(engine.Options{Yes: true})
				w.tick(time.Minute)
				w.run(engine.Options{Yes: true})
				if l, r := w.value(record.Right, 0, "note"), w.value(record.Left, 1, "name"); l != "left "+value || r != "right "+value {
					t.Errorf("skew %s, round %d: got %q and %q", skew, i, l, r)
				}
			}
			w.edit(record.Left, 2, "mail", "left@example.com")
			w.tick(time.Second)
			w.edit(record.Right, 2, "mail", "right@example.com")
			w.rest()
			if l, r := w.value(record.Left, 2, "mail"), w.value(record.Right, 2, "mail"); l != "left@example.com" || r != "right@example.com" {
				t.Errorf("skew %s: got %q and %q, want both kept for a person", skew, l, r)
			}
			if len(w.open()) != 1 {
				t.Errorf("skew %s: got questions %v, want one", skew, w.open())
			}
		})
	}
}
