package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A user edits another field of the record at any moment of its trial. What they entered stands, or is
// asked about, or a person is told to enter it: it is never put back, nor written over, without a word.
// What is entered after the last read before an update that empties it no read ever shows.
func TestOutside06AnEditAtAnyStep(t *testing.T) {
	var bad []string
	for _, replaces := range []bool{true, false} {
		for _, field := range []string{"name", "mail", "remark"} {
			steps := 1
			for k := 0; k < steps; k++ {
				synctest.Test(t, func(t *testing.T) {
					w := replacing(t, memory.Kind{})
					defer w.close()
					w.is(record.Right, memory.Kind{Tried: true, Replaces: replaces})
					ada, _ := w.find(record.Right, 0)
					at, n := "", 0
					w.sys[record.Right].Hook(memory.Hooks{Step: func(step string) {
						tr := w.trial(record.Update)
						if tr.Ref != ada.Ref {
							return
						}
						if n == k {
							at = step
							w.sys[record.Right].Edit(kinds[record.Right], ada.Ref.ID, record.Fields{spell(record.Right, field): record.OfText("entered meanwhile")})
						}
						n++
					}})
					w.edit(record.Left, 0, "note", "late arrival")
					for range 2 {
						w.run(engine.Options{Yes: true})
						w.tick(settle)
					}
					steps = max(steps, n)
					w.sys[record.Right].Hook(memory.Hooks{})
					w.setting.kinds[record.Right].Rewrites = true
					w.rewrites(record.Right)
					w.rest()
					w.rest()
					r, _ := w.find(record.Right, 0)
					got := r.Fields[spell(record.Right, field)].Text()
					unread := replaces && (slices.Contains([]string{"after get people", "before update people"}, at) || field == "remark" && at == "before get people")
					if at != "" && !unread && got != "entered meanwhile" && !w.hasHeard(spell(record.Right, field)) {
						bad = append(bad, fmt.Sprintf("replaces %t, %s, step %d of %d (%s): the right has %q, journal %t, halts %v, trial %s", replaces, field, k, n, at, got, w.lostInJournal("entered meanwhile"), w.halted("trial"), w.trial(record.Update).State))
					}
				})
			}
		}
	}
	for _, text := range bad {
		t.Error(text)
	}
}

// hasHeard reports whether a person is asked about a field, or was told of it.
func (w *world) hasHeard(path string) bool {
	w.Helper()
	open, err := w.store.Questions(context.Background(), job, true)
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range open {
		if spell(record.Right, c.Field) == path {
			return true
		}
	}
	alerts, err := w.store.Alerts(context.Background(), time.Time{}, 100)
	if err != nil {
		w.Fatal(err)
	}
	for _, a := range alerts {
		if strings.Contains(a.Text, path+" could not be put back") {
			return true
		}
	}
	return false
}

// What a user entered, or emptied, while a trial was under way is asked about until somebody answers, and what
// they say is done.
func TestOutside06AnEditMeanwhileIsAnswered(t *testing.T) {
	const was = "ada@example.com"
	for _, entered := range []string{"entered@example.com", ""} {
		for _, choice := range []string{"left", "right", string(record.ChoiceLeave)} {
			synctest.Test(t, func(t *testing.T) {
				w := replacing(t, memory.Kind{})
				defer w.close()
				w.is(record.Right, memory.Kind{Tried: true})
				w.afterUpdates(settle/2, func() { w.edit(record.Right, 0, "mail", entered) })
				w.edit(record.Left, 0, "note", "late arrival")
				w.rest()
				w.sys[record.Right].Hook(memory.Hooks{})
				w.rest()
				open, err := w.store.Questions(t.Context(), job, true)
				if err != nil || len(open) != 1 || open[0].Cause != plan.Tried || w.value(record.Left, 0, "mail") != was || w.value(record.Right, 0, "mail") != entered {
					t.Fatalf("%q: asked is %+v, %v", entered, open, err)
				}
				if err := w.store.Choose(t.Context(), open[0].ID, record.Choice(choice), record.Value{}, time.Now()); err != nil {
					t.Fatal(err)
				}
				w.rest()
				want := map[string][2]string{"left": {was, was}, "right": {entered, entered}, string(record.ChoiceLeave): {was, entered}}[choice]
				for _, side := range record.Sides {
					if got := w.value(side, 0, "mail"); got != want[side] {
						t.Errorf("%q, %s: the %s has %q", entered, choice, side, got)
					}
				}
				if open, err = w.store.Questions(t.Context(), job, true); err != nil || len(open) > 0 {
					t.Errorf("still asked is %+v, %v", open, err)
				}
			})
		}
	}
}

// What a user edits while a trial is under way is known once the trial is over, also before a list shows
// it: a record that names it would be written without its phone (seed 20919 of the histories).
func TestOutside06AnEditMeanwhileIsKnown(t *testing.T) {
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprintf("a read fails %t", fails), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := replacing(t, memory.Kind{})
				defer w.close()
				w.is(record.Right, memory.Kind{Tried: true})
				w.edit(record.Left, 0, "note", "late arrival")
				w.run(engine.Options{Yes: true})
				ada, _ := w.find(record.Right, 0)
				phone := spell(record.Right, "phone")
				w.edit(record.Right, 0, "phone", phoneOf(77))
				w.tick(2 * settle)
				if fails { // the read after that of the trial, and all later ones
					w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, ID: ada.Ref.ID, Skip: 1, Times: -1, Class: connectors.Transient})
				}
				other, _ := w.find(record.Left, 1)
				_, _ = w.try(engine.Options{Yes: true, Only: []record.Ref{other.Ref}, OnlySide: record.Left})
				e, _, err := w.store.Entry(t.Context(), record.Place{Binding: job, Side: record.Right}, ada.Ref)
				if over := w.trial(record.Update).Over(); err != nil || over == fails || !fails && e.Last()[phone].Text() != phoneOf(77) {
					t.Errorf("fails %t: the trial is over %t, and the phone is known as %v (%v)", fails, over, e.Last()[phone], err)
				}
			})
		})
	}
}
