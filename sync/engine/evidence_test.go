package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// That a complete list does not show a record says nothing: it is read by id, and is
// there.
func TestAbsenceIsReadByID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for n := range people {
			w.put(record.Left, n, map[string]string{"name": "x"})
		}
		w.rest()
		right := w.sys[record.Right]
		right.Inject(memory.Fault{Call: memory.CallFetch, Drop: 1})
		rep := w.run(engine.Options{Yes: true})
		if rep.Counts["right.suspects"] != 1 || rep.Counts["right.reads"] != 1 || rep.Counts["right.gone"] != 0 {
			t.Errorf("got %v, want one suspect that is read", rep.Counts)
		}
		for _, r := range right.All(kinds[record.Right]) {
			e, ok, err := w.store.Entry(context.Background(), record.Place{Binding: job, Side: record.Right}, r.Ref)
			if err != nil || !ok || e.State != record.InStep {
				t.Errorf("%s is %q (%v): %s", r.Ref, e.State, err, e.Why)
			}
		}
	})
}

// A list that did not show records that are there proves of a create, of which no answer
// came, as little: whether a read by id told so, or the next list.
func TestListThatWasBeliedProvesNoCreate(t *testing.T) {
	for name, unread := range map[string]bool{"by a read": false, "by the next list": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: memory.ClassKind(memory.Kind{}, connectors.ClassE)}})
				defer w.close()
				for n := range people {
					w.put(record.Left, n, map[string]string{"name": "x"})
				}
				w.rest()
				right := w.sys[record.Right]
				w.put(record.Left, people, map[string]string{"name": "y"})
				right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
				w.run(engine.Options{Yes: true})
				w.tick(settle + time.Second)
				for _, lie := range []memory.Fault{{Call: memory.CallFetch, Empty: true}, {Call: memory.CallFetch, Drop: 1}} {
					right.Inject(lie)
					if lie.Empty && unread {
						right.Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Transient, Times: people})
					}
					w.tick(time.Minute)
					w.run(engine.Options{Yes: true})
				}
				w.rest()
				if got := w.picture(record.Right); len(got) != people+1 {
					t.Errorf("the right has %q, want %d records", got, people+1)
				}
			})
		})
	}
}

// A whole list did not show a record that was edited, and it could not be read by id:
// the next list, of what changed since, begins behind the edit. It is read by id all the
// same, and the edit arrives.
func TestEditThatAWholeListMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {Since: true, Times: true}}})
		defer w.close()
		for n := range people {
			w.put(record.Left, n, map[string]string{"name": "x"})
		}
		w.rest()
		right := w.sys[record.Right]
		last := people - 1
		w.edit(record.Right, last, "note", "new")
		right.Inject(memory.Fault{Call: memory.CallFetch, Drop: 1})
		right.Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Transient, Times: 1})
		if rep := w.run(engine.Options{Yes: true, Full: true}); rep.Counts["right.suspects"] != 1 || w.value(record.Left, last, "note") != "" {
			t.Fatalf("got %v, want one suspect whose edit is not seen", rep.Counts)
		}
		w.tick(settle)
		rep := w.run(engine.Options{Yes: true})
		if got := w.value(record.Left, last, "note"); got != "new" || rep.Counts["right.records"] != 0 {
			t.Errorf("the left has note %q, of %d records that were listed", got, rep.Counts["right.records"])
		}
	})
}

// A look-up that answers with records that nobody asked for proves nothing: a create
// of unknown fate is not made again before lists have told that it never arrived.
func TestLookUpOfOthersProvesNothing(t *testing.T) {
	for _, ignored := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Stamp: connectors.Stamp{Path: "ours", Find: true}}}})
			defer w.close()
			w.put(record.Left, 0, map[string]string{"name": "x"})
			w.rest()
			w.put(record.Left, 1, map[string]string{"name": "lost"})
			right := w.sys[record.Right]
			right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous})
			w.run(engine.Options{Yes: true})
			if ignored {
				right.Inject(memory.Fault{Call: memory.CallFind, Times: -1, FilterIgnored: true})
			}
			w.tick(time.Minute)
			w.run(engine.Options{Yes: true})
			if _, made := w.find(record.Right, 1); made == ignored {
				t.Errorf("filter ignored: %v, and it is made anew: %v", ignored, made)
			}
			w.rest()
			if w.value(record.Right, 1, "name") != "lost" {
				t.Errorf("filter ignored: %v: it never arrived:\n%s", ignored, w.both())
			}
		})
	}
}

