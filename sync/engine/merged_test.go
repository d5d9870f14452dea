package engine_test

import (
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

// Users clean up on both sides at once: the link goes on with what each record was merged
// into, whether or not those two could be known for the same, and neither of them gets a
// counterpart of its own.
func TestF34_MergedOnBothSides(t *testing.T) {
	for name, phones := range map[string][2]string{
		"into records with one key":              {phoneOf(9), phoneOf(9)},
		"into records with two keys":             {phoneOf(8), phoneOf(9)},
		"into records of which one shows no key": {"", phoneOf(9)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, {Delete: true}}})
				defer w.close()
				for n := range 3 {
					w.put(record.Left, n, map[string]string{"name": "x"})
				}
				w.rest()
				var ids [2]string
				for _, side := range record.Sides {
					loser, _ := w.find(side, 0)
					ids[side] = w.sys[side].Put(kinds[side], record.Fields{spell(side, "phone"): record.OfText(phones[side])})
					w.sys[side].Merge(kinds[side], loser.Ref.ID, ids[side])
				}
				w.rest()
				e := w.entryOf(record.Left, ids[record.Left])
				pair, ok, err := w.store.PairOf(t.Context(), e.Place, e.Ref)
				if err != nil || !ok || pair.Sides[record.Right].Ref.ID != ids[record.Right] || pair.State.Ended() {
					t.Errorf("linked to %s (%q), want %s (%v)", pair.Sides[record.Right].Ref, pair.State, ids[record.Right], err)
				}
				for _, side := range record.Sides {
					if got := w.picture(side); len(got) != 3 {
						t.Errorf("the %s has %q, want three records", side, got)
					}
				}
				if c, ok := w.question(); ok {
					t.Errorf("asked %s", c.Why)
				}
				w.idle(2)
			})
		})
	}
}

// A plan that is made anew in the same run, since a create needs another list, is no
// reason to ask about a record that was merged.
func TestF34_MergedWhileSomebodyIsNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "x"})
		}
		w.rest()
		loser, _ := w.find(record.Left, 0)
		id := w.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText(phoneOf(9))})
		w.sys[record.Left].Merge(kinds[record.Left], loser.Ref.ID, id)
		w.put(record.Left, 4, map[string]string{"name": "new"})
		w.rest()
		if c, ok := w.question(); ok {
			t.Errorf("asked %s", c.Why)
		}
		if got := w.picture(record.Right); len(got) != 4 {
			t.Errorf("the right has %q, want four records", got)
		}
	})
}

// A record that was merged into another is there again, while the record across of that one
// is gone, about which a person is asked. Of what is there again nothing is made before a
// person says, whatever comes of the other question.
func TestF34_MergedIsThereAgainWhileItsPartnerIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for n := range 5 {
			w.put(record.Left, n, map[string]string{"name": "x"})
		}
		w.rest()
		loser, _ := w.find(record.Left, 0)
		partner, _ := w.find(record.Right, 0)
		id := w.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText(phoneOf(9))})
		w.sys[record.Left].Merge(kinds[record.Left], loser.Ref.ID, id)
		w.rest()
		w.sys[record.Right].Remove(kinds[record.Right], partner.Ref.ID)
		w.sys[record.Left].PutAs(kinds[record.Left], loser.Ref.ID, loser.Fields)
		w.rest()
		w.rest()
		if got := w.picture(record.Right); len(got) != 4 {
			t.Errorf("the right has %q, want four records", got)
		}
		if e := w.entryOf(record.Left, loser.Ref.ID); e.State != record.Held {
			t.Errorf("what is there again is %q (%s), want a question", e.State, e.Why)
		}
	})
}
