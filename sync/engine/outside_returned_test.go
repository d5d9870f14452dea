package engine_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// cameBack is a world in which person 0 was removed on a side, what the rule says was done across,
// what else a scene does was done, and the person is there again, of whom somebody is asked.
func cameBack(t *testing.T, side record.Side, policy away.GonePolicy, meanwhile func(w *world)) *world {
	t.Helper()
	w := newWorld(t, setting{kinds: deletes, gone: both(policy)})
	for n := range 4 {
		w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": "note"})
	}
	w.rest()
	was := w.sys[side].Snapshot()
	w.remove(side, 0)
	w.rest()
	if meanwhile != nil {
		meanwhile(w)
	}
	w.sys[side].Restore(was)
	w.rest()
	w.asked(away.AskReturned)
	return w
}

// A record was deleted by us because its partner was, or by somebody. The partner comes back, and a
// person says that it is the same. It lives: it is made anew across, once, and in step from then on.
func TestOutsideWhatComesBackIsNotDeletedForItsPartner(t *testing.T) {
	for _, side := range record.Sides {
		byHand := func(w *world) { w.remove(side.Other(), 0); w.rest() }
		for _, c := range []struct {
			name      string
			policy    away.GonePolicy
			meanwhile func(*world)
		}{
			{"deleted by us", away.GoneDelete, nil},
			{"deleted by a person's word", away.GoneHold, func(w *world) { w.answer(away.AskGone, away.ChooseCarry); w.rest() }},
			{"unlinked, and deleted by hand", away.GoneUnlink, byHand},
			{"held, and deleted by hand", away.GoneHold, byHand},
		} {
			for _, edited := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s back, edited %t", c.name, side, edited), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := cameBack(t, side, c.policy, c.meanwhile)
						defer w.close()
						if edited {
							w.edit(side, 0, "note", "edited since")
						}
						w.answer(away.AskReturned, away.ChooseSame)
						w.rest()
						if got := w.has(0); got != "lr" {
							t.Fatalf("a person said that it is the same: it is on %q, want both:\n%s", got, w.both())
						}
						if n := len(w.picture(side.Other())); n != 4 {
							t.Errorf("%d records across, want 4:\n%s", n, w.both())
						}
						if q, ok := w.question(); ok {
							t.Errorf("asked: %s", q.Why)
						}
						w.idle(2)
						w.edit(side, 0, "name", "goes on")
						w.rest()
						if got := w.value(side.Other(), 0, "name"); got != "goes on" {
							t.Errorf("got name %q across: it is not in step", got)
						}
					})
				})
			}
		}
	}
}

// Whether the partner is gone is not known yet when a person says that it is the same: the answer
// waits for that.
func TestOutsideWhatComesBackWaitsForItsPartner(t *testing.T) {
	for _, side := range record.Sides {
		synctest.Test(t, func(t *testing.T) {
			w := cameBack(t, side, away.GoneUnlink, nil)
			defer w.close()
			for i := range record.Sides {
				w.eng.Jobs[job].Sides[i].Gone.Policy = away.GoneDelete
			}
			w.remove(side.Other(), 0)
			w.sys[side.Other()].Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Transient, Times: -1})
			for range 2 { // no list shows the partner, and it can't be read: the question is another one
				w.tick(time.Minute)
				w.run(engine.Options{Yes: true, Full: true})
				w.answer(away.AskReturned, away.ChooseSame)
			}
			w.run(engine.Options{Yes: true, Full: true})
			w.sys[side.Other()].Heal()
			w.rest()
			if got := w.has(0); got != "lr" {
				t.Fatalf("a person said that it is the same: it is on %q, want both:\n%s", got, w.both())
			}
		})
	}
}

// The id of a record names another one than was linked, of which the partner was removed meanwhile.
// A person says that it is the same all the same: it lives, as it is now, and is made anew across.
func TestOutsideTheSameIsNotDeletedForItsPartner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newEstranged(t, false)
		defer w.close()
		for i := range record.Sides {
			w.eng.Jobs[job].Sides[i].Gone.Policy = away.GoneDelete
		}
		w.remove(record.Right, 0)
		w.rest()
		w.answer(away.AskForeign, away.ChooseSame)
		w.rest()
		if got := w.value(record.Right, 0, "name"); w.has(0) != "lr" || got != "entered anew" {
			t.Errorf("got name %q on the right:\n%s", got, w.both())
		}
		w.idle(2)
	})
}

