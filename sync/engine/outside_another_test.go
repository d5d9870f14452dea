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
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// reused is a world in which the id of person 0 was given to somebody else on a side, about which
// a person is asked. What is left without a partner is deleted.
func reused(t *testing.T, side record.Side, times bool) *world {
	t.Helper()
	s := setting{gone: both(away.GoneDelete)}
	for i := range record.Sides {
		s.kinds[i] = memory.Kind{Delete: true, Times: times}
	}
	w := newWorld(t, s)
	for n := range 4 {
		w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": "note", "mail": fmt.Sprintf("%d@example.com", n)})
	}
	w.rest()
	w.tick(30 * 24 * time.Hour)
	was, _ := w.find(side, 0)
	w.sys[side].Remove(kinds[side], was.Ref.ID)
	w.sys[side].PutAs(kinds[side], was.Ref.ID, record.Fields{
		spell(side, "phone"): record.OfText(phoneOf(7)), spell(side, "name"): record.OfText("Somebody Else"),
		spell(side, "note"): record.OfText("other"), spell(side, "mail"): record.OfText("7@example.com"),
	})
	w.rest()
	w.asked(away.AskForeign)
	return w
}

// A person says that it is another record which has the id. That one is made across, once, and in
// step from then on. The old partner is neither deleted nor made anew: a person is asked.
func TestOutsideAnotherRecordUnderTheID(t *testing.T) {
	for _, side := range record.Sides {
		for _, times := range []bool{false, true} {
			for _, then := range []string{"", "create", "leave"} {
				t.Run(fmt.Sprintf("%s, times %t, then %q", side, times, then), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := reused(t, side, times)
						defer w.close()
						w.answer(away.AskForeign, away.ChooseAnew)
						w.rest()
						if w.has(7) != "lr" || w.has(0) != side.Other().String()[:1] || len(w.picture(side.Other())) != 5 {
							t.Fatalf("want 7 on both sides and 0 on the %s alone:\n%s", side.Other(), w.both())
						}
						w.edit(side, 7, "name", "goes on")
						w.edit(side.Other(), 0, "note", "edited")
						w.rest()
						if w.value(side.Other(), 7, "name") != "goes on" || w.value(side, 7, "note") != "other" {
							t.Errorf("it is not in step:\n%s", w.both())
						}
						cs, err := w.store.Questions(t.Context(), job, true)
						w.must(err)
						if len(cs) != 1 || !strings.Contains(cs[0].Why, "another record under the id") {
							t.Fatalf("got questions %+v, want one about the old partner", cs)
						}
						if then != "" {
							w.must(w.store.Choose(t.Context(), cs[0].ID, "value", record.OfText(then), time.Now()))
							w.rest()
						}
						want := map[string]string{"": side.Other().String()[:1], "create": "lr", "leave": side.Other().String()[:1]}[then]
						if got := w.has(0); got != want {
							t.Errorf("the old partner is on %q, want %q:\n%s", got, want, w.both())
						}
						w.idle(2)
					})
				})
			}
		}
	}
}

// Two that a person left apart are no pair, whatever they hold: a comparison names both.
func TestOutsideAPartedPairIsNotTheSame(t *testing.T) {
	for _, times := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := reused(t, record.Left, times)
			defer w.close()
			w.answer(away.AskForeign, away.ChooseLeave)
			w.rest()
			v := w.run(engine.Options{Full: true, Dry: true, Verify: true}).Verified
			if v.Links != 3 || v.Same != 3 || v.Causes[plan.LeftOut] != 2 {
				t.Errorf("got %d links, %d the same, %v: want 3 of both, and two that were left alone", v.Links, v.Same, v.Causes)
			}
			for _, l := range v.Lone {
				if !strings.Contains(l.Why, "nothing is carried over between them any more") {
					t.Errorf("%s: %s", l.Ref, l.Why)
				}
			}
		})
	}
}
