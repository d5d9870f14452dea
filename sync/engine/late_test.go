package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A list that lags behind several writes shows what stood before any of them: none of
// that is an edit.
func TestSeveralWritesInALag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {ListLag: 4 * time.Second}}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "first", "note": "kept"})
		w.rest()
		for _, edit := range [][2]string{{"name", "second"}, {"mail", "a@example.com"}, {"name", "third"}} {
			w.edit(record.Left, 1, edit[0], edit[1])
			rep, err := w.eng.Run(t.Context(), job, engine.Options{Yes: true})
			if err != nil || rep.Counts["left.updated"] > 0 {
				t.Fatalf("after %v: the left was written: %v, %v", edit, rep.Counts, err)
			}
			w.tick(500 * time.Millisecond)
		}
		w.rest()
		for _, side := range record.Sides {
			if got := w.value(side, 1, "name") + " " + w.value(side, 1, "mail"); got != "third a@example.com" {
				t.Errorf("the %s has %q", side, got)
			}
		}
	})
}

// A record that was read by id is ahead of a list that lags: the list does not take
// back what the read has shown.
func TestReadAheadOfLaggingList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{ListLag: 4 * time.Second}, {}}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Anna", "mail": "old@example.com"})
		w.rest()
		rec, _ := w.find(record.Left, 1)
		w.edit(record.Left, 1, "mail", "new@example.com")
		for _, o := range []engine.Options{
			{Only: []record.Ref{rec.Ref}, OnlySide: record.Left, Yes: true}, {Yes: true}, {Yes: true},
		} {
			if _, err := w.eng.Run(t.Context(), job, o); err != nil {
				t.Fatal(err)
			}
			if got := w.value(record.Right, 1, "mail"); got != "new@example.com" {
				t.Fatalf("the right has mail %q", got)
			}
			w.tick(time.Second)
		}
		w.rest()
		if due := w.due(); len(due) > 0 {
			t.Errorf("a plan still has %v", due)
		}
	})
}

// A user edits a record before we write to it, and a read by id shows both at once. A
// list from in between shows the edit alone: what we wrote is not taken back.
func TestListFromBetweenAnEditAndOurWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {ListLag: 4 * time.Second, Silent: true}}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Anna", "mail": "old@example.com"})
		w.rest()
		rec, _ := w.find(record.Right, 1)
		w.edit(record.Right, 1, "name", "Anne")
		w.tick(2 * time.Second)
		w.edit(record.Left, 1, "mail", "new@example.com")
		for _, o := range []engine.Options{
			{Yes: true}, {Only: []record.Ref{rec.Ref}, OnlySide: record.Right, Yes: true}, {Yes: true, Full: true}, {Yes: true, Full: true},
		} {
			if _, err := w.eng.Run(t.Context(), job, o); err != nil {
				t.Fatal(err)
			}
			if got := w.value(record.Left, 1, "mail"); got != "new@example.com" {
				t.Fatalf("the left has mail %q", got)
			}
			w.tick(time.Second)
		}
		w.rest()
		for _, side := range record.Sides {
			if got := w.value(side, 1, "name") + " " + w.value(side, 1, "mail"); got != "Anne new@example.com" {
				t.Errorf("the %s has %q", side, got)
			}
		}
	})
}

// A user edits several fields one after the other, and a read by id shows all of it at
// once. A list from in between shows the one and not yet the other: nobody emptied that.
func TestListFromBetweenTwoEdits(t *testing.T) {
	for _, names := range [][]string{{"Anne"}, {"Ann", "Anne"}} {
		t.Run(strings.Join(names, " and "), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {ListLag: 4 * time.Second}}})
				defer w.close()
				w.put(record.Right, 1, map[string]string{"name": "Anna"})
				w.rest()
				rec, _ := w.find(record.Right, 1)
				w.edit(record.Right, 1, "name", names[0])
				w.tick(2 * time.Second)
				w.edit(record.Right, 1, "mail", "new@example.com")
				w.edit(record.Right, 1, "name", names[len(names)-1])
				for _, o := range []engine.Options{{Only: []record.Ref{rec.Ref}, OnlySide: record.Right, Yes: true}, {Yes: true}, {Yes: true}, {Yes: true}} {
					if _, err := w.eng.Run(t.Context(), job, o); err != nil {
						t.Fatal(err)
					}
					for _, side := range record.Sides {
						if got := w.value(side, 1, "name") + " " + w.value(side, 1, "mail"); got != "Anne new@example.com" {
							t.Fatalf("the %s has %q", side, got)
						}
					}
					w.tick(time.Second)
				}
				w.rest()
				if due := w.due(); len(due) > 0 {
					t.Errorf("a plan still has %v", due)
				}
			})
		})
	}
}

