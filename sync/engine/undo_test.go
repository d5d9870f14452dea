package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// undo takes a run back.
func (w *world) undo(run int64) engine.Report {
	w.Helper()
	w.tick(time.Minute)
	rep, err := w.eng.Run(context.Background(), job, engine.Options{Undo: &engine.Undo{Run: run}})
	if err != nil {
		w.Fatalf("undo run %d: %v", run, err)
	}
	return rep
}

// undone is what an undo came to, short enough to compare.
func undone(rep engine.Report) string {
	n := rep.Counts
	return fmt.Sprintf("%d updated, %d created, %d deleted; %d conflicts, %d beyond, %d already",
		n["left.updated"]+n["right.updated"], n["left.created"]+n["right.created"], n["left.deleted"]+n["right.deleted"],
		n["conflicts"], n["beyond"], n["already"])
}

// lenient lets each side win by its field and deletes.
func lenient() setting {
	return setting{
		kinds: [2]memory.Kind{{Delete: true}, {Delete: true}}, guards: guard.Guards{},
		policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.LeftWins, "phone": merge.LeftWins},
	}
}

// linkedPeople is a world in which n persons are in step.
func inStepPeople(t fails, s setting, n int) *world {
	w := newWorld(t, s)
	for i := range n {
		w.put(record.Left, i, map[string]string{"name": fmt.Sprint("n", i), "note": "old", "mail": fmt.Sprintf("m%d@example.com", i)})
		w.put(record.Right, i, map[string]string{"name": fmt.Sprint("n", i), "note": "old", "mail": fmt.Sprintf("m%d@example.com", i)})
	}
	w.rest()
	return w
}

// What still holds our value is put back, what somebody edited since stays and is a
// conflict, no later run writes the undone value again, and a second undo does nothing.
func TestF47_UndoOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inStepPeople(t, lenient(), 3)
		defer w.close()
		for n := range 3 {
			w.edit(record.Left, n, "name", "bad")
		}
		bad := w.run(engine.Options{Yes: true}).Run
		w.edit(record.Right, 1, "name", "by hand")

		dry, err := w.eng.Run(context.Background(), job, engine.Options{Dry: true, Undo: &engine.Undo{Run: bad}})
		if err != nil || len(dry.Actions) != 2 || len(dry.Undo.Conflicts) != 1 || w.value(record.Right, 0, "name") != "bad" {
			t.Fatalf("dry: got %d actions, %+v, %v", len(dry.Actions), dry.Undo, err)
		}
		rep := w.undo(bad)
		if got, want := undone(rep), "2 updated, 0 created, 0 deleted; 1 conflicts, 0 beyond, 0 already"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		c := rep.Undo.Conflicts[0]
		if c.Field != "name" || c.Before.Text() != "n1" || c.Written.Text() != "bad" || c.Now.Text() != "by hand" {
			t.Errorf("conflict: got %+v", c)
		}
		if run, _, err := w.store.Run(context.Background(), rep.Run); err != nil || run.Undoes != bad || run.Outcome != record.Waits {
			t.Errorf("run: got %+v, %v, want one that undoes %d and waits", run, err, bad)
		}
		for n, want := range []string{"n0", "by hand", "n2"} {
			if got := w.value(record.Right, n, "name"); got != want {
				t.Errorf("person %d on the right: got %s, want %s", n, got, want)
			}
		}
		before := w.mutations()
		if got, want := undone(w.undo(bad)), "0 updated, 0 created, 0 deleted; 1 conflicts, 0 beyond, 2 already"; got != want {
			t.Errorf("a second undo: got %s, want %s", got, want)
		}
		if n := w.mutations() - before; n != 0 {
			t.Errorf("a second undo wrote %d times", n)
		}
		w.rest() // the edit by hand is synced as any other; the undone values are not pushed again
		for n, want := range []string{"n0", "by hand", "n2"} {
			if got := w.value(record.Right, n, "name"); got != want {
				t.Errorf("person %d on the right after three runs: got %s, want %s", n, got, want)
			}
		}
		if got := w.value(record.Left, 0, "name"); got != "bad" {
			t.Errorf("an undo wrote to the other side: %s", got)
		}
		w.edit(record.Left, 0, "name", "new") // an edit flows again
		w.rest()
		if got := w.value(record.Right, 0, "name"); got != "new" {
			t.Errorf("an edit after the undo: got %s, want new", got)
		}
	})
}

// An undo is a run like any other: it can be undone.
func TestF47_UndoOfAnUndo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inStepPeople(t, lenient(), 2)
		defer w.close()
		w.edit(record.Left, 0, "name", "better")
		w.edit(record.Right, 1, "note", "also")
		run := w.run(engine.Options{Yes: true}).Run
		was := w.both()
		first := w.undo(run)
		if w.both() == was {
			t.Fatal("the undo changed nothing")
		}
		w.undo(first.Run)
		if got := w.both(); got != was {
			t.Errorf("got\n%s\nwant\n%s", got, was)
		}
		if due := w.due(); len(due) > 0 {
			t.Errorf("left to do: %v", due)
		}
	})
}

