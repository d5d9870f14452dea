package engine_test

import (
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// rewrite is a user who makes somebody else of person n on the right: no field is left
// as it was sent.
func (w *world) rewrite(n, as int) {
	w.Helper()
	was, ok := w.find(record.Right, n)
	if !ok {
		w.Fatalf("person %d is not on the right: nothing is tested", n)
	}
	w.sys[record.Right].Edit(kinds[record.Right], was.Ref.ID, record.Fields{
		spell(record.Right, "phone"): record.OfText(phoneOf(as)), spell(record.Right, "name"): record.OfText("edited"),
	})
}

// What a create made that is to be sent again is taken for nobody else, however much a
// user has made of it and however often no answer comes: the answer names it.
func TestUnansweredCreateRewritten(t *testing.T) {
	for _, class := range []connectors.ErrorClass{connectors.Transient, connectors.Ambiguous} {
		for unanswered := range 4 {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{}, connectors.ClassA)}})
				defer w.close()
				w.put(record.Left, 0, map[string]string{"name": "known"})
				w.rest()
				w.put(record.Left, 1, map[string]string{"name": "Anna"})
				w.suffers("c3", 0)
				w.rewrite(1, 7)
				for range unanswered {
					w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: class})
					w.run(engine.Options{Yes: true})
				}
				w.rest()
				for _, side := range record.Sides {
					if got := w.picture(side); len(got) != 2 {
						t.Errorf("%d requests %s: the %s has %q, want two records", unanswered, class, side, got)
					}
				}
				w.noneLost()
			})
		}
	}
}

// A record with the key that was sent, which its system keeps unique, may be what the
// create made, though its system made something else of it: it is matched, or where the
// source has another key by now a person is asked. Nobody is made twice.
func TestUnansweredCreateHasTheKeyItWasSent(t *testing.T) {
	phone := [][]string{{spell(record.Right, "phone")}}
	for name, tt := range map[string]struct {
		find           [][]string
		edits, rewrite bool
	}{
		"the source has it still":                     {phone, false, false},
		"the source has another":                      {phone, true, false},
		"the source has another, little else is left": {phone, true, true},
		"the source has it still, nothing is found":   {nil, false, false},
		"the source has another, nothing is found":    {nil, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Unique: phone, FindBy: tt.find, Normalise: lossy(record.Right)}}})
				defer w.close()
				w.put(record.Left, 0, map[string]string{"name": "known"})
				w.rest()
				w.put(record.Left, 1, map[string]string{"name": "Anna", "mail": "a", "note": "Long and lossy"})
				w.suffers("c3", 0)
				if tt.edits {
					w.edit(record.Left, 1, "phone", phoneOf(7))
				}
				if tt.rewrite {
					w.edit(record.Right, 1, "name", "Mia")
					w.edit(record.Right, 1, "mail", "m")
				}
				w.rest()
				for _, side := range record.Sides {
					if got := w.picture(side); len(got) != 2 {
						t.Errorf("the %s has %q, want two records", side, got)
					}
				}
				if tt.edits {
					w.claim(true, w.idOf(1))
					w.rest()
				}
				w.noneLost()
				for _, side := range record.Sides {
					if got := w.picture(side); len(got) != 2 {
						t.Errorf("at last the %s has %q, want two records", side, got)
					}
				}
			})
		})
	}
}