// So it is where the system refuses a second record with the same key: the record that
// came may have been given another key by then.
func TestLookUpOfOthersByUniqueKeyProvesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		phone := [][]string{{"their_phone"}}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Unique: phone, FindBy: phone}}})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "x"})
		w.rest()
		w.put(record.Left, 1, map[string]string{"name": "new"})
		right := w.sys[record.Right]
		right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		w.edit(record.Left, 1, "phone", phoneOf(7))
		right.Inject(memory.Fault{Call: memory.CallFind, Times: -1, FilterIgnored: true})
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true})
		right.Heal()
		w.rest()
		if made := right.All(kinds[record.Right]); len(made) != 2 {
			t.Errorf("there are %d records, want 2:\n%s", len(made), w.both())
		}
	})
}

// A dry run concludes nothing that is open, asks no system what became of it, and
// links nobody.
func TestDryRunConcludesNothing(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Stamp: connectors.Stamp{Path: "ours", Find: true}}}})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "x"})
		w.rest()
		w.put(record.Left, 1, map[string]string{"name": "lost"})
		right := w.sys[record.Right]
		right.Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		w.tick(time.Minute)
		w.put(record.Left, 2, map[string]string{"name": "both"})
		w.put(record.Right, 2, map[string]string{"name": "both"})
		kept := w.kept(dir)
		right.ResetCounts()
		rep := w.run(engine.Options{Dry: true, Yes: true})
		if diff := cmp.Diff(kept, w.kept(dir)); diff != "" || right.Counts().Finds > 0 {
			t.Errorf("a dry run asked %+v and changed what is known:\n%s", right.Counts(), diff)
		}
		if rep.Counts["joined"] != 1 || rep.Counts["unsettled"] != 1 {
			t.Errorf("it shows %v, want a pair that would be linked and a change that is open", rep.Counts)
		}
		w.rest()
		w.inStep()
	})
}

// A record that could not be read by id once is taken up again by the next list that shows
// it, though that shows nothing new.
func TestUnreadableByIDOnceIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 1, setting{guards: guard.Guards{Creates: guard.Limit{Run: guard.Amount{Count: 1}}}})
		defer w.close()
		for n := 1; n < 3; n++ {
			w.put(record.Left, n, map[string]string{"name": "x"})
		}
		w.run(engine.Options{})
		w.say(w.onlySet(plan.RiskCreate, 2), record.Approved)
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Malformed})
		w.run(engine.Options{Seen: true})
		wantCount(t, "on the right, one of two unread", len(w.sys[record.Right].All(kinds[record.Right])), 2)
		w.rest()
		w.inStep()
	})
}

// A record that is there and can't be read by id as it is, is put aside by itself: the
// run goes on with the others.
func TestUnreadableByIDIsPutAside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for n := range people {
			w.put(record.Left, n, map[string]string{"name": "x"})
		}
		w.rest()
		right := w.sys[record.Right]
		right.Inject(memory.Fault{Call: memory.CallFetch, Drop: 1})
		right.Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Malformed})
		w.edit(record.Right, 0, "note", "seen") // on the right side alone: nothing is verified before it is read
		w.run(engine.Options{Yes: true})
		if w.value(record.Left, 0, "note") != "seen" {
			t.Errorf("the others wait:\n%s", w.both())
		}
		last, ok := w.find(record.Right, people-1)
		e, known, err := w.store.Entry(context.Background(), record.Place{Binding: job, Side: record.Right}, last.Ref)
		if err != nil || !ok || !known || e.State != record.Quarantined {
			t.Errorf("it is %q (%v): %s", e.State, err, e.Why)
		}
		w.rest()
		w.inStep()
	})
}
