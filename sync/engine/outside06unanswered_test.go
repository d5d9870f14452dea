package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// unanswered has updates of a guest of the right never be answered, from now on.
func (w *world) unanswered(n int, applied bool) {
	w.Helper()
	r, _ := w.find(record.Right, n)
	w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, ID: r.Ref.ID, Times: -1, Class: connectors.Ambiguous, Applied: applied})
}

// unansweredFound is what is found of updates that are not answered, of one record each.
func (w *world) unansweredFound() (out []string) {
	w.Helper()
	all, err := w.store.Findings(context.Background(), job)
	if err != nil {
		w.Fatal(err)
	}
	for _, f := range all {
		if f.Name == record.FindUnanswered && f.Link != 0 {
			out = append(out, fmt.Sprintf("%s: %s", f.Ref, f.Text))
		}
	}
	return out
}

// The first update is never answered. It is named with the answer from its first run on, the next
// record takes the trial, all others are written, and it is asked for again ever more seldom.
func TestOutside06AFirstUpdateIsNeverAnswered(t *testing.T) {
	for _, first := range []bool{true, false} {
		t.Run(fmt.Sprintf("the first of all %t", first), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := replacing(t, memory.Kind{})
				defer w.close()
				w.is(record.Right, memory.Kind{Tried: true})
				if !first {
					w.edit(record.Left, 4, "note", "late arrival")
					w.rest()
				}
				w.unanswered(0, false)
				for n := range 4 {
					w.edit(record.Left, n, "note", "late arrival")
				}
				before := w.sys[record.Right].Counts().Mutations
				asked := func() int { return w.sys[record.Right].Counts().Mutations - before }
				for i := range 6 {
					rep := w.run(engine.Options{Yes: true})
					if found := w.unansweredFound(); (first || i > 0) && (len(found) != 1 || !strings.HasPrefix(found[0], "people:00000001: ") || !strings.Contains(found[0], "ambiguous")) {
						t.Errorf("run %d: found is %q", i, found)
					}
					if (first || i > 0) && rep.Outcome != record.Waits {
						t.Errorf("run %d ended as %s", i, rep.Outcome)
					}
					w.tick(settle)
				}
				for n := 1; n < 4; n++ {
					if got := w.value(record.Right, n, "note"); got != "late arrival" {
						t.Errorf("guest %d has %q: the trial is %s", n, got, w.trial(record.Update).State)
					}
				}
				for range 72 {
					w.tick(10 * time.Minute)
					w.run(engine.Options{Yes: true})
				}
				if n := asked() - 3; n < 10 || n > 20 {
					t.Errorf("within 12 hours it was sent %d times", n)
				}
				w.sys[record.Right].Heal()
				w.tick(24 * time.Hour)
				w.rest()
				if got, found := w.value(record.Right, 0, "note"), w.unansweredFound(); got != "late arrival" || len(found) > 0 {
					t.Errorf("once it is answered it has %q, and found is %q", got, found)
				}
			})
		})
	}
}

