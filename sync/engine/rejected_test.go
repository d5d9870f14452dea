package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// A no counts for what was shown, whatever else of the record is edited before it is
// carried out: the other field goes on, and what was rejected does not go along with it.
func TestF41_ANoHoldsBesideAnotherEdit(t *testing.T) {
	for _, status := range []string{"", "their_note"} { // written by a request of its own, or not
		for _, edited := range []string{"name", "mail"} {
			synctest.Test(t, func(t *testing.T) {
				w := house(t, 5, setting{guards: guard.Guards{Cancels: guard.AtMost(2)}, kinds: [2]memory.Kind{{}, {Status: status}}, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.LeftWins}})
				defer w.close()
				w.set(record.Left, 0, 3, "note", "cancelled")
				w.run(engine.Options{})
				if st := w.staged(); len(st) != 1 || st[0].Size != 3 {
					t.Fatalf("staged: %+v", st)
				}
				w.say(w.staged()[0].Set, record.Refusal)
				w.set(record.Left, 0, 1, edited, "edited")
				for range 2 {
					w.run(engine.Options{})
				}
				wantCount(t, "cancelled on the right after a no", w.have(record.Right, "note", "cancelled"), 0)
				wantCount(t, "cancelled on the left after a no", w.have(record.Left, "note", "cancelled"), 0)
				wantCount(t, edited+" on the right", w.have(record.Right, edited, "edited"), 1)
			})
		}
	}
}

// Who rejects a change, and that it is put back as well, has both sides stay as they are.
func TestF41_ANoToWhatANoPutsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 5, setting{guards: guard.Guards{Updates: guard.Limit{Run: guard.Amount{Count: 1}}}, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.LeftWins}})
		defer w.close()
		w.set(record.Left, 0, 2, "name", "renamed")
		w.set(record.Right, 0, 2, "mail", "edited")
		w.run(engine.Options{})
		for _, st := range w.staged() { // to the right the names, to the left the mails
			if st.Side == record.Right {
				w.say(st.Set, record.Refusal)
			}
		}
		w.run(engine.Options{})
		for _, st := range w.staged() { // to the left the mails, and with them the names that stood there
			if st.Choice == record.Undecided {
				w.say(st.Set, record.Refusal)
			}
		}
		for range 2 {
			w.run(engine.Options{})
		}
		wantCount(t, "renamed on the left", w.have(record.Left, "name", "renamed"), 2)
		wantCount(t, "renamed on the right", w.have(record.Right, "name", "renamed"), 0)
		wantCount(t, "edited on the left", w.have(record.Left, "mail", "edited"), 0)
		wantCount(t, "edited on the right", w.have(record.Right, "mail", "edited"), 0)
	})
}

// A change that a person approved with a set, and again with the larger one that took its
// place, is made once: neither yes is left for the day when the same is asked for again.
func TestF41_AYesIsForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 10, setting{guards: guard.Guards{Cancels: guard.AtMost(2)}})
		defer w.close()
		w.set(record.Right, 0, 3, "note", "cancelled")
		w.run(engine.Options{})
		small := w.staged()[0].Set
		w.set(record.Right, 3, 4, "note", "cancelled")
		w.run(engine.Options{})
		w.say(w.staged()[0].Set, record.Approved)
		w.say(small, record.Approved)
		w.run(engine.Options{})
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 4)
		wantCount(t, "sets that are left", len(w.staged()), 0)
	})
}

// A system shortens what it is given and does not say so: what is written shows as never
// done. The short value does not go across, nothing is written again, and a person is asked.
// What they edit there is asked about with it: it may be newer than the long one, or not know of it.
func TestWeakUntakenByASystemThatShortens(t *testing.T) {
	const long = "long@example.com"
	synctest.Test(t, func(t *testing.T) {
		short := func(v record.Value) record.Value { return record.OfText(v.Text()[:min(5, len(v.Text()))]) }
		w := newWorld(t, setting{
			guards:   guard.Guards{Updates: guard.Limit{Run: guard.Amount{Count: 1}}},
			kinds:    [2]memory.Kind{{Silent: true, Normalise: map[string]func(record.Value) record.Value{"mail": short}}, {}},
			policies: map[string]merge.Policy{"mail": merge.RightWins},
		})
		defer w.close()
		for _, side := range record.Sides {
			for i := range 2 {
				w.put(side, i+1, map[string]string{"name": "Ada", "mail": long})
			}
		}
		w.run(engine.Options{Yes: true})
		before := w.sys[record.Left].Counts().Mutations
		for range 12 {
			w.tick(2 * time.Hour)
			w.run(engine.Options{})
		}
		wantCount(t, "writes to the left", w.sys[record.Left].Counts().Mutations-before, 0)
		wantCount(t, "long ones on the right", w.have(record.Right, "mail", long), 2)
		wantCount(t, "short ones on the left", w.have(record.Left, "mail", long[:5]), 2)
		wantCount(t, "asked about", len(w.untaken()), 2)
		w.edit(record.Left, 1, "mail", "new")
		w.run(engine.Options{})
		wantCount(t, "new ones on the left", w.have(record.Left, "mail", "new"), 1)
		wantCount(t, "long ones on the right", w.have(record.Right, "mail", long), 2)
		wantCount(t, "asked about", len(w.untaken()), 2)
	})
}

// A person rejects that values are emptied. One of the records across was edited meanwhile, in a field
// that its lists hide: what stood there before is not put back over the edit.
func TestANoPutsBackWhatStandsAcross(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{
			kinds:  [2]memory.Kind{{}, {ListHides: []string{spell(record.Right, "note")}}},
			guards: guard.Guards{Clears: guard.AtMost(1)},
		})
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "Ada", "note": "a note"})
		}
		w.rest()
		for n := range 2 {
			w.edit(record.Left, n, "note", "")
		}
		w.run(engine.Options{})
		if len(w.staged()) != 1 {
			t.Fatalf("held: %v", w.staged())
		}
		w.edit(record.Right, 0, "note", "edited since")
		w.say(w.staged()[0].Set, record.Refusal)
		w.run(engine.Options{})
		if got := w.value(record.Left, 0, "note"); got == "a note" {
			t.Errorf("the left got %q back, which does not stand across any more", got)
		}
		if got := w.value(record.Left, 1, "note"); got != "a note" {
			t.Errorf("the left has %q, and was to get its note back", got)
		}
		if got := w.value(record.Right, 0, "note"); got != "edited since" {
			t.Errorf("the right has %q", got)
		}
	})
}
