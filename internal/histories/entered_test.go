package histories

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A user enters on the left what is on the right, or puts it back there, and a run that
// reads no list makes it on the left. That is a fault where the last lists were read
// after that, and no other way: they could not show what came later, whatever our own
// clock has been set to since.
func TestEnteredBeforeListsWereRead(t *testing.T) {
	const fault = "thing 0 was made on the left as 000003, and a user had entered it there as 000002"
	enter := func(w *world) { w.put(record.Left, step{}) }
	remove := func(w *world) { w.userStep(step{what: doRemove, side: record.Left}) }
	undelete := func(w *world) { w.userStep(step{what: doUndelete, side: record.Left}) }
	list := func(w *world) {
		w.beginRun(guests)
		w.sleep(time.Second)
		w.endRun(guests, nil, false)
	}
	setBack := func(w *world) { w.late[record.Left] += time.Hour }
	for _, c := range []struct {
		name  string
		steps []func(*world)
		wrong string
	}{
		{"before", []func(*world){enter, list}, fault},
		{"after", []func(*world){list, enter}, ""},
		{"before, and the clock was set back", []func(*world){enter, list, setBack}, fault},
		{"after, and the clock was set back", []func(*world){list, enter, setBack}, ""},
		{"put back before", []func(*world){enter, remove, undelete, list}, fault},
		{"put back after", []func(*world){enter, remove, list, undelete}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := newWorld(history{seed: 1}, ramDir(t), template(t))
			if err != nil {
				t.Fatal(err)
			}
			defer w.disk.Close()
			synctest.Test(t, func(t *testing.T) {
				w.c = climate{sides: [2]weather{{class: connectors.ClassD}, {class: connectors.ClassD}}}
				w.begin()
				w.must("open", w.open())
				w.put(record.Right, step{})
				for _, do := range c.steps {
					w.sleep(time.Second)
					do(w)
				}
				w.opt = engine.Options{Only: []record.Ref{{}}}
				w.beginRun(guests)
				a, ok := w.conn(record.Left).(connectors.Writer)
				if !ok {
					t.Fatal("it can't be written")
				}
				f := record.Fields{"phone": record.OfText(phoneOf(0)), "full_name": record.OfText("p#0")}
				if _, err := a.Apply(t.Context(), record.Change{ID: "1", Op: record.Create, Ref: record.Ref{Kind: "contacts"}, Fields: f}); err != nil {
					t.Fatal(err)
				}
				if w.fault != c.wrong {
					t.Errorf("the oracle says %q, want %q", w.fault, c.wrong)
				}
				w.must("close", w.close())
			})
		})
	}
}
