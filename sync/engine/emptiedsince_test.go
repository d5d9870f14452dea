package engine_test

import (
	"fmt"
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

// The answer to an update is lost, it was done, and a user empties what it wrote. Emptied before the
// update a field gives way to the new value, emptied after it does not: a person is asked which it was,
// whatever the policy, and what they say is done. What an update never changed is sent again.
func TestAnUnansweredUpdateOfWhatAUserEmptied(t *testing.T) {
	const set, empty = "late arrival", ""
	for _, c := range []struct {
		byList, done bool
		choice       string
		want         [2]string
	}{
		{done: true, choice: "right", want: [2]string{empty, empty}},
		{done: true, choice: "left", want: [2]string{set, set}},
		{done: true, choice: record.ChoiceLeave, want: [2]string{set, empty}},
		{byList: true, done: true, choice: "right", want: [2]string{empty, empty}},
		{want: [2]string{set, set}},
	} {
		for _, policy := range []merge.Policy{merge.LeftWins, merge.RightWins, merge.Person} {
			t.Run(fmt.Sprintf("%+v %v", c, policy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {NoGet: c.byList}}, policies: map[string]merge.Policy{"name": policy, "note": policy, "mail": policy}})
					defer w.close()
					for n := range 3 {
						w.put(record.Left, n, map[string]string{"name": "Ada", "note": "quiet room"})
					}
					w.rest()
					w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: c.done})
					w.edit(record.Left, 0, "note", set)
					w.edit(record.Left, 0, "name", "Eva")
					w.run(engine.Options{Yes: true})
					if c.done {
						w.edit(record.Right, 0, "note", empty)
					}
					w.rest()
					open, err := w.store.Conflicts(t.Context(), job, true)
					if err != nil || len(open) > 0 != c.done || c.done && (len(open) != 1 || open[0].Policy != plan.Unanswered || open[0].Field != "note") {
						t.Fatalf("asked is %+v, %v", open, err)
					}
					if c.done {
						if got := [2]string{w.value(record.Left, 0, "note"), w.value(record.Right, 0, "note")}; got != [2]string{set, empty} {
							t.Errorf("before an answer the note is %q", got)
						}
						if err := w.store.Choose(t.Context(), open[0].ID, c.choice, record.Value{}, time.Now()); err != nil {
							t.Fatal(err)
						}
						w.rest()
					}
					for _, side := range record.Sides {
						if got := w.value(side, 0, "note"); got != c.want[side] {
							t.Errorf("the note on the %s is %q, want %q", side, got, c.want[side])
						}
						if got := w.value(side, 0, "name"); got != "Eva" {
							t.Errorf("the name on the %s is %q", side, got)
						}
					}
					if open, err = w.store.Conflicts(t.Context(), job, true); err != nil || len(open) > 0 {
						t.Errorf("still asked is %+v, %v", open, err)
					}
				})
			})
		}
	}
}
