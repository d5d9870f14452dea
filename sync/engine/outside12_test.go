package engine_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A system that answers every create with a 502 is left alone after a few, and asked by one
// write a run until it answers.
func TestOutside12NoAnswerToAnyCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 0, nil)
		w.run(engine.Options{Yes: true})
		w.run(engine.Options{})
		for n := 1; n < 10; n++ {
			w.put(record.Left, n, nil)
		}
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Times: -1, Class: connectors.Ambiguous})
		sent := func() int {
			before := w.mutations()
			w.run(engine.Options{})
			w.tick(time.Hour)
			return w.mutations() - before
		}
		if got := sent(); got != 3 {
			t.Errorf("the first run sent %d creates, want 3", got)
		}
		if got := w.stuck(); got[record.FindUnanswered] != 1 {
			t.Errorf("found %v", got)
		}
		for range 3 {
			if got := sent(); got > 1 {
				t.Errorf("a later run sent %d creates, want 1", got)
			}
		}
		w.sys[record.Right].Heal()
		for range 3 {
			sent()
		}
		if got := w.stuck(); len(got) != 0 || len(w.sys[record.Right].All(kinds[record.Right])) != 10 {
			t.Errorf("once it answers: found %v, %d records", got, len(w.sys[record.Right].All(kinds[record.Right])))
		}
	})
}

// Records that nobody could read are no sign of another account.
func TestOutside12UnreadIsNotAnotherAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for n := range 6 {
			w.put(record.Left, n, nil)
		}
		w.run(engine.Options{Yes: true})
		w.run(engine.Options{})
		w.tick(time.Hour)
		w.restart()
		w.edit(record.Left, 0, "name", "b")
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, Skip: 1, Times: 6, Class: connectors.Malformed})
		rep, err := w.try(engine.Options{})
		if errors.Is(err, engine.ErrHalted) || len(rep.Halts) > 0 || err == nil {
			t.Errorf("got halts %v, %v; want a run that fails and says that nothing could be read", rep.Halts, err)
		}
		w.sys[record.Right].Heal()
		w.run(engine.Options{})
		if got := w.value(record.Right, 0, "name"); got != "b" {
			t.Errorf("once it can be read: %q", got)
		}
	})
}
