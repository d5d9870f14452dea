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

// lost is a world of guests and of a booking on each side for one of them, in step, of whose
// records the one across of person 1 is gone.
func lost(t *testing.T, gone record.Side, times bool) (w *world, here, there string) {
	t.Helper()
	kind := memory.Kind{Times: times, Delete: true}
	w = newWorld(t, setting{kinds: [2]memory.Kind{kind, kind}, gone: both(away.GoneHold)})
	w.booked()
	for n := range 6 {
		w.put(gone.Other(), n, map[string]string{"name": phoneOf(n)})
	}
	w.rest()
	a, _ := w.find(gone.Other(), 1)
	b, _ := w.find(gone, 1)
	other, _ := w.find(gone.Other(), 2)
	w.put(gone.Other(), 8, map[string]string{"mail": other.Ref.ID})
	w.rest()
	w.sys[gone].Remove(kinds[gone], b.Ref.ID)
	return w, a.Ref.ID, b.Ref.ID
}

// A guest's record is gone on one side, or another guest has its id: nobody is entered there
// for a booking that names the guest on the other, and who was entered stays, until a person
// has said what becomes of the guest.
func TestOutside39NobodyIsEnteredForAStranger(t *testing.T) {
	for _, c := range []struct {
		name     string
		gone     record.Side
		stranger bool
		same     bool // the plan that asks is the one that sees the booking
		choice   away.GoneChoice
		back     bool // the guest is there again
		made     bool // the booking is, in the end
	}{
		{name: "gone", gone: record.Right},
		{name: "gone, in the same run", gone: record.Right, same: true},
		{name: "gone, left", gone: record.Right, choice: away.ChooseLeave},
		{name: "gone, and there again", gone: record.Right, back: true, made: true},
		{name: "gone on the left", gone: record.Left},
		{name: "gone on the left, and there again", gone: record.Left, back: true, made: true},
		{name: "a stranger", gone: record.Right, stranger: true},
		{name: "a stranger, in the same run", gone: record.Right, stranger: true, same: true},
		{name: "a stranger, left", gone: record.Right, stranger: true, choice: away.ChooseLeave},
		{name: "a stranger, on the left", gone: record.Left, stranger: true, same: true},
		{name: "the same after all", gone: record.Right, stranger: true, choice: away.ChooseSame, made: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, here, there := lost(t, c.gone, !c.back)
				defer w.close()
				q := away.AskGone
				if c.stranger {
					q = away.AskForeign
					w.tick(24 * time.Hour)
					w.sys[c.gone].PutAs(kinds[c.gone], there, record.Fields{spell(c.gone, "phone"): record.OfText(phoneOf(7)), spell(c.gone, "name"): record.OfText("Somebody Else")})
				}
				if !c.same {
					w.rest()
					w.asked(q)
				}
				w.put(c.gone.Other(), 9, map[string]string{"mail": here})
				w.edit(c.gone.Other(), 8, "mail", here)
				was := w.value(c.gone, 8, "mail")
				if c.same {
					w.run(engine.Options{Yes: true})
				}
				w.rest()
				w.asked(q)
				if _, is := w.find(c.gone, 9); is {
					t.Errorf("the booking is for %q:\n%s", w.value(c.gone, 9, "mail"), w.both())
				}
				if got := w.value(c.gone, 8, "mail"); got != was {
					t.Errorf("the booking that stood for %q is for %q", was, got)
				}
				if got := w.stuck(); got[record.FindUnwritable] != 2 {
					t.Errorf("found %v", got)
				}
				if c.choice != "" {
					w.answer(q, c.choice)
				}
				if c.back {
					w.sys[c.gone].PutAs(kinds[c.gone], there, record.Fields{spell(c.gone, "phone"): record.OfText(phoneOf(1)), spell(c.gone, "name"): record.OfText(phoneOf(1))})
				}
				w.rest()
				w.rest()
				want := was
				if c.made {
					want = there
				}
				if _, is := w.find(c.gone, 9); is != c.made || is && w.value(c.gone, 9, "mail") != want {
					t.Errorf("the booking is made %t, for %q, want %t for %q:\n%s", is, w.value(c.gone, 9, "mail"), c.made, want, w.both())
				}
				if got := w.value(c.gone, 8, "mail"); got != want {
					t.Errorf("in the end the other booking is for %q, want %q", got, want)
				}
				if got := w.stuck(); c.made && len(got) != 0 {
					t.Errorf("it is known whom they name, and found %v", got)
				}
				w.idle(2)
			})
		})
	}
}
