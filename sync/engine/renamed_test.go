package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/sync/engine"
	"nightporter/sync/record"
)

const newName record.Binding = "persons"

// under runs the job under another name.
func (w *world) under(name record.Binding, o engine.Options) (engine.Report, error) {
	w.Helper()
	w.must(w.store.Register(context.Background(), name, [2]record.System{"one", "two"}, kinds, nil))
	renamed := *w.eng.Jobs[job]
	renamed.Binding = name
	old := w.eng.Jobs
	w.eng.Jobs = map[record.Binding]*engine.Job{name: &renamed}
	defer func() { w.eng.Jobs = old }()
	return w.eng.Run(context.Background(), name, o)
}

// A job gets another name in the configuration. Its links are those of the old one: under the
// new name who has another phone would be made twice, and who was removed would be made again.
// It stands still before that, until it has its name back or a person says that it begins anew.
func TestOutside41ARenamedJobMakesNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "Ada"})
		}
		w.rest()
		w.edit(record.Right, 0, "phone", phoneOf(7))
		w.remove(record.Right, 1)
		before := w.both()
		for range 2 {
			rep, err := w.under(newName, engine.Options{Yes: true})
			if !errors.Is(err, engine.ErrHalted) || len(rep.Halts) != 1 || !strings.Contains(rep.Halts[0].Why, string(job)) {
				t.Fatalf("under a new name: %v, %+v", err, rep.Halts)
			}
		}
		if rep, err := w.under(newName, engine.Options{Dry: true}); err != nil || len(rep.Halts) != 1 || len(rep.Actions) != 0 {
			t.Errorf("a dry run shows %v, %+v, %v", err, rep.Halts, rep.Actions)
		}
		if now := w.both(); now != before {
			t.Errorf("it was\n%s\nand is\n%s", before, now)
		}
		w.rest() // with its name back it goes on
		if got := w.value(record.Left, 7, "name"); got != "Ada" {
			t.Errorf("what was edited is %q on the left:\n%s", got, w.both())
		}
	})
}

// A person says that a job begins anew beside what another one linked: it is not asked again.
// A job whose kinds no other one had, or beside one that is still there, asks nothing.
func TestOutside41AJobThatBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "Ada"})
		w.rest()
		if _, err := w.under(newName, engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
			t.Fatalf("got %v", err)
		}
		_, err := w.store.AnswerHalts(t.Context(), newName, record.Accepted, "anna")
		w.must(err)
		w.remove(record.Right, 0) // so that it has no link after its first run
		w.remove(record.Left, 0)
		for range 3 {
			if _, err := w.under(newName, engine.Options{Yes: true}); err != nil {
				t.Fatalf("after the answer: %v", err)
			}
		}
		open, err := w.store.Halts(t.Context(), newName)
		if err != nil || len(open) != 0 {
			t.Errorf("open: %+v, %v", open, err)
		}
		w.eng.Jobs[newName] = w.eng.Jobs[job]
		defer delete(w.eng.Jobs, newName)
		w.must(w.store.Register(t.Context(), "third", [2]record.System{"one", "two"}, kinds, nil))
		if former, err := w.store.Former(t.Context(), "third", []record.Binding{job, newName}); err != nil || len(former) != 0 {
			t.Errorf("beside jobs that are there: %v, %v", former, err)
		}
	})
}

// A job whose system has another name as well is one of those that there were, whichever side that
// is. One between other systems is none.
func TestAJobOfARenamedSystemIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "Ada"})
		w.rest()
		swapped := [2]record.Kind{kinds[record.Right], kinds[record.Left]}
		for name, c := range map[record.Binding]struct {
			systems [2]record.System
			kinds   [2]record.Kind
			known   bool
		}{
			"the right":        {[2]record.System{"one", "desk"}, kinds, true},
			"the left":         {[2]record.System{"desk", "two"}, kinds, true},
			"the other way":    {[2]record.System{"desk", "one"}, swapped, true},
			"both":             {[2]record.System{"desk", "web"}, kinds, false},
			"other kinds":      {[2]record.System{"one", "desk"}, swapped, false},
			"what was swapped": {[2]record.System{"two", "one"}, swapped, true},
		} {
			w.must(w.store.Register(t.Context(), name, c.systems, c.kinds, nil))
			former, err := w.store.Former(t.Context(), name, []record.Binding{name})
			if err != nil || (len(former) == 1 && former[0] == job) != c.known {
				t.Errorf("%s: got %v, %v", name, former, err)
			}
		}
	})
}