// A user enters a record and fills in more of it, and a hint has it read by id before any
// list shows it. A list from in between shows less: nobody emptied that.
func TestF26_ListFromWhileARecordWasEntered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{Unique: [][]string{{"phone"}}}, {ListLag: 4 * time.Second}}})
		defer w.close()
		w.put(record.Right, 1, map[string]string{"name": "Anna"})
		w.tick(2 * time.Second)
		w.edit(record.Right, 1, "note", "vegan")
		rec, _ := w.find(record.Right, 1)
		w.tick(time.Second)
		for i, o := range []engine.Options{
			{Only: []record.Ref{rec.Ref}, OnlySide: record.Right, Yes: true}, {Yes: true}, {Yes: true}, {Yes: true},
		} {
			if _, err := w.eng.Run(t.Context(), job, o); err != nil {
				t.Fatal(err)
			}
			for _, side := range record.Sides {
				if got := w.value(side, 1, "note"); got != "vegan" {
					t.Fatalf("run %d: the %s has note %q", i, side, got)
				}
			}
			w.tick(time.Second)
		}
		w.edit(record.Right, 1, "note", "") // it is seen all the same
		w.rest()
		for _, side := range record.Sides {
			if got := w.value(side, 1, "note"); got != "" {
				t.Errorf("the %s has note %q still", side, got)
			}
		}
	})
}

// A change of ours lands late, over what a user has entered since. A list from in between
// shows what stands there no more: by its own time of change it is older than our write,
// and nothing of it is written across.
func TestF26_ListFromBeforeALateWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {ListLag: 4 * time.Second, Times: true}}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Anna"})
		w.rest()
		w.edit(record.Left, 1, "name", "Anne")
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Late: 3 * time.Second})
		w.run(engine.Options{Yes: true})
		w.tick(time.Second)
		w.edit(record.Right, 1, "name", "Theirs")
		w.tick(3500 * time.Millisecond)
		w.run(engine.Options{Yes: true, Full: true}) // its list is of half a second after the edit
		if got := w.value(record.Left, 1, "name"); got != "Anne" {
			t.Errorf("the left has name %q", got)
		}
		w.edit(record.Right, 1, "note", "new") // it is seen all the same
		w.rest()
		for _, side := range record.Sides {
			if got := w.value(side, 1, "name") + " " + w.value(side, 1, "note"); got != "Anne new" {
				t.Errorf("the %s has %q", side, got)
			}
		}
	})
}

// After the state was put back to a copy, a list that lags may still hide what was made
// right before: nothing is created until no list can.
func TestPutBackWhileListsLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {ListLag: 4 * time.Second}}})
		defer w.close()
		image, err := w.store.Image(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.put(record.Left, 1, map[string]string{"name": "Anna"})
		w.run(engine.Options{Yes: true})
		old, err := state.Open(t.Context(), state.Memory, state.Options{SkipCheck: true, Image: image})
		if err != nil {
			t.Fatal(err)
		}
		w.close()
		w.store = old
		w.restart()
		w.eng.Stores = storesOf(t, &putBack{Store: old, since: time.Now(), other: true})
		for range 4 {
			w.run(engine.Options{Yes: true})
		}
		w.rest()
		if got := w.picture(record.Right); len(got) != 1 {
			t.Errorf("the right has %q, want one record", got)
		}
	})
}
