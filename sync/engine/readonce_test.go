package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// What a run has read by id vouches for what is made of it, whenever in its millisecond
// the run began: the state keeps whole ones, and each further read waits for whatever
// request is under way.
func TestRecordAskedForIsReadOnce(t *testing.T) {
	for _, into := range []time.Duration{0, time.Nanosecond, 400 * time.Microsecond, time.Millisecond - 1} {
		t.Run(into.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := house(t, 8, setting{kinds: [2]memory.Kind{{}, {Unique: [][]string{{"their_phone"}}, FindBy: [][]string{{"their_phone"}}}}})
				defer w.close()
				asked := func(ref record.Ref) engine.Report {
					w.tick(time.Until(time.Now().Truncate(time.Millisecond).Add(time.Millisecond + into)))
					return w.run(engine.Options{Yes: true, Only: []record.Ref{ref}, OnlySide: record.Left})
				}
				w.put(record.Left, 9, nil)
				made, _ := w.find(record.Left, 9)
				if got := asked(made.Ref).Counts; got["left.reads"] != 1 || got["right.created"] != 1 {
					t.Errorf("create: got %v, want one read and one create", got)
				}
				w.set(record.Left, 7, 8, "note", "cancelled")
				got := asked(w.ref(record.Left, 7)).Counts
				if got["left.reads"] != 1 || w.have(record.Right, "note", "cancelled") != 1 {
					t.Errorf("cancel: got %v, want it made after one read", got)
				}
			})
		})
	}
}
