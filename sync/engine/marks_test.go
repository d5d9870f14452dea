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

// A system applies a create long after the settle time, when another was made in its
// place: both carry a mark of ours, and a person is told of the second, once. Nothing
// is made of it on the left.
func TestF05_AppliedTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{}, connectors.ClassC)}})
		defer w.close()
		w.put(record.Left, 2, map[string]string{"name": "Berta"})
		w.run(engine.Options{Yes: true})
		w.put(record.Left, 1, map[string]string{"name": "Anna"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Late: 10 * settle})
		w.run(engine.Options{Yes: true})
		for range 3 {
			w.tick(settle)
			w.run(engine.Options{Yes: true})
		}
		if n := len(w.sys[record.Right].All("people")); n != 2 {
			t.Fatalf("the right has %d records before the first create is applied, want 2", n)
		}
		w.tick(10 * settle)
		w.rest()
		if n := len(w.sys[record.Right].All("people")); n != 3 {
			t.Fatalf("the right has %d records, want both of Anna", n)
		}
		if n := len(w.sys[record.Left].All("contacts")); n != 2 {
			t.Errorf("the left has %d records, want two", n)
		}
		if got := w.alertsOf("duplicate"); len(got) != 1 || !strings.Contains(got[0], "has it twice") {
			t.Errorf("got alerts %q, want one of the duplicate", got)
		}
	})
}

// It comes late, and nothing was made in its place: then it is what was wanted.
func TestF05_AppliedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{}, connectors.ClassC)}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Anna"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Late: settle / 2})
		w.run(engine.Options{Yes: true})
		w.rest()
		if n := len(w.sys[record.Right].All("people")); n != 1 || len(w.alertsOf("duplicate")) > 0 {
			t.Errorf("got %d records, alerts %q", n, w.alertsOf("duplicate"))
		}
	})
}

// alertsOf is the texts of the alerts of a kind.
func (w *world) alertsOf(kind string) (texts []string) {
	w.Helper()
	all, err := w.store.Alerts(context.Background(), time.Time{}, 1000)
	if err != nil {
		w.Fatal(err)
	}
	for _, a := range all {
		if a.Kind == kind {
			texts = append(texts, a.Text)
		}
	}
	return texts
}

// Both sides keep our mark, and the state is lost: what carries the same mark is the
// same record, whatever became of its keys, and what carries one that nobody knows is
// asked about.
func TestF08_LinkedByMarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stamped := memory.ClassKind(memory.Kind{}, connectors.ClassC)
		w := newWorld(t, setting{kinds: [2]memory.Kind{stamped, stamped}})
		defer w.close()
		mark := func(side record.Side, phone, name, mark string) {
			w.sys[side].Put(kinds[side], record.Fields{
				spell(side, "phone"): record.OfText(phone), spell(side, "name"): record.OfText(name), "reference": record.OfText(mark),
			})
		}
		for i := range 3 { // other phones on the two sides
			mark(record.Left, fmt.Sprintf("+3905511111%02d", i), "a", fmt.Sprint("np:test:entity", i))
			mark(record.Right, fmt.Sprintf("+3905522222%02d", i), "a", fmt.Sprint("np:test:entity", i))
		}
		mark(record.Right, "+390553333301", "orphan", "np:test:entity9")
		mark(record.Right, "+390554444401", "of others", "np:elsewhere:entity1")
		before := w.mutations()
		rep := w.run(engine.Options{Yes: true})
		for i := range 3 {
			p, ok, err := w.store.ByEntity(context.Background(), job, fmt.Sprint("entity", i))
			if err != nil || !ok || p.Sides[0].Last()["phone"].Text() != fmt.Sprintf("+3905511111%02d", i) ||
				p.Sides[1].Last()["their_phone"].Text() != fmt.Sprintf("+3905522222%02d", i) {
				t.Errorf("entity %d: got %v, %v, %+v", i, ok, err, p)
			}
		}
		if n := w.mutations() - before; n != 1 { // the record of another installation is one like any other
			t.Errorf("%d writes were made: %v", n, rep.Actions)
		}
		if n := notes(rep, record.Right, true, "carries a mark of ours"); n != 1 {
			t.Errorf("got notes %+v", rep.Notes)
		}
		// A record that was there with the orphan may be what it was made from; a later one is not.
		w.put(record.Left, 5, map[string]string{"name": "new"})
		rep = w.run(engine.Options{Yes: true})
		if n := notes(rep, record.Left, true, "it may be one of them"); n != 1 {
			t.Errorf("got notes %+v", rep.Notes)
		}
		w.tick(2 * time.Hour)
		w.put(record.Left, 6, map[string]string{"name": "later"})
		w.rest()
		if _, there := w.find(record.Right, 6); !there {
			t.Error("a later record was not created")
		}
		if _, there := w.find(record.Right, 5); there {
			t.Error("the one in doubt was created")
		}
	})
}
