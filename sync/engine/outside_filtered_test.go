package engine_test

import (
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

// A linked record leaves the filter of its side, and the one across is edited. The edit does not go there, and the
// run says so, each time. Once the filter shows the record again, the edit arrives.
func TestOutsideWhatLeftTheFilterIsNotWrittenAndSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hidden := map[string]bool{}
		k := memory.Kind{Filter: func(f record.Fields) bool { return !hidden[f["their_phone"].Text()] }}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}})
		defer w.close()
		for n := range 4 {
			w.put(record.Left, n, map[string]string{"name": "a", "note": "before"})
		}
		w.rest()
		hidden[phoneOf(2)] = true
		w.wholeRuns()
		wantCount(t, "told while nothing is to be written", w.stuck()[record.FindUnseen], 0)
		w.edit(record.Left, 2, "note", "after")
		before := w.mutations()
		for range 2 {
			w.wholeRuns()
			wantCount(t, "told", w.stuck()[record.FindUnseen], 1)
		}
		wantCount(t, "sent", w.mutations()-before, 0)
		hidden[phoneOf(2)] = false
		w.wholeRuns()
		w.wholeRuns()
		wantCount(t, "told once the filter shows it", w.stuck()[record.FindUnseen], 0)
		if got := w.value(record.Right, 2, "note"); got != "after" {
			t.Errorf("the edit did not arrive: %q\n%s", got, w.both())
		}
	})
}
