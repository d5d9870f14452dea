package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// edits has the desk edit a record once the lists of a run were read: just before anything
// else is asked of its system.
func (w *world) editsAfterLists(side record.Side, n int, field, value string) {
	lists, done := 0, false
	step := func(name string) {
		switch {
		case strings.HasPrefix(name, "after fetch"):
			lists++
		case !done && lists >= 2 && strings.HasPrefix(name, "before"):
			done = true
			w.sys[side].Hook(memory.Hooks{})
			w.edit(side, n, field, value)
		}
	}
	w.eng.Step = step
	for _, s := range w.sys {
		s.Hook(memory.Hooks{Step: func(name string) {
			if strings.HasPrefix(name, "after fetch") {
				step(name)
			}
		}})
	}
}

// A system counts its version up with our updates, and not with the desk's edits. Once that was
// seen of any record its version guards nothing: the record is read before it is written, and
// what the desk edited meanwhile is not written over.
func TestOutsideVersionThatStandsStill(t *testing.T) {
	for _, desk := range record.Sides {
		for _, times := range []bool{true, false} {
			t.Run(fmt.Sprint(desk, " shows times ", times), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var s setting
					s.kinds[desk] = memory.Kind{Versions: true, Times: times, Still: true}
					w := inStepPeople(t, s, 3)
					defer w.close()
					w.edit(desk, 1, "mail", "moved")
					w.rest()
					w.edit(desk.Other(), 0, "mail", "the other's")
					w.editsAfterLists(desk, 0, "mail", "the desk's")
					w.run(engine.Options{Yes: true})
					w.eng.Step = nil
					w.rest()
					if !w.told("mail", "the desk's") {
						t.Errorf("what the desk wrote is gone without a trace:\n%s", w.both())
					}
				})
			})
		}
	}
}

// A list hides the mail, and shows a new time of change beside the version that it showed
// before. That version does not vouch for the mail any more: as long as the record can't be read
// by its id, nothing is written over what the desk may have entered there.
func TestOutsideHiddenEditUnderTheSameVersion(t *testing.T) {
	for _, desk := range record.Sides {
		synctest.Test(t, func(t *testing.T) {
			var s setting
			s.kinds[desk] = memory.Kind{Versions: true, Times: true, Still: true, ListHides: []string{spell(desk, "mail")}}
			w := inStepPeople(t, s, 3)
			defer w.close()
			w.edit(desk.Other(), 0, "mail", "travels")
			w.rest()
			w.tick(time.Minute)
			w.edit(desk, 0, "mail", "the desk's")
			w.edit(desk.Other(), 0, "mail", "the other's")
			r, _ := w.find(desk, 0)
			w.sys[desk].Inject(memory.Fault{Call: memory.CallGet, ID: r.Ref.ID, Class: "forbidden", Times: 100})
			w.run(engine.Options{Yes: true})
			w.sys[desk].Heal()
			w.rest()
			if !w.told("mail", "the desk's") {
				t.Errorf("%s: what the desk wrote is gone without a trace:\n%s", desk, w.both())
			}
		})
	}
}

// Where the version moves with every change no record is read before it is written, however much
// is edited on both sides.
func TestOutsideVersionThatMovesCostsNoRead(t *testing.T) {
	for _, desk := range record.Sides {
		for name, k := range map[string]memory.Kind{
			"times": {Versions: true, Times: true}, "no times": {Versions: true}, "silent": {Versions: true, Times: true, Silent: true},
			"rewritten values":         {Versions: true, Times: true, Normalise: lossy(desk)},
			"rewritten values, silent": {Versions: true, Times: true, Silent: true, Normalise: lossy(desk)},
		} {
			t.Run(fmt.Sprint(desk, " ", name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var s setting
					s.kinds[desk] = k
					w := inStepPeople(t, s, 3)
					defer w.close()
					for i := range 3 {
						w.edit(desk, i, "name", fmt.Sprint("by the desk ", i))
						w.edit(desk.Other(), i, "note", fmt.Sprint("by the other ", i))
						w.rest()
						w.edit(desk, i, "mail", "")
						w.rest()
					}
					w.edit(desk.Other(), 0, "name", "name once more")
					reads, sent := 0, false
					w.eng.Step = func(name string) {
						sent = sent || name == "before send"
						if name == "before get" && !sent { // a sample of what a list showed is read in any case
							reads++
						}
					}
					w.run(engine.Options{Yes: true})
					if got := w.value(desk, 0, "name"); got != "name once more" {
						t.Fatalf("the edit did not arrive:\n%s", w.both())
					}
					if reads > 0 {
						t.Errorf("%d records were read before they were written", reads)
					}
				})
			})
		}
	}
}

// A system says of an update that its record was changed, and a read shows that the version
// which the update named did not move: from then on no version guards anything, also within the
// same run, and the record is read before it is written again.
func TestOutsideVersionSeenToStandStillWithinARun(t *testing.T) {
	const desk = record.Right
	synctest.Test(t, func(t *testing.T) {
		var s setting
		s.kinds[desk] = memory.Kind{Versions: true, Still: true}
		w := inStepPeople(t, s, 3)
		defer w.close()
		w.edit(desk.Other(), 0, "name", "the other's")
		r, _ := w.find(desk, 0)
		w.sys[desk].Inject(memory.Fault{Call: memory.CallApply, ID: r.Ref.ID, Class: "stale", Times: 1})
		writes, read := []bool{}, false
		w.step = func(name string) {
			if strings.HasPrefix(name, "after open change") && len(writes) == 0 {
				w.edit(desk, 0, "note", "the desk's note")
			}
		}
		w.eng.Step = func(name string) {
			switch name {
			case "before get":
				read = true
			case "before send":
				writes, read = append(writes, read), false
			}
		}
		w.run(engine.Options{Yes: true})
		w.eng.Step, w.step = nil, nil
		if got := w.value(desk, 0, "name"); got != "the other's" || len(writes) < 2 || writes[0] {
			t.Fatalf("got name %q after writes with a read before them %v, want one without, and more", got, writes)
		}
		for i, read := range writes[1:] {
			if !read {
				t.Errorf("no read came before write %d, of %v", i+2, writes)
			}
		}
	})
}
