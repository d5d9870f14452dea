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

// lostWrite is a world in which a change of the right side's note was sent, was not
// applied, and nobody knows. Reads of the right show no notes from then on.
func lostWrite(t *testing.T, k memory.Kind, op record.Op) *world {
	w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}})
	w.put(record.Left, 0, map[string]string{"name": "x", "mail": "old"})
	w.rest()
	w.edit(record.Left, 0, "mail", "new")
	right := w.sys[record.Right]
	right.Inject(memory.Fault{Call: memory.CallApply, Op: op, Class: connectors.Ambiguous})
	if rep := w.run(engine.Options{Yes: true}); rep.Counts["unsettled"] != 1 {
		t.Fatalf("the write was not lost: %v", rep.Counts)
	}
	for _, call := range []memory.Call{memory.CallGet, memory.CallFetch} {
		right.Inject(memory.Fault{Call: call, Times: -1, LeaveOut: []string{"their_mail"}})
	}
	return w
}

// A read that shows nothing of what was sent does not show that it landed: fields
// are written again, once the system can't apply the first request any more.
func TestUnshownUpdateHasNotLanded(t *testing.T) {
	for _, k := range []memory.Kind{{}, {NoGet: true}} {
		synctest.Test(t, func(t *testing.T) {
			w := lostWrite(t, k, record.Update)
			defer w.close()
			if rep := w.run(engine.Options{Yes: true}); rep.Counts["unsettled"] != 1 || rep.Counts["right.adopted"] != 0 {
				t.Errorf("get %v: within the settle time it stays open: got %v", !k.NoGet, rep.Counts)
			}
			w.rest()
			if got := w.value(record.Right, 0, "mail"); got != "new" {
				t.Errorf("get %v: the right has %q", !k.NoGet, got)
			}
		})
	}
}

// A status is not sent twice on a guess: it is held, a person is told once, and the
// first read that shows it ends it.
func TestUnshownActionIsNotRepeated(t *testing.T) {
	for _, landed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := lostWrite(t, memory.Kind{Status: "their_mail"}, record.Action)
			defer w.close()
			right := w.sys[record.Right]
			before := w.mutations()
			w.rest()
			rep := w.run(engine.Options{Yes: true})
			if got := w.mutations() - before; got != 0 || rep.Counts["lost"] != 1 || rep.Outcome != record.Waits {
				t.Errorf("it was sent %d times more, %v, %s", got, rep.Counts, rep.Outcome)
			}
			alerts, err := w.store.Alerts(context.Background(), time.Time{}, 10)
			if err != nil || len(alerts) != 1 || alerts[0].Kind != "unknown_outcome" || alerts[0].Entry == 0 {
				t.Errorf("got alerts %+v, %v, want one", alerts, err)
			}
			if landed {
				w.edit(record.Right, 0, "mail", "new")
			}
			right.Heal()
			w.rest()
			want := map[bool]int{false: 1, true: 0}[landed]
			if got := w.mutations() - before; got != want || w.value(record.Right, 0, "mail") != "new" {
				t.Errorf("landed %v: once it is shown %d writes are made, want %d; it is %q", landed, got, want, w.value(record.Right, 0, "mail"))
			}
		})
	}
}

// A new record that shows nothing of what was sent is not taken for the one that
// was sent.
func TestUnshownRecordIsNotOurs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "x"})
		w.rest()
		w.put(record.Left, 1, map[string]string{"name": "y"})
		right := w.sys[record.Right]
		right.Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous})
		for range 3 {
			if rep := w.run(engine.Options{Yes: true}); rep.Counts["unsettled"] > 0 {
				break
			}
		}
		w.tick(time.Second)
		id := right.Put("people", record.Fields{"their_phone": record.OfText(phoneOf(2)), "their_name": record.OfText("z")})
		right.Inject(memory.Fault{Call: memory.CallFetch, LeaveOut: []string{"their_phone", "their_name", "their_note", "their_mail"}})
		if rep := w.run(engine.Options{Yes: true}); rep.Counts["right.adopted"] != 0 {
			t.Errorf("another's record was adopted: %v", rep.Counts)
		}
		right.Heal()
		w.rest()
		if r, ok := right.Get("people", id); !ok || r.Fields["their_name"].Text() != "z" {
			t.Errorf("another's record was written to: %v\n%s", r.Fields, w.both())
		}
	})
}

// What an answer did not show, and the system keeps in its own spelling, is no edit
// when a read shows it.
func TestPartialAnswerEchoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, lossyRight())
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "x", "note": "x"})
		w.rest()
		w.edit(record.Left, 0, "note", "LONGER")
		w.edit(record.Left, 0, "name", "y")
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, LeaveOut: []string{"their_note"}})
		w.run(engine.Options{Yes: true})
		before := w.mutations()
		w.rest()
		if got, n := w.value(record.Left, 0, "note"), w.mutations()-before; got != "LONGER" || n != 0 {
			t.Errorf("the left has %q, and %d writes were answered", got, n)
		}
	})
}
