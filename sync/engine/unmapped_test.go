package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// unmapped is a field that users know and that no job maps.
const unmapped = "deposit"

// says is the ways in which systems tell by themselves that a record was changed.
var says = map[string]memory.Kind{
	"version":         {Versions: true},
	"time":            {Times: true},
	"both":            {Versions: true, Times: true},
	"version, silent": {Versions: true, Silent: true},
	"time, silent":    {Times: true, Silent: true},
}

// telling is two systems of which each tells a change of what no job maps, and a rule for what
// is left without a partner.
func telling(k memory.Kind, policy away.GonePolicy) setting {
	s := setting{kinds: [2]memory.Kind{k, k}}
	for _, side := range record.Sides {
		s.kinds[side].Delete = true
		s.kinds[side].Fields = map[string]connectors.Field{unmapped: {}}
		s.kinds[side].ListHides, s.kinds[side].GetHides = []string{unmapped}, []string{unmapped} // a connector shows what is mapped
		s.gone[side] = engine.GoneRule{Policy: policy, Archive: record.Fields{spell(side, "mail"): record.OfText("put aside")}}
	}
	return s
}

// enters has a user enter something where no job reads it.
func (w *world) enters(side record.Side, n int, value string) {
	r, _ := w.find(side, n)
	w.sys[side].Edit(kinds[side], r.Ref.ID, record.Fields{unmapped: record.OfText(value)})
}

// A record is edited in a field that no job maps, and its partner is removed. Its system says that
// it was changed, so a person is asked: it is neither deleted nor put aside, whenever the edit came.
// What nobody edited goes unasked, also after we wrote to it.
func TestOutsideUnmappedEditOfASurvivor(t *testing.T) {
	for name, kind := range says {
		for _, policy := range []away.GonePolicy{away.GoneDelete, away.GoneArchive} {
			for _, side := range record.Sides { // that is left
				for _, made := range record.Sides {
					for _, when := range []string{"just now", "runs ago", "before a write of ours", "never", "never, written by us", "never, edited and settled"} {
						if policy == away.GoneArchive && (name != "both" || made == side) {
							continue // the same is decided
						}
						t.Run(fmt.Sprintf("%s, %s, left on the %s, made on the %s, edited %s", name, policy, side, made, when), func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) {
								w := newWorld(t, telling(kind, policy))
								defer w.close()
								for n := range 3 {
									w.put(made, n, map[string]string{"name": fmt.Sprint("name ", n), "note": "note"})
								}
								w.rest()
								switch when {
								case "runs ago":
									w.enters(side, 0, "EUR 500 paid")
									w.rest()
								case "before a write of ours":
									w.enters(side, 0, "EUR 500 paid")
									w.rest()
									w.edit(side.Other(), 0, "note", "written by us")
									w.rest()
								case "never, written by us":
									w.edit(side.Other(), 0, "note", "written by us")
									w.rest()
								case "never, edited and settled":
									w.edit(side, 0, "note", "edited and settled")
									w.rest()
								}
								w.remove(side.Other(), 0)
								if when == "just now" {
									w.enters(side, 0, "EUR 500 paid")
								}
								for range 4 {
									w.tick(time.Minute)
									w.run(engine.Options{Yes: true, Full: true})
								}
								_, there := w.find(side, 0)
								untouched := there && w.value(side, 0, "mail") != "put aside"
								if never := strings.HasPrefix(when, "never"); never == untouched {
									t.Errorf("it is there: %t, and was put aside: %t", there, there && !untouched)
								} else if !never {
									w.asked(away.AskEdited)
								}
							})
						})
					}
				}
			}
		}
	}
}

// The edit comes between the list and the deletion, or the update that puts the record aside.
func TestOutsideUnmappedEditAtTheLastMoment(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneDelete, away.GoneArchive} {
		for name, kind := range says {
			t.Run(fmt.Sprintf("%s, %s", policy, name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, telling(kind, policy))
					defer w.close()
					for n := range 3 {
						w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
					}
					w.rest()
					w.remove(record.Left, 0)
					done := false
					w.eng.Step = func(step string) {
						if !done && (step == "before get" || step == "before send") {
							done = true
							w.enters(record.Right, 0, "EUR 500 paid")
						}
					}
					for range 4 {
						w.tick(time.Minute)
						w.run(engine.Options{Yes: true, Full: true})
					}
					w.asked(away.AskEdited)
					if _, there := w.find(record.Right, 0); !there || w.value(record.Right, 0, "mail") != "" {
						t.Errorf("it is there: %t, %q", there, w.value(record.Right, 0, "mail"))
					}
				})
			})
		}
	}
}

// A person said that an edited record may go. Edited once more, it is asked about again.
func TestOutsideUnmappedEditAfterTheAnswer(t *testing.T) {
	for _, again := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, telling(memory.Kind{Times: true}, away.GoneDelete))
			defer w.close()
			for n := range 3 {
				w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
			}
			w.rest()
			w.remove(record.Left, 0)
			w.enters(record.Right, 0, "EUR 500 paid")
			w.rest()
			w.run(engine.Options{Yes: true, Full: true})
			w.answer(away.AskEdited, away.ChooseCarry)
			if again {
				w.enters(record.Right, 0, "EUR 700 paid")
			}
			w.rest()
			if _, there := w.find(record.Right, 0); there != again {
				t.Errorf("edited again: %t; it is there: %t", again, there)
			} else if again {
				w.asked(away.AskEdited)
			}
		})
	}
}

// An undo deletes what its run made, and not what somebody has entered something into since, be it
// where no job reads it. What an edit came to that was taken back is not known either.
func TestOutsideUnmappedEditOfWhatIsUndone(t *testing.T) {
	for name, kind := range says {
		edits := []string{"none", "unmapped", "before any read", "unread", "mapped, and back"}
		if kind.Silent { // what an edit came to that went over, no answer told before
			edits = edits[:4]
			if !kind.Times {
				edits = edits[:2]
			}
		}
		for _, edit := range edits {
			t.Run(name+", "+edit, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, telling(kind, away.GoneHold))
					defer w.close()
					w.put(record.Left, 0, map[string]string{"name": "Ada"})
					w.rest()
					w.put(record.Left, 1, map[string]string{"name": "Bea"})
					if edit == "unread" { // nor can it be read right after it was made
						w.sys[record.Right].Hook(memory.Hooks{Step: func(name string) {
							if strings.HasPrefix(name, "after create") {
								w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Transient, Times: -1})
							}
						}})
					}
					made := w.run(engine.Options{Yes: true}).Run
					w.sys[record.Right].Hook(memory.Hooks{})
					w.sys[record.Right].Heal()
					early := edit == "before any read" || edit == "unread"
					if w.tick(2 * settle); !early {
						w.rest()
					}
					if edit == "unmapped" || early {
						w.enters(record.Right, 1, "EUR 500 paid")
					} else if edit != "none" {
						w.edit(record.Right, 1, "name", "Bella")
						w.enters(record.Right, 1, "EUR 500 paid")
						w.rest()
						w.edit(record.Right, 1, "name", "Bea")
						w.rest()
					}
					w.tick(time.Minute)
					rep := w.run(engine.Options{Yes: true, Undo: &engine.Undo{Run: made}})
					_, there := w.find(record.Right, 1)
					if edited := edit != "none"; there != edited || (len(rep.Undo.Conflicts) > 0) != edited {
						t.Errorf("it is there: %t, %+v, %v", there, rep.Undo, rep.Actions)
					}
				})
			})
		}
	}
}
