package engine_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// laggard is a desk whose reads by id are older than its lists, which show what changed alone.
func laggard(t *testing.T, desk record.Side, s setting) *world {
	s.kinds[desk] = memory.Kind{Times: true, Since: true, GetLag: 6 * time.Second}
	w := newWorld(t, s)
	for _, side := range record.Sides {
		w.put(side, 0, map[string]string{"name": "Ada", "note": "a note", "mail": "one"})
	}
	w.rest()
	return w
}

// An update got no answer, and its record is edited before it is known to have arrived. The read by
// id that shows it has arrived is older than the list that showed the edit: what was edited stays
// edited, and is brought across by the lists of what changed, before any list is compared whole.
func TestBehindItsListAReadSettlesNoUpdate(t *testing.T) {
	for _, desk := range record.Sides {
		t.Run(desk.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := laggard(t, desk, setting{})
				defer w.close()
				w.sys[desk].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true, Times: 1})
				w.edit(desk.Other(), 0, "note", "the other's")
				w.run(engine.Options{Yes: true}) // sends it, and gets no answer
				w.edit(desk, 0, "mail", "the desk's")
				w.run(engine.Options{Yes: true}) // its list shows the edit
				w.tick(settle / 4)
				w.run(engine.Options{Yes: true}) // a read by id shows what was sent, and no edit
				w.tick(settle)
				w.run(engine.Options{Yes: true})
				for _, side := range record.Sides {
					if got := w.value(side, 0, "mail"); got != "the desk's" {
						t.Errorf("the %s has the mail %q, and the desk entered another:\n%s", side, got, w.both())
					}
					if got := w.value(side, 0, "note"); got != "the other's" {
						t.Errorf("the %s has the note %q, and the other side entered another", side, got)
					}
				}
			})
		})
	}
}

// A user takes an edit back that a list showed, and the record is looked at alone. Until its system
// has settled that may as well be a read that is older than the list: nothing is written, and the
// run says why. From then on the read is believed.
func TestBehindItsListATakenBackEditWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 0, map[string]string{"name": "Ada", "note": "a note"})
		}
		w.rest()
		w.edit(record.Left, 0, "note", "edited")
		w.run(engine.Options{Yes: true, Hold: func(record.Side) string { return "it is paused" }})
		w.edit(record.Left, 0, "note", "a note")
		rec, _ := w.find(record.Left, 0)
		one := engine.Options{Yes: true, Only: []record.Ref{rec.Ref}, OnlySide: record.Left}
		waits := func(rep engine.Report) bool {
			return slices.ContainsFunc(rep.Notes, func(n engine.Note) bool { return n.Ref == rec.Ref && n.State == record.Waiting })
		}
		if rep := w.run(one); len(rep.Actions) != 0 || !waits(rep) {
			t.Errorf("while it settles: got %v and %+v, want nothing written and a note", rep.Actions, rep.Notes)
		}
		w.tick(settle)
		if rep := w.run(one); len(rep.Actions) != 0 || waits(rep) {
			t.Errorf("once it has settled: got %v and %+v, want neither", rep.Actions, rep.Notes)
		}
		if got := w.value(record.Right, 0, "note"); got != "a note" {
			t.Errorf("the right has %q, which was taken back", got)
		}
	})
}

// A list hides a field, and another field of the record is edited. What an earlier read by id showed of
// the hidden field is nothing that this list shows: a later read that shows the field as it was
// settled is believed at once, and nothing waits, however often the list is read.
func TestBehindItsListNothingThatItHidesCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Left: {Times: true, ListHides: []string{"note"}}}})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 0, map[string]string{"name": "Ada", "note": "a note"})
		}
		w.rest()
		held := engine.Options{Yes: true, Hold: func(record.Side) string { return "it is paused" }}
		w.edit(record.Left, 0, "note", "edited")
		w.run(held) // a read by id shows the edit
		w.edit(record.Left, 0, "note", "a note")
		w.edit(record.Left, 0, "name", "Ada Byron")
		w.tick(settle)
		w.run(engine.Options{Yes: true})
		if name, note := w.value(record.Right, 0, "name"), w.value(record.Right, 0, "note"); name != "Ada Byron" || note != "a note" {
			t.Errorf("the right has the name %q and the note %q, want what the left has:\n%s", name, note, w.both())
		}
	})
}
