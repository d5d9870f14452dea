package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// hiding is the ways in which a side tells that a record was changed whose lists hide the
// mail, and its reads by id show it.
func hiding(side record.Side) map[string]memory.Kind {
	hidden := []string{spell(side, "mail")}
	return map[string]memory.Kind{
		"versions":           {Versions: true, ListHides: hidden},
		"times":              {Times: true, ListHides: hidden},
		"both":               {Versions: true, Times: true, ListHides: hidden},
		"both, silent":       {Versions: true, Times: true, ListHides: hidden, Silent: true},
		"versions, by since": {Versions: true, Times: true, Since: true, ListHides: hidden},
	}
}

// overHiding runs a story in a world of which one side hides the mail in its lists, for
// each side and each kind of it. Two persons are linked, with a mail of their own.
func overHiding(t *testing.T, s setting, story func(w *world, desk record.Side)) {
	for _, desk := range record.Sides {
		for name, k := range hiding(desk) {
			t.Run(fmt.Sprint(desk, ", ", name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s.kinds = [2]memory.Kind{}
					s.kinds[desk] = k
					w := newWorld(t, s)
					defer w.close()
					for n := range 2 {
						for _, side := range record.Sides {
							w.put(side, n, map[string]string{"name": "Ada", "note": "a note"})
						}
					}
					w.rest()
					for n := range 2 { // once it travelled both sides are known to hold it
						w.edit(desk.Other(), n, "mail", "old")
					}
					w.rest()
					story(w, desk)
				})
			})
		}
	}
}

// told reports whether what the desk wrote stands somewhere, is asked about, or is named
// by the journal as what lost.
func (w *world) told(field, value string) bool {
	for _, side := range record.Sides {
		if w.value(side, 0, field) == value {
			return true
		}
	}
	return w.losers[field+"="+value] || w.open()[phoneOf(0)+" "+field]
}

// The desk edits a field that lists hide. A list shows that the record was changed, and the
// other side edits the same field: the desk's value is not written over unseen, not either
// where it edited another field with it.
func TestOutside01HiddenEditIsNotOverwritten(t *testing.T) {
	for _, besides := range []string{"", "note"} {
		for _, listed := range []bool{true, false} {
			t.Run(fmt.Sprintf("besides %q, listed %t", besides, listed), func(t *testing.T) {
				overHiding(t, setting{}, func(w *world, desk record.Side) {
					w.edit(desk, 0, "mail", "the desk's")
					if besides != "" {
						w.edit(desk, 0, besides, "the desk's note")
					}
					if listed {
						// What is read by id fails for now: the list alone is known.
						w.sys[desk].Inject(memory.Fault{Call: memory.CallGet, Class: "transient", Times: 1})
						_, _ = w.try(engine.Options{Yes: true})
						w.sys[desk].Heal()
					}
					w.edit(desk.Other(), 0, "mail", "the other's")
					w.rest()
					if !w.told("mail", "the desk's") {
						t.Errorf("what the desk wrote is gone without a trace:\n%s", w.both())
					}
				})
			})
		}
	}
}

// A hidden edit alone travels as soon as a list shows that the record was changed.
func TestOutside01HiddenEditTravels(t *testing.T) {
	overHiding(t, setting{}, func(w *world, desk record.Side) {
		w.edit(desk, 0, "mail", "the desk's")
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true})
		if got := w.value(desk.Other(), 0, "mail"); got != "the desk's" {
			t.Errorf("across stands %q after the next run", got)
		}
		reads := w.sys[desk].Counts().Gets
		for range 5 {
			w.tick(24 * time.Hour)
			w.run(engine.Options{Yes: true, Full: true})
		}
		if n := w.sys[desk].Counts().Gets - reads; n > 1 { // one after our own write, where its answer hides it too
			t.Errorf("nothing was changed since, and %d records were read by id", n)
		}
	})
}

// A survivor that was edited where lists hide it is not put aside: a person is asked.
func TestOutside01HiddenEditIsNotArchived(t *testing.T) {
	rule := engine.GoneRule{Policy: away.GoneArchive, Archive: record.Fields{}}
	overHiding(t, setting{gone: [2]engine.GoneRule{rule, rule}}, func(w *world, desk record.Side) {
		values := record.Fields{spell(desk, "note"): record.OfText("put aside")}
		for i := range w.gone {
			w.gone[i].Archive = values
		}
		w.restart()
		w.edit(desk, 0, "mail", "the desk's")
		w.remove(desk.Other(), 0)
		w.rest()
		if got := w.value(desk, 0, "note"); got == "put aside" {
			t.Errorf("it was put aside, and the desk had edited it:\n%s", w.both())
		}
		if c, ok := w.question(); !ok || c.Cause != record.Cause(away.AskEdited) {
			t.Errorf("got question %+v, %t", c, ok)
		}
	})
}