// In a house of two nobody else vouches for the system of a stranger: a run ends before its first
// write. That the stranger is the same, as a person says, counts all the same where its partner is gone.
func TestOutsideTheSameIsHeardInAHouseOfTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{Times: true, PageSize: 1}, {}}})
		defer w.close()
		for n := range 2 {
			w.put(record.Left, n, map[string]string{"name": "linked"})
		}
		w.rest()
		w.tick(time.Hour)
		linked, _ := w.find(record.Left, 0)
		w.sys[record.Left].Remove(kinds[record.Left], linked.Ref.ID)
		w.sys[record.Left].PutAs(kinds[record.Left], linked.Ref.ID, record.Fields{"name": record.OfText("entered anew"), "phone": record.OfText(phoneOf(7))})
		w.remove(record.Right, 0)
		w.put(record.Right, 5, map[string]string{"name": "new"})
		full := engine.Options{Yes: true, Full: true}
		if _, err := w.try(full); !errors.Is(err, engine.ErrHalted) {
			t.Fatalf("got %v, and was to stand still", err)
		}
		w.answer(away.AskForeign, away.ChooseSame)
		for range 3 {
			w.tick(time.Minute)
			_, _ = w.try(full)
		}
		if got := w.value(record.Right, 7, "name"); w.has(7) != "lr" || w.has(5) != "lr" || got != "entered anew" {
			t.Errorf("got name %q on the right:\n%s", got, w.both())
		}
		if q, ok := w.question(); ok {
			t.Errorf("asked: %s", q.Why)
		}
	})
}

// Of a person nothing was ever settled but the phone: the name of one side is wrong, and that side takes no update.
// The record was removed, and left alone across. Its system has it again, as made anew, with another phone. Nothing
// tells whether it is the same person, so somebody is asked, and nothing is made before that. If the name was settled
// and is another one, too, it is a new person.
func TestOutsideWhatComesBackWithAnotherKeyIsAskedAbout(t *testing.T) {
	for _, named := range []bool{false, true} {
		t.Run(fmt.Sprintf("the name was settled: %t", named), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {NoUpdate: true, Times: true}}, gone: both(away.GoneUnlink)})
				defer w.close()
				names := [2]string{"name", map[bool]string{false: "wrong", true: "name"}[named]}
				for n := range 3 {
					for _, side := range record.Sides {
						w.put(side, n, map[string]string{"name": names[side]})
					}
				}
				w.rest()
				was, _ := w.find(record.Right, 0)
				w.remove(record.Right, 0)
				w.rest()
				w.sys[record.Right].PutAs(kinds[record.Right], was.Ref.ID, record.Fields{
					spell(record.Right, "phone"): record.OfText(phoneOf(7)), spell(record.Right, "name"): record.OfText("wrong"),
				})
				w.run(engine.Options{Yes: true, Full: true})
				if named {
					wantCount(t, "records on the left", len(w.picture(record.Left)), 4)
					return
				}
				w.asked(away.AskReturned)
				wantCount(t, "records on the left", len(w.picture(record.Left)), 3)
			})
		})
	}
}

// A change of a guest's phone, mail and note was answered with yes and not made, and no read has told so when the guest was
// removed. Put back as it was, it is that guest, and not another one to be made across.
func TestOutsideWhatComesBackWithoutTheLastChange(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		t.Run(fmt.Sprintf("kept as digests: %t", sealed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				deaf := false
				as := setting{kinds: [2]memory.Kind{record.Right: {Undone: func(record.Change) bool { return deaf }, Silent: true, Born: true}}, gone: both(away.GoneUnlink)}
				if sealed {
					as.sealed = filepath.Join(t.TempDir(), "key")
				}
				w := newWorld(t, as)
				defer w.close()
				for n := range 3 {
					w.put(record.Left, n, map[string]string{"name": "name", "mail": "m@example.com", "note": "early"})
				}
				w.rest()
				was, _ := w.find(record.Right, 0)
				deaf = true
				edited, _ := w.find(record.Left, 0)
				w.sys[record.Left].Edit(kinds[record.Left], edited.Ref.ID, record.Fields{
					spell(record.Left, "phone"): record.OfText(phoneOf(7)), spell(record.Left, "mail"): record.OfText("n@example.com"), spell(record.Left, "note"): record.OfText("late"),
				})
				w.tick(time.Minute)
				w.run(engine.Options{Yes: true})
				w.remove(record.Right, 0)
				w.rest()
				w.sys[record.Right].PutAs(kinds[record.Right], was.Ref.ID, was.Fields)
				w.rest()
				wantCount(t, "records on the left", len(w.picture(record.Left)), 3)
				wantCount(t, "records on the right", len(w.picture(record.Right)), 3)
			})
		})
	}
}
