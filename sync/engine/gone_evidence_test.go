package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A record that we have just made is not gone because neither a list nor a read by id
// shows it yet, also where others of its side are seen.
func TestYoungAmongOldIsNeverDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{Delete: true, ListLag: settle * 9 / 10, GetLag: settle * 9 / 10}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, k}, gone: both(away.GoneDelete)})
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
		w := bereft(t, setting{kinds: deletes, gone: both(away.GoneDelete)})
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
		w := newWorld(t, setting{kinds: deletes, gone: both(away.GoneDelete)})
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

// Reads by id alone delete nothing: a list of changes says nothing of who is gone, so the
// partner stays until a complete list does not show the record either.
func TestReadsAloneAreNoProof(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{Delete: true, Since: true, Times: true}
		w := bereft(t, setting{kinds: [2]memory.Kind{k, k}, gone: both(away.GoneDelete)})
		defer w.close()
		for range 4 {
			w.tick(time.Minute)
			w.run(engine.Options{Yes: true, Only: []record.Ref{{Kind: kinds[record.Left], ID: w.gone0()}}})
			w.run(engine.Options{Yes: true})
		}
		if got, e := w.has(0), w.entryOf(record.Left, w.gone0()); got != "r" || e.State != record.Missed {
			t.Errorf("no list has said so: who was removed is on %q, and is %q there", got, e.State)
		}
		w.tick(24 * time.Hour)
		w.run(engine.Options{Yes: true})
		if got := w.has(0); got != "" {
			t.Errorf("a complete list has said so: who was removed is on %q", got)
		}
	})
}

// A record that one read did not find, and another does, goes on.
func TestOneReadThatFailedIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{Delete: true, Since: true, Times: true}
		w := newWorld(t, setting{kinds: [2]memory.Kind{k, k}, gone: both(away.GoneDelete)})
		defer w.close()
		for n := range 4 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
		}
		w.rest()
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallGet, Class: connectors.NotFound, Times: 2}) // a record that is asked for is read twice
		w.run(engine.Options{Yes: true, Only: []record.Ref{{Kind: kinds[record.Left], ID: w.gone0()}}})
		if e := w.entryOf(record.Left, w.gone0()); e.State != record.Missed {
			t.Fatalf("a read found nothing, and it is %q", e.State)
		}
		w.edit(record.Right, 0, "note", "edited")
		w.rest()
		if e := w.entryOf(record.Left, w.gone0()); e.State != record.InStep || w.value(record.Left, 0, "note") != "edited" {
			t.Errorf("it is there, and is %q:\n%s", e.State, w.both())
		}
	})
}

// A user removes a record while nobody knows what became of the create that it was copied
// by. The copy is found and linked with what is gone: what the rules say of such a link
// holds for this one, too, and nothing is written to a record that is not there.
func TestGoneBeforeItsCopyIsFound(t *testing.T) {
	for policy, has := range map[away.GonePolicy]string{away.GoneHold: "l", away.GoneUnlink: "l", away.GoneDelete: ""} {
		t.Run(string(policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, {Delete: true, Versions: true}}, gone: both(policy)})
				defer w.close()
				w.put(record.Right, 0, map[string]string{"name": "Eve"})
				w.rest()
				w.put(record.Right, 1, map[string]string{"name": "Anna"})
				w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
				w.run(engine.Options{Yes: true})
				w.remove(record.Right, 1)
				w.run(engine.Options{Yes: true})
				if policy != away.GoneDelete { // what is edited stays
					w.edit(record.Left, 1, "note", "edited")
				}
				w.rest()
				if got := w.has(1); got != has {
					t.Errorf("who was removed is on %q, want %q", got, has)
				}
				if _, asked := w.question(); asked != (policy == away.GoneHold) {
					t.Errorf("a person is asked: %t", asked)
				}
				w.idle(3)
			})
		})
	}
}