// What a list shows is not read by id besides: neither where it shows all that is mapped,
// nor where a record was not changed.
func TestOutside01NoReadWithoutNeed(t *testing.T) {
	for _, hides := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			k := memory.Kind{Versions: true, Times: true}
			if hides {
				k.ListHides = []string{"their_mail"}
			}
			w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: k}})
			defer w.close()
			for n := range 5 {
				for _, side := range record.Sides {
					w.put(side, n, map[string]string{"name": "Ada"})
				}
			}
			w.rest()
			w.edit(record.Right, 0, "name", "new")
			var reads, want int64
			for range 3 {
				w.tick(time.Minute)
				reads += w.run(engine.Options{Yes: true}).Counts["right.reads"]
			}
			if hides {
				want = 1
			}
			if reads != want {
				t.Errorf("hides %t: %d records were read by id, want %d", hides, reads, want)
			}
			if !slices.Equal(w.due(), nil) {
				t.Errorf("still to do: %v", w.due())
			}
		})
	}
}

// What is made from a record that lists hide in part is made from all of it.
func TestOutside01CreateFromAHiddenField(t *testing.T) {
	overHiding(t, setting{}, func(w *world, desk record.Side) {
		w.put(desk, 5, map[string]string{"name": "Eva", "mail": "the desk's"})
		w.rest()
		if got := w.value(desk.Other(), 5, "mail"); got != "the desk's" {
			t.Errorf("across stands %q", got)
		}
	})
}

// A field that a side's lists never showed is read by id once the other side is edited there:
// the edit arrives, and what the desk holds there already is not written over unseen.
func TestOutside01EditOfAFieldNeverShown(t *testing.T) {
	for _, holds := range []string{"", "the desk's"} {
		for _, desk := range record.Sides {
			for name, k := range hiding(desk) {
				t.Run(fmt.Sprintf("%s, %s, %q", desk, name, holds), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := setting{}
						s.kinds[desk] = k
						w := newWorld(t, s)
						defer w.close()
						w.put(desk, 0, map[string]string{"name": "Ada", "mail": holds})
						w.put(desk.Other(), 0, map[string]string{"name": "Ada"})
						w.run(engine.Options{Yes: true}) // they are linked, and the next run reads what the list hides
						w.edit(desk.Other(), 0, "mail", "the other's")
						w.rest()
						if holds == "" && w.value(desk, 0, "mail") != "the other's" {
							t.Errorf("the edit never arrived:\n%s", w.both())
						}
						if holds != "" && !w.told("mail", holds) {
							t.Errorf("what the desk wrote is gone without a trace:\n%s", w.both())
						}
					})
				})
			}
		}
	}
}

// A system is put back to what it held before our write, in a field that its lists hide. The
// list shows the time of change of then, which was asked about before the write. It is asked
// about again: otherwise both sides would hold different values, and nobody would be asked.
func TestOutside01HiddenFieldIsPutBack(t *testing.T) {
	overHiding(t, setting{}, func(w *world, desk record.Side) {
		w.tick(time.Minute)
		w.edit(desk, 0, "note", "another note") // the list shows a sign, which is asked about
		w.rest()
		before := w.sys[desk].Snapshot()
		w.tick(time.Minute)
		w.edit(desk.Other(), 0, "mail", "the other's")
		w.sys[desk].Inject(memory.Fault{Call: memory.CallApply, Class: "ambiguous", Applied: true, Times: 1})
		w.run(engine.Options{Yes: true}) // the answer is lost
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true}) // and the record is read by id
		w.sys[desk].Restore(before)
		w.rest()
		w.run(engine.Options{Yes: true, Full: true}) // a list of what changed lately does not show what is older
		w.rest()
		a, b := w.value(desk, 0, "mail"), w.value(desk.Other(), 0, "mail")
		if a != b && !w.open()[phoneOf(0)+" mail"] {
			t.Errorf("one side was put back, both differ, and nobody is asked:\n%s", w.both())
		}
	})
}
