package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// daysOfAStay is a world whose note and mail are the days of a stay, of which both sides hold one from
// the 10th to the 12th.
func daysOfAStay(t *testing.T, group string) *world {
	t.Helper()
	w := newWorld(t, setting{policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.Person, "mail": merge.Person}})
	rules := &w.eng.Jobs[job].Rules
	rules.Span = plan.Span{"note", "mail"}
	for i := range rules.Merge {
		if f := rules.Merge[i].Field; f == "note" || f == "mail" {
			rules.Merge[i].Group = group
		}
	}
	w.put(record.Left, 0, map[string]string{"note": "2026-12-10", "mail": "2026-12-12"})
	w.rest()
	return w
}

// said answers the open question about a field.
func (w *world) said(field, choice, value string) {
	w.Helper()
	open, err := w.store.Questions(context.Background(), job, true)
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range open {
		if c.Field == field {
			w.must(w.store.Choose(context.Background(), c.ID, record.Choice(choice), record.OfText(value), time.Now()))
			return
		}
	}
	w.Fatalf("nobody is asked about %s: %v", field, open)
}

// wantDays fails the test unless each side holds these days.
func (w *world) wantDays(when string, want [2][2]string) {
	w.Helper()
	for _, side := range record.Sides {
		if got := [2]string{w.value(side, 0, "note"), w.value(side, 0, "mail")}; got != want[side] {
			w.Errorf("%s: the %s has %q, want %q", when, side, got, want[side])
		}
	}
}

// What a person says of two days that are decided together never has a stay end before it begins:
// nothing is written, and they are asked again.
func TestOutsideAStayNeverEndsBeforeItBegins(t *testing.T) {
	for _, group := range []string{"stay", ""} {
		for _, said := range [][2][2]string{
			{{"value", "2026-12-15"}, {"value", "2026-12-13"}},
			{{"right", ""}, {"left", ""}},
		} {
			t.Run(group+" "+said[0][0], func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := daysOfAStay(t, group)
					defer w.close()
					w.edit(record.Left, 0, "note", "2026-12-14")
					w.edit(record.Left, 0, "mail", "2026-12-16")
					w.edit(record.Right, 0, "note", "2026-12-24")
					w.edit(record.Right, 0, "mail", "2026-12-26")
					w.rest()
					asked := [2][2]string{{"2026-12-14", "2026-12-16"}, {"2026-12-24", "2026-12-26"}}
					w.said("note", said[0][0], said[0][1])
					w.said("mail", said[1][0], said[1][1])
					for range 3 {
						w.rest()
						w.wantDays("it would end before it begins", asked)
					}
					w.said("note", "left", "")
					w.said("mail", "right", "")
					w.rest()
					w.wantDays("answered anew", [2][2]string{{"2026-12-14", "2026-12-26"}, {"2026-12-14", "2026-12-26"}})
					w.idle(2)
				})
			})
		}
	}
}

// Each side moved one of two days that are not decided together. They would end before they
// begin once both are carried over: a person is asked, and what they say of one is done.
func TestOutsideDaysOfBothSidesThatDoNotGoTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := daysOfAStay(t, "")
		defer w.close()
		w.edit(record.Left, 0, "note", "2026-12-11")
		w.edit(record.Right, 0, "mail", "2026-12-10")
		w.rest()
		w.wantDays("moved apart", [2][2]string{{"2026-12-11", "2026-12-12"}, {"2026-12-10", "2026-12-10"}})
		w.said("note", "right", "")
		w.rest()
		w.wantDays("one was answered", [2][2]string{{"2026-12-10", "2026-12-10"}, {"2026-12-10", "2026-12-10"}})
		w.idle(2)
	})
}

// A user who enters days that end before they begin is followed: it is theirs to mend.
func TestOutsideDaysThatAUserEnteredSoGoOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := daysOfAStay(t, "stay")
		defer w.close()
		w.edit(record.Left, 0, "note", "2026-12-20")
		w.rest()
		w.wantDays("entered so", [2][2]string{{"2026-12-20", "2026-12-12"}, {"2026-12-20", "2026-12-12"}})
	})
}
