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

// A record that a system refused is linked once somebody has entered it there by hand,
// and not made a second time on its own side.
func TestRefusedEnteredByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Anna"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Rejected})
		w.run(engine.Options{Yes: true})
		w.put(record.Right, 1, map[string]string{"name": "Anna", "note": "by hand"})
		w.run(engine.Options{Yes: true})
		for _, side := range record.Sides {
			if got := w.picture(side); len(got) != 1 {
				t.Errorf("the %s has %q, want one record", side, got)
			}
		}
		if got := w.value(record.Left, 1, "note"); got != "by hand" {
			t.Errorf("the left has note %q", got)
		}
	})
}

// The key of a record that can't be read is still its key: nobody else is made with it.
func TestUnreadableKeepsItsKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Anna"})
		w.rest()
		e, _ := w.find(record.Right, 1)
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Malformed})
		w.run(engine.Options{Only: []record.Ref{e.Ref}, OnlySide: record.Right, Patient: true, Yes: true})
		w.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText(phoneOf(1)), "name": record.OfText("Anna")})
		w.run(engine.Options{Yes: true})
		if got := w.picture(record.Right); len(got) != 1 {
			t.Errorf("the right has %q, want one record", got)
		}
	})
}

// A record that a list did not show, and that can't be read now, may be there: nobody
// is made with its key.
func TestSuspectKeepsItsKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{Paging: memory.Keyset}, connectors.ClassD)}})
		defer w.close()
		w.put(record.Right, 1, map[string]string{"name": "Anna"})
		w.run(engine.Options{Dry: true, Yes: true})
		w.put(record.Left, 1, map[string]string{"name": "Anna"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFetch, Empty: true})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Transient})
		w.run(engine.Options{Yes: true})
		if got := w.picture(record.Right); len(got) != 1 {
			t.Errorf("the right has %q, want one record", got)
		}
		w.rest()
		if due := w.due(); len(due) > 0 || w.value(record.Left, 1, "name") != "Anna" {
			t.Errorf("a plan still has %v:\n%s", due, w.both())
		}
	})
}

// What was refused is asked for again after a while, but not for a record that no list
// shows any more and that can't be read: it may be gone.
func TestRefusedOfASuspectIsNotSentAgain(t *testing.T) {
	for _, class := range []connectors.ErrorClass{connectors.Malformed, connectors.Rejected, connectors.Transient, connectors.Forbidden, connectors.Moved} {
		t.Run(string(class), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{})
				defer w.close()
				w.put(record.Right, 1, map[string]string{"name": "Anna"})
				w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Rejected})
				w.run(engine.Options{Yes: true})
				anna, _ := w.find(record.Right, 1)
				w.remove(record.Right, 1)
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, Class: class})
				w.tick(2 * time.Minute)
				w.run(engine.Options{Yes: true})
				if got := w.picture(record.Left); len(got) != 0 {
					t.Errorf("the left got %q, of a record that is gone", got)
				}
				w.rest()
				if e := w.entryOf(record.Right, anna.Ref.ID); e.State != record.Gone || w.picture(record.Left) != nil {
					t.Errorf("it is %q (%s), and the left has %q", e.State, e.Why, w.picture(record.Left))
				}
			})
		})
	}
}