// Nor can the record be read by its id: nobody knows what the first update did. After three runs the
// next record takes the trial. What the first emptied is found, and put back, once it can be read.
func TestOutside06AFirstUpdateWithAnUnknownFate(t *testing.T) {
	for _, c := range []struct{ answered, replaces bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := replacing(t, memory.Kind{})
				defer w.close()
				w.is(record.Right, memory.Kind{Tried: true, Replaces: c.replaces})
				right := w.sys[record.Right]
				id, _ := w.find(record.Right, 0)
				right.Hook(memory.Hooks{Step: func(step string) {
					if step == "after update people" {
						right.Hook(memory.Hooks{})
						right.Inject(memory.Fault{Call: memory.CallGet, ID: id.Ref.ID, Times: -1, Class: connectors.Malformed})
					}
				}})
				if !c.answered {
					w.unanswered(0, true)
				}
				for n := range 5 {
					w.edit(record.Left, n, "note", "late arrival")
				}
				for range 3 {
					w.run(engine.Options{Yes: true})
					w.tick(settle)
					if n := w.have5("late arrival"); n > 1 {
						t.Errorf("%d are written while nobody knows what the first did", n)
					}
				}
				w.rest()
				want := 5
				if c.replaces {
					want = 1 // nobody finds the first, which has lost its phone
				}
				if n := w.have5("late arrival"); n != want {
					t.Errorf("%d are written, want %d", n, want)
				}
				if got := w.value(record.Left, 0, "name") + " " + w.value(record.Left, 0, "mail"); got != "Ada ada@example.com" {
					t.Errorf("an effect of our own write travelled: the left has %q", got)
				}
				found, err := w.store.Findings(t.Context(), job)
				if err != nil || len(found) == 0 || found[0].Ref != id.Ref {
					t.Errorf("found is %+v, %v", found, err)
				}
				right.Heal()
				w.rest()
				w.rest()
				w.unharmed("at rest")
				if c.replaces {
					want = 2
				}
				if n := w.have5("late arrival"); n != want {
					t.Errorf("at rest %d are written, want %d", n, want)
				}
				all, err := w.store.Trials(t.Context(), job)
				if err != nil || len(all) != 1 || len(w.unansweredFound()) > 0 {
					t.Errorf("at rest the trials are %+v, %v", all, err)
				}
			})
		})
	}
}

// Killed at any step of the run that puts a first update aside, or of the one that finds out what it did,
// it is kept: what it emptied is put back.
func TestOutside06APutAsideTrialKilled(t *testing.T) {
	for _, later := range []bool{false, true} {
		steps := 0
		for k := 0; k <= steps; k++ { // first none
			synctest.Test(t, func(t *testing.T) {
				w := replacing(t, memory.Kind{})
				defer w.close()
				right := w.sys[record.Right]
				id, _ := w.find(record.Right, 0)
				w.unanswered(0, true)
				w.edit(record.Left, 0, "note", "late arrival")
				w.edit(record.Left, 1, "note", "late arrival")
				right.Hook(memory.Hooks{Step: func(step string) {
					if step == "after update people" {
						right.Hook(memory.Hooks{})
						right.Inject(memory.Fault{Call: memory.CallGet, ID: id.Ref.ID, Times: -1, Class: connectors.Malformed})
					}
				}})
				runs := 3
				if later {
					runs = 8
				}
				for range runs {
					w.run(engine.Options{Yes: true})
					w.tick(settle)
				}
				if later {
					right.Heal()
				}
				steps = max(steps, w.killed(k, engine.Options{Yes: true}))
				right.Heal()
				w.tick(time.Minute)
				w.rest()
				w.rest()
				w.unharmed(fmt.Sprintf("later %t, killed at step %d", later, k))
				if tr := w.trial(record.Update); tr.State != record.TrialStopped || len(w.halted("trial")) != 1 {
					t.Errorf("later %t, killed at step %d: the trial is %s", later, k, tr.State)
				}
			})
		}
		t.Logf("%d kills", steps)
	}
}

// The first update is not answered, and not done, and a user enters the same. What stands there then
// proves nothing of what updates do: the next one is the trial.
func TestOutside06AFirstUpdateThatAUserMadeInItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacing(t, memory.Kind{})
		defer w.close()
		w.is(record.Right, memory.Kind{Tried: true, Replaces: true})
		w.unanswered(0, false)
		w.edit(record.Left, 0, "note", "late arrival")
		w.run(engine.Options{Yes: true})
		w.sys[record.Right].Heal()
		w.edit(record.Right, 0, "note", "late arrival")
		for range 3 {
			w.tick(settle)
			w.run(engine.Options{Yes: true})
		}
		for n := 1; n < 4; n++ {
			w.edit(record.Left, n, "note", "late arrival")
		}
		for range 3 {
			w.tick(settle)
			w.run(engine.Options{Yes: true})
		}
		w.unharmed("after the others were edited")
		if tr := w.trial(record.Update); tr.State != record.TrialStopped {
			t.Errorf("the trial is %s", tr.State)
		}
	})
}
