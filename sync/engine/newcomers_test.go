package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
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

// otherwise is a system that spells all but the phone its own way.
func otherwise(side record.Side) map[string]func(record.Value) record.Value {
	spelt := map[string]func(record.Value) record.Value{}
	for _, f := range fields {
		spelt[spell(side, f)] = lossy(side)[spell(side, "note")]
	}
	return spelt
}

// What somebody removed is not made again of what our own unanswered create made of it: a
// record that is gone has no key any more by which anything is matched with it. A person
// is asked what became of the create; where it arrived, the rule for what is gone says the
// rest.
func TestUnansweredCreateSpeltOtherwiseOfWhatIsGone(t *testing.T) {
	phone := [][]string{{spell(record.Right, "phone")}}
	for name, kind := range map[string]memory.Kind{
		"its key is unique":                           {Unique: phone},
		"its key is unique, and it is found by it":    {Unique: phone, FindBy: phone},
		"its key is unique, and it may be sent again": memory.ClassKind(memory.Kind{Unique: phone}, connectors.ClassA),
		"others may have its key":                     {},
	} {
		for _, tt := range []struct {
			arrived bool
			gone    away.GonePolicy
			left    int  // records at last
			asked   bool // what is to become of the record of which the one across is gone
		}{
			{true, away.GoneHold, 1, true},
			{true, away.GoneDelete, 1, true}, // what it holds otherwise may be an edit
			{true, away.GoneUnlink, 1, false},
			{false, away.GoneUnlink, 2, false}, // somebody else entered it
		} {
			t.Run(fmt.Sprintf("%s, arrived %t, %s", name, tt.arrived, tt.gone), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					kind.Normalise = otherwise(record.Right)
					kind.Delete = true
					w := newWorld(t, setting{kinds: [2]memory.Kind{{}, kind}, gone: both(tt.gone)})
					defer w.close()
					w.put(record.Left, 0, map[string]string{"name": "us"})
					w.rest()
					w.put(record.Left, 1, map[string]string{"name": "Anna", "mail": "A@EXAMPLE.COM", "note": "Long and lossy"})
					w.suffers("c3", 0)
					made := w.idOf(1)
					w.remove(record.Left, 1)
					w.rest()
					if l, r := w.picture(record.Left), w.picture(record.Right); len(l) != 1 || len(r) != 2 {
						t.Errorf("before anybody says what became of it:\n%s", w.both())
					}
					if !tt.arrived {
						made = ""
					}
					w.claim(tt.arrived, made)
					w.rest()
					w.noneLost()
					if l, r := w.picture(record.Left), w.picture(record.Right); len(l) != tt.left || len(r) != 2 {
						t.Errorf("want %d and 2 records, got\n%s", tt.left, w.both())
					}
					if _, asked := w.question(); asked != tt.asked {
						t.Errorf("a person is asked what is to become of it: %t, want %t", asked, tt.asked)
					}
				})
			})
		}
	}
}

// Whether what such a create was made from is there can't be looked up now: it stays open,
// and no person is asked what the next read says.
func TestUnansweredCreateSpeltOtherwiseOfASuspect(t *testing.T) {
	for _, class := range []connectors.Class{connectors.ClassA, connectors.ClassE} {
		synctest.Test(t, func(t *testing.T) {
			kind := memory.ClassKind(memory.Kind{Unique: [][]string{{spell(record.Right, "phone")}}, Normalise: otherwise(record.Right)}, class)
			w := newWorld(t, setting{kinds: [2]memory.Kind{{}, kind}})
			defer w.close()
			w.put(record.Left, 0, map[string]string{"name": "us"})
			w.rest()
			w.put(record.Left, 1, map[string]string{"name": "Anna", "mail": "A@EXAMPLE.COM", "note": "Long and lossy"})
			w.suffers("c3", 0)
			w.idOf(1)
			w.tick(2 * settle)
			w.sys[record.Left].Inject(memory.Fault{Call: memory.CallFetch, Drop: 1})
			w.sys[record.Left].Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Transient})
			rep := w.run(engine.Options{Yes: true, Full: true})
			if rep.Counts["left.unread"] != 1 || rep.Counts["unsettled"] != 1 || len(w.picture(record.Left)) != 2 {
				t.Errorf("class %s: %v:\n%s", class, rep.Counts, w.both())
			}
			w.rest()
			w.noneLost()
			if l, r := w.picture(record.Left), w.picture(record.Right); len(l) != 2 || len(r) != 2 {
				t.Errorf("class %s: in the end\n%s", class, w.both())
			}
		})
	}
}

// Where nothing can be read by id no read ever says it, and a person is asked.
func TestUnansweredCreateSpeltOtherwiseOfASuspectForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		once := memory.ClassKind(memory.Kind{Normalise: otherwise(record.Right)}, connectors.ClassA)
		w := newWorld(t, setting{kinds: [2]memory.Kind{{NoGet: true}, once}})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "us"})
		w.rest()
		w.put(record.Left, 1, map[string]string{"name": "Anna", "mail": "A@EXAMPLE.COM", "note": "Long and lossy"})
		w.suffers("c3", 0)
		w.remove(record.Left, 1)
		w.rest()
		w.lost()
		if got := w.picture(record.Left); len(got) != 1 {
			t.Errorf("the left has %q: what was removed was made again", got)
		}
	})
}

// A system spells what it is sent in its own way. What a create without an answer made is known by it
// still once a user has edited the rest: a person is asked, and nothing is made twice.
func TestUnansweredCreateThatItsSystemSpellsOtherwise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		right := memory.Kind{Normalise: map[string]func(record.Value) record.Value{spell(record.Right, "phone"): func(v record.Value) record.Value {
			return record.OfText(strings.Replace(v.Text(), "+39", "0039 ", 1))
		}}}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, right}, match: [][]string{{"name"}}})
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
		}
		w.rest()
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
		w.put(record.Left, 7, map[string]string{"name": "new"})
		w.run(engine.Options{Yes: true, Full: true})
		there := w.sys[record.Right].All(kinds[record.Right])[3]
		w.sys[record.Right].Edit(kinds[record.Right], there.Ref.ID, record.Fields{spell(record.Right, "name"): record.OfText("edited")})
		w.rest()
		wantCount(t, "records on the right", len(w.sys[record.Right].All(kinds[record.Right])), 4)
		wantCount(t, "records on the left", len(w.sys[record.Left].All(kinds[record.Left])), 4)
		lost, err := w.store.Lost(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		wantCount(t, "creates that a person is asked about", len(lost), 1)
	})
}
