package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A side applies updates later than it was configured to need: once that was seen, an edit is
// not taken back by a read that came before it was applied.
func TestOutside07UpdateLagIsMeasured(t *testing.T) {
	for name, k := range map[string]memory.Kind{
		"plain":    {},
		"versions": {Versions: true},
		"times":    {Times: true},
		"since":    {Times: true, Since: true},
		"no get":   {NoGet: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: k}, settle: 3 * time.Second})
				defer w.close()
				for n := range 2 {
					w.put(record.Left, n, map[string]string{"name": "old"})
				}
				w.rest()
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Late: 8 * time.Second, Times: -1})
				edit := func(value string) (back bool) {
					w.edit(record.Left, 0, "name", value)
					for range 10 {
						w.run(engine.Options{Yes: true})
						back = back || w.value(record.Left, 0, "name") != value
					}
					for _, side := range record.Sides {
						if got := w.value(side, 0, "name"); got != value {
							t.Errorf("the %s has %q in the end, want %q", side, got, value)
						}
					}
					return back
				}
				if edit("first") {
					t.Error("the first was taken back for a while")
				}
				lag, err := w.store.Lag(t.Context(), record.Place{Binding: job, Side: record.Right}, time.Now())
				// A list of what changed shows the record once it was applied: nothing is taken back.
				if err != nil || !k.Since && lag.Most < 8*time.Second || lag.Most > 12*time.Second {
					t.Errorf("got lag %+v, %v, want about 8 s", lag, err)
				}
				for _, value := range []string{"second", "third"} {
					if edit(value) {
						t.Errorf("%s was taken back for a while", value)
					}
				}
			})
		})
	}
}

// What somebody puts back, and enters again, is no lag: nothing is given more time for it.
func TestOutside07EditsAreNoLag(t *testing.T) {
	for name, pause := range map[string]time.Duration{"with times": 5 * time.Second, "much later": 20 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {Times: pause < time.Minute}}, settle: 3 * time.Second})
				defer w.close()
				w.put(record.Left, 0, map[string]string{"note": "old"})
				w.rest()
				for _, value := range []string{"new", "newer"} {
					was := w.value(record.Left, 0, "note")
					w.edit(record.Left, 0, "note", value)
					w.run(engine.Options{Yes: true})
					for _, put := range []string{was, value} {
						w.tick(pause)
						w.edit(record.Right, 0, "note", put)
						w.run(engine.Options{Yes: true})
					}
					w.rest()
				}
				lag, err := w.store.Lag(t.Context(), record.Place{Binding: job, Side: record.Right}, time.Now())
				if err != nil || lag.Most != 0 {
					t.Errorf("got lag %+v, %v", lag, err)
				}
			})
		})
	}
}
