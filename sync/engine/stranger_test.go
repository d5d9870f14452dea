package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// estranged is a world in which a person is asked about a stranger.
type estranged struct {
	*world
	was memory.Snapshot // the left, before that
}

// newEstranged is one in which the id of person 0 of the left was given to a record that
// was made at another time. Where lists name only what changed it was listed, and is not
// listed any more.
func newEstranged(t *testing.T, since bool) estranged {
	t.Helper()
	w := newWorld(t, setting{kinds: [2]memory.Kind{{Since: since, Times: true}, {}}})
	for n := range 4 {
		w.put(record.Left, n, map[string]string{"name": "linked"})
	}
	w.rest()
	was := w.sys[record.Left].Snapshot()
	w.tick(time.Hour)
	linked, _ := w.find(record.Left, 0)
	w.sys[record.Left].Remove(kinds[record.Left], linked.Ref.ID)
	w.sys[record.Left].PutAs(kinds[record.Left], linked.Ref.ID, linked.Fields.With(record.Fields{"name": record.OfText("entered anew")}))
	w.rest()
	w.asked(away.AskForeign)
	return estranged{w, was}
}

// What a list showed of a stranger was nobody's observation. Told that it is the same
// record after all, it is read by id: no list of changes shows it again.
func TestStrangerThatIsTheSameIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newEstranged(t, true)
		defer w.close()
		w.answer(away.AskForeign, away.ChooseSame)
		for range 2 {
			w.tick(time.Minute)
			w.run(engine.Options{Yes: true})
		}
		if got := w.value(record.Right, 0, "name"); got != "entered anew" {
			t.Errorf("got name %q on the right", got)
		}
		if c, ok := w.question(); ok {
			t.Errorf("asked: %v", c)
		}
	})
}

// Where the record that was linked is there again under its id, the link goes on, and
// the question is gone.
func TestStrangerThatMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newEstranged(t, true)
		defer w.close()
		w.sys[record.Left].Restore(w.was)
		w.edit(record.Left, 0, "name", "edited")
		w.rest()
		if got := w.value(record.Right, 0, "name"); got != "edited" {
			t.Errorf("got name %q on the right", got)
		}
		if c, ok := w.question(); ok {
			t.Errorf("asked: %v", c)
		}
	})
}

// Where both records of a link were gone, what is made under the id of one of them later
// on tells nothing of its system: in a house of two it would pass for another account.
func TestStrangerOfALinkThatIsGoneStopsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{Times: true, PageSize: 1}, {}}})
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "linked"})
		}
		w.rest()
		was, _ := w.find(record.Left, 0)
		w.remove(record.Left, 0)
		w.remove(record.Right, 0)
		w.rest()
		w.remove(record.Left, 2)
		w.remove(record.Right, 2)
		w.rest()
		w.tick(time.Hour)
		w.sys[record.Left].PutAs(kinds[record.Left], was.Ref.ID, record.Fields{
			"phone": record.OfText(phoneOf(7)), "name": record.OfText("another"), "note": record.OfText("new"),
		})
		w.edit(record.Right, 1, "name", "edited")
		rep, err := w.try(engine.Options{Yes: true})
		if err != nil {
			t.Errorf("%v: %+v", err, rep.Halts)
		}
		if got := w.value(record.Left, 1, "name"); got != "edited" {
			t.Errorf("got name %q on the left", got)
		}
	})
}

// A record that may be a stranger was merged into one that came meanwhile. Whether that one
// is the link's is for the person to say who is asked already: until then nothing is made
// of it, and the run goes on.
func TestF34_StrangerThatIsMerged(t *testing.T) {
	for _, c := range []struct {
		answer away.GoneChoice
		others int // records of the right that are not of this link
		linked bool
	}{{away.ChooseNone, 3, false}, {away.ChooseSame, 3, true}, {away.ChooseLeave, 4, false}} {
		t.Run("answer: "+string(c.answer), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newEstranged(t, false)
				defer w.close()
				left := w.sys[record.Left]
				stranger, _ := w.find(record.Left, 0)
				into := left.Put(kinds[record.Left], record.Fields{"phone": record.OfText(phoneOf(7)), "name": record.OfText("who is left")})
				left.Merge(kinds[record.Left], stranger.Ref.ID, into)
				w.rest()
				w.asked(away.AskForeign)
				if c.answer != away.ChooseNone {
					w.answer(away.AskForeign, c.answer)
					w.rest()
				}
				if got := len(w.picture(record.Right)); got != 1+c.others {
					t.Errorf("the right has %d records, want %d", got, 1+c.others)
				}
				e := w.entryOf(record.Left, into)
				pair, ok, err := w.store.PairOf(t.Context(), e.Place, e.Ref)
				if err != nil {
					t.Fatal(err)
				}
				mate, _ := w.find(record.Right, 0)
				if is := ok && pair.Sides[record.Right].Ref == mate.Ref; is != c.linked {
					t.Errorf("it is linked to %v: %t, want %t", mate.Ref, is, c.linked)
				}
			})
		})
	}
}
