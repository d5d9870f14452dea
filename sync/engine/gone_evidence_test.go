package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A record that we have just made is not gone because neither a list nor a read by id
// shows it yet, also where others of its side are seen.
func TestYoungAmongOldIsNeverDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{Delete: true, ListLag: settle * 9 / 10, GetLag: settle * 9 / 10}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, k}, gone: both(plan.GoneDelete)})
		defer w.close()
		for n := range 4 {
			w.put(record.Left, n, map[string]string{"name": "x"})
		}
		w.rest()
		w.put(record.Left, 4, map[string]string{"name": "young"})
		for range 8 {
			w.run(engine.Options{Yes: true, Full: true})
		}
		w.rest()
		if w.has(4) != "lr" {
			t.Errorf("who was just made is on %q", w.has(4))
		}
	})
}

// A record that is edited after its delete was planned stays.
func TestDeleteIsVerified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := bereft(t, setting{kinds: deletes, gone: both(plan.GoneDelete)})
		defer w.close()
		w.run(engine.Options{Yes: true, Full: true, Dry: true}) // it is buried, and nothing is done
		w.tick(time.Minute)
		if due := w.due(); len(due) != 1 || !strings.Contains(due[0], "delete") {
			t.Fatalf("got plan %v, want one delete", due)
		}
		w.edit(record.Right, 0, "note", "a call a minute ago")
		w.run(engine.Options{Yes: true, Seen: true}) // no list is read: what is known is old
		if w.has(0) != "r" || w.value(record.Right, 0, "note") != "a call a minute ago" {
			t.Errorf("deleted, though it was edited:\n%s", w.both())
		}
	})
}

// A record that comes back within the run that proved it gone, and is known to have, keeps
// its partner.
func TestDeleteKnowsWhatCameBackInItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: deletes, gone: both(plan.GoneDelete)})
		defer w.close()
		for n := range 8 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
		}
		w.rest()
		was := map[int]record.Record{}
		for n := range 2 {
			was[n], _ = w.find(record.Left, n)
			w.remove(record.Left, n)
		}
		w.tick(time.Minute)
		back := -1
		w.run(engine.Options{Yes: true, Full: true, Kicked: func() []engine.Kick {
			if w.has(0) != "" && w.has(1) != "" || back >= 0 {
				return nil
			}
			back = 0
			if w.has(0) == "" {
				back = 1
			}
			w.sys[record.Left].PutAs(kinds[record.Left], was[back].Ref.ID, was[back].Fields)
			return []engine.Kick{{Side: record.Left, Ref: was[back].Ref}}
		}})
		if back < 0 || w.has(back) != "lr" {
			t.Errorf("who came back (%d) is on %q", back, w.has(max(back, 0)))
		}
	})
}
