package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// Our clock was set back by some minutes: until it is there again no list counts for what
// we wrote to. What such a list shows is no measure of age, either: the older
// observations that stand meanwhile are no sign of a system that was put back.
func TestF30_ClockSetBackIsNoRollback(t *testing.T) {
	const back = 20 * time.Minute
	var w *world
	ahead := time.Duration(0) // of the right system's clock
	synctest.Test(t, func(t *testing.T) {
		w = newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {Times: true}}, clock: func() time.Time { return time.Now().Add(ahead) }})
		for i := range 6 {
			w.put(record.Left, i, map[string]string{"name": fmt.Sprint("n", i), "mail": "at@first"})
		}
		w.rest()
		w.tick(back)
		for i := range 3 { // a person is asked, and what is shown stays an observation
			w.edit(record.Left, i, "mail", "left@example.com")
			w.edit(record.Right, i, "mail", "right@example.com")
		}
		w.rest()
		for i := range 3 {
			w.edit(record.Left, i, "name", "written")
		}
		w.rest()
		image, err := w.store.Image(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.close()
		w.image = image
	})
	synctest.Test(t, func(t *testing.T) { // its clock begins anew
		ahead = back
		var err error
		if w.store, err = state.Open(t.Context(), state.Memory, state.Options{SkipCheck: true, Image: w.image}); err != nil {
			t.Fatal(err)
		}
		defer w.close()
		w.fails = t
		w.restart()
		w.tick(10 * time.Minute)
		for i := range 3 {
			w.edit(record.Right, i, "note", "an edit")
		}
		for range 3 {
			w.run(engine.Options{Yes: true})
		}
		w.tick(back)
		w.rest()
		for i := range 3 {
			if got := w.value(record.Left, i, "note"); got != "an edit" {
				t.Errorf("the note of %d is %q on the left, want what was edited", i, got)
			}
		}
	})
}
