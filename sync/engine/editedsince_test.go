package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// The answer to an update is lost, it was done, and a user empties what it wrote, or puts it back. A
// person is asked whether that was before the update or after, whatever the policy, and what they say is
// done. What stands as before, without a sign that the update arrived, is sent again.
func TestAnUnansweredUpdateOfWhatAUserEdited(t *testing.T) {
	const set, was, empty = "late arrival", "quiet room", ""
	for _, c := range []struct {
		right  memory.Kind
		done   bool
		alone  bool // no other field was sent
		beside bool // another field is edited on the right since
		edit   string
		choice string
		want   [2]string
	}{
		{done: true, edit: empty, choice: "right", want: [2]string{empty, empty}},
		{done: true, edit: empty, choice: "left", want: [2]string{set, set}},
		{done: true, edit: empty, choice: string(record.ChoiceLeave), want: [2]string{set, empty}},
		{right: memory.Kind{NoGet: true}, done: true, edit: empty, choice: "right", want: [2]string{empty, empty}},
		{done: true, alone: true, edit: empty, choice: "right", want: [2]string{empty, empty}},
		{done: true, edit: was, choice: "right", want: [2]string{was, was}},
		{right: memory.Kind{NoGet: true}, done: true, edit: was, choice: "left", want: [2]string{set, set}},
		{right: memory.Kind{Versions: true}, done: true, alone: true, edit: was, choice: "right", want: [2]string{was, was}},
		{want: [2]string{set, set}},
		{right: memory.Kind{Versions: true}, alone: true, want: [2]string{set, set}},
		{right: memory.Kind{Versions: true}, done: true, want: [2]string{set, set}},
		{right: memory.Kind{Versions: true}, alone: true, beside: true, want: [2]string{set, set}},
	} {
		for _, policy := range []merge.Policy{merge.LeftWins, merge.RightWins, merge.Person} {
			t.Run(fmt.Sprintf("%t %t %t %t %t %q %s %v", c.right.NoGet, c.right.Versions, c.done, c.alone, c.beside, c.edit, c.choice, policy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: c.right}, policies: map[string]merge.Policy{"name": policy, "note": policy, "mail": policy}})
					defer w.close()
					for n := range 3 {
						w.put(record.Left, n, map[string]string{"name": "Ada", "note": was})
					}
					w.rest()
					w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: c.done})
					w.edit(record.Left, 0, "note", set)
					name := "Ada"
					if !c.alone {
						name = "Eva"
						w.edit(record.Left, 0, "name", name)
					}
					w.run(engine.Options{Yes: true})
					if c.beside {
						w.edit(record.Right, 0, "mail", "eva@example.com")
					}
					asks := c.choice != ""
					if asks {
						w.edit(record.Right, 0, "note", c.edit)
					}
					w.rest()
					open, err := w.store.Questions(t.Context(), job, true)
					if err != nil || len(open) > 0 != asks || asks && (len(open) != 1 || open[0].Cause != plan.Unanswered || open[0].Field != "note") {
						t.Fatalf("asked is %+v, %v", open, err)
					}
					if asks {
						if got := [2]string{w.value(record.Left, 0, "note"), w.value(record.Right, 0, "note")}; got != [2]string{set, c.edit} {
							t.Errorf("before an answer the note is %q", got)
						}
						if err := w.store.Choose(t.Context(), open[0].ID, record.Choice(c.choice), record.Value{}, time.Now()); err != nil {
							t.Fatal(err)
						}
						w.rest()
					}
					for _, side := range record.Sides {
						if got := w.value(side, 0, "note"); got != c.want[side] {
							t.Errorf("the note on the %s is %q, want %q", side, got, c.want[side])
						}
						if got := w.value(side, 0, "name"); got != name {
							t.Errorf("the name on the %s is %q", side, got)
						}
					}
					if open, err = w.store.Questions(t.Context(), job, true); err != nil || len(open) > 0 {
						t.Errorf("still asked is %+v, %v", open, err)
					}
				})
			})
		}
	}
}

// An undo whose answer is lost, and of which a user edits a part: what the rest of it wrote is our own
// doing, and does not travel to the side that the values came from. A person is asked.
func TestAnUnansweredUndoDoesNotTravel(t *testing.T) {
	for _, policy := range []merge.Policy{merge.LeftWins, merge.RightWins, merge.Person} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{policies: map[string]merge.Policy{"name": policy, "note": policy, "mail": policy}})
			defer w.close()
			for n := range 3 {
				w.put(record.Left, n, map[string]string{"name": "Ada", "note": "old"})
			}
			w.rest()
			w.edit(record.Left, 0, "note", "new")
			w.edit(record.Left, 0, "name", "Eva")
			run := w.run(engine.Options{Yes: true}).Run
			w.rest()
			w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
			w.run(engine.Options{Yes: true, Undo: &engine.Undo{Run: run}})
			w.edit(record.Right, 0, "name", "Ida")
			w.rest()
			if left, right := w.value(record.Left, 0, "note"), w.value(record.Right, 0, "note"); left != "new" || right != "old" {
				t.Errorf("%s: the note is %q on the left and %q on the right", policy, left, right)
			}
			open, err := w.store.Questions(t.Context(), job, true)
			if err != nil || !slices.ContainsFunc(open, func(c record.Question) bool { return c.Field == "note" && c.Cause == plan.Unanswered }) {
				t.Errorf("%s: asked is %+v, %v", policy, open, err)
			}
		})
	}
}
