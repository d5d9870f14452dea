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

// stuck is what stands of a world's job that is not written.
func (w *world) stuck() map[record.FindingName]int {
	w.Helper()
	all, err := w.store.Findings(context.Background(), job)
	if err != nil {
		w.Fatal(err)
	}
	n := map[record.FindingName]int{}
	for _, f := range all {
		n[f.Name]++
	}
	return n
}

// One record that its system never takes keeps no other from being written, though it is
// told apart by nothing from a system that takes none at all: the one that was asked last
// is asked at the end.
func TestOutside08OneRecordHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "a"})
		}
		w.run(engine.Options{Yes: true})
		w.run(engine.Options{})
		w.tick(time.Minute)
		first, _ := w.find(record.Right, 0)
		w.sys[record.Right].Inject(memory.Fault{
			Call: memory.CallApply, Op: record.Update, ID: first.Ref.ID, Times: -1, Class: connectors.Unsupported,
		})
		for n := range 3 {
			w.edit(record.Left, n, "name", "b")
		}
		for range 3 {
			w.run(engine.Options{})
			w.tick(time.Minute)
		}
		if got := w.stuck(); got[record.FindVerb] != 1 || len(got) != 1 {
			t.Errorf("found %v, want one record that is not taken", got)
		}
		for n := range 3 {
			if got := w.value(record.Right, n, "name"); (got == "b") != (n > 0) {
				t.Errorf("record %d holds %s", n, got)
			}
		}
		w.sys[record.Right].Heal()
		w.run(engine.Options{})
		if got := w.stuck(); len(got) != 0 || w.value(record.Right, 0, "name") != "b" {
			t.Errorf("once it is taken: found %v", got)
		}
	})
}