// One record alone is undone, whichever of the two names it.
func TestF47_UndoOfOneRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, side := range record.Sides {
			w := inStepPeople(t, lenient(), 3)
			for n := range 3 {
				w.edit(record.Left, n, "name", "bad")
			}
			run := w.run(engine.Options{Yes: true}).Run
			r, _ := w.find(side, 1)
			w.tick(time.Minute)
			rep, err := w.eng.Run(context.Background(), job, engine.Options{Undo: &engine.Undo{Run: run, Side: side, Ref: r.Ref}})
			if err != nil || undone(rep) != "1 updated, 0 created, 0 deleted; 0 conflicts, 0 beyond, 0 already" {
				t.Errorf("%s: got %s, %v", side, undone(rep), err)
			}
			if got := w.value(record.Right, 0, "name") + w.value(record.Right, 1, "name") + w.value(record.Right, 2, "name"); got != "badn1bad" {
				t.Errorf("%s: got %s", side, got)
			}
			w.close()
		}
	})
}

// An edit that no run has carried over yet is not lost by an undo of the run before it.
func TestF47_UndoKeepsAnEditOnTheOtherSide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inStepPeople(t, lenient(), 1)
		defer w.close()
		w.edit(record.Left, 0, "name", "bad")
		run := w.run(engine.Options{Yes: true}).Run
		w.edit(record.Left, 0, "name", "good")
		w.undo(run)
		w.rest()
		if got := w.value(record.Right, 0, "name"); got != "good" {
			t.Errorf("got %s, want the edit that was made after the run", got)
		}
	})
}

// Nothing is undone of a run that is not this job's, that was a plan, or that is not
// known.
func TestUndoOfNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inStepPeople(t, lenient(), 1)
		defer w.close()
		dry := w.run(engine.Options{Dry: true}).Run
		for run, want := range map[int64]string{4711: "has no such run", dry: "it was a plan"} {
			_, err := w.eng.Run(context.Background(), job, engine.Options{Undo: &engine.Undo{Run: run}})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		}
	})
}

// A run on systems that nobody touches since is undone wholly, a second undo writes
// nothing, and no later run writes what was undone.
func TestF47_UndoLaw(t *testing.T) {
	law(t, func(t *rapid.T) {
		w := inStepPeople(t, lenient(), people)
		defer w.close()
		for _, d := range deeds(t, 6, "edit") {
			w.do(d)
		}
		byHand := [2]map[string]string{{}, {}} // what users left, which is theirs
		for _, side := range record.Sides {
			for n := range people {
				for _, f := range fields {
					byHand[side][fmt.Sprint(n, f)] = w.value(side, n, f)
				}
			}
		}
		run := w.run(engine.Options{Yes: true}).Run
		rep := w.undo(run)
		if len(rep.Undo.Conflicts)+len(rep.Undo.Beyond) > 0 {
			t.Fatalf("got %+v", rep.Undo)
		}
		for _, side := range record.Sides {
			for n := range people {
				for _, f := range fields {
					if got, want := w.value(side, n, f), byHand[side][fmt.Sprint(n, f)]; got != want {
						t.Fatalf("%s %d %s: got %q, want %q as before the run", side, n, f, got, want)
					}
				}
			}
		}
		before := w.mutations()
		w.undo(run)
		w.rest()
		if n := w.mutations() - before; n != 0 {
			t.Fatalf("%d writes after the undo", n)
		}
	})
}

// A record that a create met, and that was there before, is not deleted by an undo.
func TestUndoDeletesNothingThatWasMet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := lenient()
		s.kinds[record.Right] = memory.Kind{Delete: true, Unique: [][]string{{"their_phone"}}, FindBy: [][]string{{"their_phone"}}, ListLag: time.Hour}
		w := inStepPeople(t, s, 2)
		defer w.close()
		w.tick(2 * time.Hour)
		w.rest()
		w.put(record.Left, 7, map[string]string{"name": "same"})
		w.put(record.Right, 7, map[string]string{"name": "same"})
		rep := w.run(engine.Options{Yes: true})
		if rep.Counts["right.adopted"] != 1 {
			t.Fatalf("the create met nothing: %v", rep.Counts)
		}
		if got, want := undone(w.undo(rep.Run)), "0 updated, 0 created, 0 deleted; 0 conflicts, 1 beyond, 0 already"; got != want || w.has(7) != "lr" {
			t.Errorf("got %s, want %s; the record is on %q", got, want, w.has(7))
		}
	})
}

// An undo can't know whether what its job stood before is over: it writes nothing, and the
// job goes on standing.
func TestUndoEndsNoHalt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var run int64
		w := goBack(t, memory.Kind{}, func(w *world) {
			for i := range 4 {
				w.edit(record.Left, i, "name", fmt.Sprint("new", i))
			}
			w.run(engine.Options{Yes: true})
			w.tick(time.Minute)
			w.edit(record.Right, 9, "note", "noted")
			run = w.run(engine.Options{Yes: true}).Run
		})
		defer w.close()
		if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
			t.Fatal(err)
		}
		before := w.mutations()
		_, err := w.eng.Run(context.Background(), job, engine.Options{Undo: &engine.Undo{Run: run}})
		if !errors.Is(err, engine.ErrHalted) || w.mutations() != before {
			t.Errorf("got %v and %d writes", err, w.mutations()-before)
		}
		if halts, err := w.store.Halts(t.Context(), job); err != nil || len(halts) != 1 {
			t.Errorf("got %v, %+v", err, halts)
		}
	})
}
