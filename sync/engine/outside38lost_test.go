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

// A create was lost, and a user entered the same person. The list hides the note, by which the
// two differ: the record is read by its id before it is taken for what the create made.
// Otherwise what it lacks would count as what its system dropped, and stay so.
func TestOutside38LostCreateBesideAUsersOwn(t *testing.T) {
	for name, note := range map[string]string{"without a note": "", "with another note": "theirs", "with the same": "mine"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stamp := connectors.Stamp{Path: "their_ref", Find: true}
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {ListHides: []string{"their_note"}, Stamp: stamp}}})
				defer w.close()
				w.put(record.Left, 0, map[string]string{"name": "a", "note": "mine"})
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Times: 1, Class: connectors.Ambiguous})
				w.run(engine.Options{Yes: true})
				w.put(record.Right, 0, map[string]string{"name": "a", "note": note})
				w.rest()
				lost, err := w.store.Lost(context.Background(), job)
				if err != nil {
					t.Fatal(err)
				}
				for _, in := range lost { // a person knows that it never arrived
					if err := w.store.Claim(context.Background(), in.ID, record.Claim{}); err != nil {
						t.Fatal(err)
					}
				}
				w.rest()
				l, r := w.value(record.Left, 0, "note"), w.value(record.Right, 0, "note")
				if n := len(w.sys[record.Right].All(kinds[record.Right])); l != r || l == "" || n != 1 {
					t.Errorf("the left has %q, and one of %d on the right %q", l, n, r)
				}
			})
		})
	}
}

// A user cleared what the list hides of a record that a lost create made, before anybody read
// it whole. A read at the time of the list has seen it: the edit is one.
func TestOutside38ClearedAfterItWasFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {ListHides: []string{"their_note"}, Versions: true}}})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "a", "note": "mine"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Times: 1, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		w.tick(time.Minute)
		w.run(engine.Options{Full: true})
		w.edit(record.Right, 0, "note", "")
		w.rest()
		if l, r := w.value(record.Left, 0, "note"), w.value(record.Right, 0, "note"); l != r {
			t.Errorf("the left has %q and the right %q", l, r)
		}
	})
}

// An update was lost, and its record was removed and entered anew under the same id. Where
// nothing is read by id its fate is known by that: it waits no more.
func TestOutside38LostUpdateOfAStranger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {NoGet: true, Times: true}}})
		defer w.close()
		for n := range 4 {
			w.put(record.Left, n, map[string]string{"name": "a"})
		}
		w.rest()
		w.edit(record.Left, 0, "mail", "left") // a person is asked, so that what the list shows stays seen
		w.edit(record.Right, 0, "mail", "right")
		w.edit(record.Left, 0, "name", "b")
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Times: 1, Class: connectors.Ambiguous})
		w.tick(time.Minute)
		w.run(engine.Options{})
		linked, _ := w.find(record.Right, 0)
		w.sys[record.Right].Remove(kinds[record.Right], linked.Ref.ID)
		w.tick(time.Minute)
		w.sys[record.Right].PutAs(kinds[record.Right], linked.Ref.ID, linked.Fields)
		w.rest()
		if got := w.run(engine.Options{Full: true}).Counts["unsettled"]; got != 0 {
			t.Errorf("%d changes wait still to be found", got)
		}
	})
}

// What a lost create made was listed once, with another phone that a user gave it; the next list
// leaves it out, and it can't be read. It is not made a second time.
func TestOutside38ListedOnceAndNotAgain(t *testing.T) {
	for name, k := range map[string]memory.Kind{"read by id": {}, "stable": {Paging: memory.Keyset}, "none by id": {NoGet: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: k}})
				defer w.close()
				for _, side := range record.Sides {
					w.put(side, 1, map[string]string{"name": "known", "mail": "known@example.com"})
				}
				w.rest()
				w.put(record.Left, 0, map[string]string{"name": "a", "mail": "a@example.com", "note": "quiet"})
				right := w.sys[record.Right]
				right.Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: true})
				w.run(engine.Options{Yes: true})
				id, _ := w.find(record.Right, 0)
				right.Edit(kinds[record.Right], id.Ref.ID, record.Fields{"their_phone": record.OfText(phoneOf(7))})
				w.tick(settle + time.Second)
				w.run(engine.Options{Yes: true, Full: true, Dry: true}) // settles nothing
				right.Inject(memory.Fault{Call: memory.CallFetch, Kind: kinds[record.Right], Drop: 1, Times: 3})
				right.Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Transient, Times: 3})
				for range 3 {
					w.tick(settle + time.Second)
					_, _ = w.try(engine.Options{Yes: true, Full: true})
				}
				right.Heal()
				w.rest()
				wantCount(t, "records on the right", len(right.All(kinds[record.Right])), 2)
			})
		})
	}
}
