package engine_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// stands is the state of the n-th person's record on a side, as the store has it.
func (w *world) stands(side record.Side, n int) record.EntryState {
	w.Helper()
	rec, _ := w.find(side, n)
	e, ok, err := w.store.Entry(context.Background(), record.Place{Binding: job, Side: side}, rec.Ref)
	if err != nil || !ok {
		w.Fatalf("entry of %d: %t %v", n, ok, err)
	}
	return e.State
}

// A record that is too large is put aside whoever shows it: what a read by id brought across
// of it would make the record there too large to be listed as well.
func TestOutside38TooLargeForAReadByID(t *testing.T) {
	for name, k := range map[string]memory.Kind{"the list shows it": {}, "the list hides it": {ListHides: []string{"their_note"}}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: k}})
				defer w.close()
				w.put(record.Left, 0, map[string]string{"name": "a"})
				w.run(engine.Options{Yes: true})
				w.tick(time.Minute)
				w.edit(record.Right, 0, "note", strings.Repeat("x", 3000))
				right, _ := w.find(record.Right, 0)
				w.run(engine.Options{Only: []record.Ref{right.Ref}, OnlySide: record.Right})
				if got := w.value(record.Left, 0, "note"); got != "" {
					t.Errorf("%d bytes were brought across", len(got))
				}
				if got := w.stands(record.Right, 0); got != record.Quarantined {
					t.Errorf("the record is %q, want it put aside", got)
				}
				w.edit(record.Right, 0, "note", "short")
				w.run(engine.Options{Only: []record.Ref{right.Ref}, OnlySide: record.Right})
				if got := w.value(record.Left, 0, "note"); got != "short" {
					t.Errorf("once it is short the left has %q", got)
				}
			})
		})
	}
}

// Nor is it brought across when the answer to a write of our own shows it.
func TestOutside38TooLargeForAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {ListHides: []string{"their_note"}}}})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "a"})
		w.rest()
		w.edit(record.Right, 0, "note", strings.Repeat("x", 3000))
		w.edit(record.Left, 0, "name", "b")
		w.rest()
		if name, note := w.value(record.Right, 0, "name"), w.value(record.Left, 0, "note"); name != "b" || note != "" {
			t.Errorf("the right has the name %q, and %d bytes were brought across", name, len(note))
		}
	})
}

// A list shows a new record at once, and a read by id does not yet. The record is not
// believed gone for that, and nothing is made in its place.
func TestOutside38NotYetThereForAReadByID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{
			GetLag: 4 * time.Second, Late: []string{"note"},
			Unfinished: func(record.Fields) *record.Unfinished {
				return &record.Unfinished{Lacks: []string{"note"}, Within: time.Hour}
			},
		}
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Left: k}})
		defer w.close()
		w.put(record.Right, 0, map[string]string{"name": "a"})
		w.tick(time.Minute)
		w.put(record.Left, 0, map[string]string{"name": "a"})
		w.run(engine.Options{Yes: true})
		if got := w.stands(record.Left, 0); got == record.Gone {
			t.Error("it is believed gone")
		}
		w.rest()
		if got := len(w.sys[record.Left].All(kinds[record.Left])); got != 1 {
			t.Errorf("the left has %d records, want 1", got)
		}
		if rec, linked := w.find(record.Left, 0); !linked || w.due() != nil {
			t.Errorf("%v: %v is due", rec, w.due())
		}
	})
}

// A linked record that its list does not show any more, and that can't be asked for by its id,
// may be gone or out of view: nothing is sent to it, and that stands as a finding until the
// list shows it again.
func TestOutside38NothingIsSentToWhatNoListShows(t *testing.T) {
	for name, guarded := range map[string]bool{"guarded": true, "not guarded": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := memory.Kind{NoGet: true, Guarded: guarded}
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: k}})
				defer w.close()
				for n := range 3 {
					w.put(record.Left, n, map[string]string{"name": "a"})
				}
				w.run(engine.Options{Yes: true})
				w.rest()
				w.remove(record.Right, 0)
				w.edit(record.Left, 0, "name", "b")
				w.edit(record.Left, 1, "name", "b")
				before := w.mutations()
				w.rest()
				if got := w.mutations() - before; got != 1 || w.value(record.Right, 1, "name") != "b" {
					t.Errorf("%d requests were sent, want the one to the record that is there", got)
				}
				if got := w.stuck(); got[record.FindUnseen] != 1 || len(got) != 1 {
					t.Errorf("found %v, want the record that no list shows", got)
				}
			})
		})
	}
}

// A record that nobody can read is not written to: what stands in it would be written over
// unseen, or its system refuse each try. Once it can be read again what waits is decided anew.
func TestOutside38NothingIsSentToWhatNobodyCanRead(t *testing.T) {
	const broken = "broken"
	unreadable := func(f record.Fields) bool { return f["their_note"].Text() == broken }
	for name, k := range map[string]memory.Kind{
		"no reads by id":     {NoGet: true, Unreadable: unreadable},
		"no reads, guarded":  {NoGet: true, Guarded: true, Unreadable: unreadable},
		"it refuses a stale": {Versions: true, Unreadable: unreadable},
		"reads by id":        {Unreadable: unreadable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: k}})
				defer w.close()
				for n := range 3 {
					w.put(record.Left, n, map[string]string{"name": "a"})
				}
				w.run(engine.Options{Yes: true})
				w.rest()
				w.edit(record.Right, 0, "note", broken)
				w.edit(record.Left, 0, "name", "b")
				w.edit(record.Left, 0, "note", "mine")
				before := w.mutations()
				w.rest()
				if got := w.mutations() - before; got != 0 {
					t.Errorf("%d requests were sent", got)
				}
				if got := w.value(record.Right, 0, "note"); got != broken {
					t.Errorf("its note is %q: it was written over unseen", got)
				}
				if got := w.stuck(); got[record.FindUnseen] != 1 || len(got) != 1 {
					t.Errorf("found %v, want the record that nobody can read", got)
				}
				w.edit(record.Right, 0, "note", "theirs")
				w.rest()
				if l, r := w.value(record.Left, 0, "note"), w.value(record.Right, 0, "name"); l != "theirs" || r != "b" || len(w.stuck()) != 0 {
					t.Errorf("once it can be read the left has %q and the right %q; found %v", l, r, w.stuck())
				}
			})
		})
	}
}

// What lists hide of two records that meet for the first time is read by id, once, and
// compared as the rest of them is.
func TestOutside38WhatListsHideTravelsFromTheFirst(t *testing.T) {
	for _, c := range []struct{ left, right, want string }{
		{"", "theirs", "theirs"}, {"mine", "theirs", "theirs"}, {"mine", "", "mine"}, {"same", "same", "same"}, {"", "", ""},
	} {
		t.Run(c.left+" and "+c.right, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {ListHides: []string{"their_note"}}}})
				defer w.close()
				w.put(record.Left, 0, map[string]string{"name": "a", "note": c.left})
				w.put(record.Right, 0, map[string]string{"name": "a", "note": c.right})
				w.rest()
				if l, r := w.value(record.Left, 0, "note"), w.value(record.Right, 0, "note"); l != c.want || r != c.want {
					t.Errorf("the left has %q and the right %q, want %q", l, r, c.want)
				}
				reads := w.sys[record.Right].Counts().Gets
				if rep := w.run(engine.Options{Full: true}); rep.Counts["right.reads"] != 0 || rep.Counts["planned"] != 0 {
					t.Errorf("at rest %d reads were made, and %d actions planned", w.sys[record.Right].Counts().Gets-reads, rep.Counts["planned"])
				}
			})
		})
	}
}

// A list tells that a record was changed where it hides it, and the read by id that is made for
// that lags behind the list. It is not the last word: the record is read once more later on.
func TestOutside38AReadByIDThatLagsIsNotTheLastWord(t *testing.T) {
	for name, k := range map[string]memory.Kind{"versions": {Versions: true}, "times": {Times: true}, "both": {Versions: true, Times: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k.ListHides, k.GetLag = []string{"their_note"}, 5*time.Second
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: k}})
				defer w.close()
				w.put(record.Left, 0, map[string]string{"name": "a", "note": "old"})
				w.rest()
				w.rest()
				w.edit(record.Right, 0, "note", "new")
				w.run(engine.Options{Yes: true})
				w.rest()
				if got := w.value(record.Left, 0, "note"); got != "new" {
					t.Errorf("the left has %q", got)
				}
				if rep := w.run(engine.Options{Full: true}); rep.Counts["right.reads"] != 0 {
					t.Errorf("at rest %d records are read by id", rep.Counts["right.reads"])
				}
			})
		})
	}
}

// A record of a kind that can't be changed can't be put aside either: nothing is sent, and a
// person is asked.
func TestOutside38NothingIsPutAsideThatCantBeChanged(t *testing.T) {
	for _, side := range record.Sides {
		t.Run(side.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rule := engine.GoneRule{Policy: away.GoneArchive, Archive: record.Fields{spell(side, "note"): record.OfText("aside")}}
				s := setting{gone: [2]engine.GoneRule{rule, rule}}
				s.kinds[side].NoUpdate = true
				w := newWorld(t, s)
				defer w.close()
				for n := range 4 {
					w.put(side.Other(), n, map[string]string{"name": "a"})
				}
				w.rest()
				before := w.mutations()
				w.remove(side.Other(), 0)
				w.rest()
				if got := w.mutations() - before; got != 0 {
					t.Errorf("%d requests were sent", got)
				}
				if c, ok := w.question(); !ok || c.Cause != record.Cause(away.AskUnable) {
					t.Errorf("got question %+v, %t", c, ok)
				}
			})
		})
	}
}

// A record that can't be read by its id was removed before what is made of it was sent, and
// lists of what changed don't tell that. Nothing is made of it.
func TestOutside38NothingIsMadeOfWhatLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Left: {NoGet: true, Since: true, Times: true}}})
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "a"})
		}
		w.rest()
		w.put(record.Left, 4, map[string]string{"name": "a"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Transient})
		w.run(engine.Options{Yes: true})
		w.remove(record.Left, 4)
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true})
		if _, made := w.find(record.Right, 4); made {
			t.Error("it was made of a record that is not there")
		}
		w.put(record.Left, 5, map[string]string{"name": "a"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Transient})
		w.run(engine.Options{Yes: true})
		w.run(engine.Options{Yes: true})
		if _, made := w.find(record.Right, 5); !made {
			t.Error("what is there still was not made")
		}
	})
}

// A create whose answer was lost is found by a list that hides part of it: the rest is read by
// id, and what the other side shows of it since arrives there.
func TestOutside38WhatAListHidesOfAnAdoptedRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := memory.Kind{Late: []string{"their_note"}, Unfinished: func(f record.Fields) *record.Unfinished {
			if f["their_name"].Text() != "new" {
				return nil
			}
			return &record.Unfinished{Lacks: []string{"their_note"}, Within: time.Hour}
		}}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{ListHides: []string{"note"}, Silent: true}, late}})
		defer w.close()
		w.put(record.Right, 0, map[string]string{"name": "new", "note": "theirs"})
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		w.edit(record.Right, 0, "name", "known")
		w.rest()
		if got := w.value(record.Left, 0, "note"); got != "theirs" {
			t.Errorf("the left has %q", got)
		}
	})
}

// A person rejected that records are made across, and the state was put back to a copy that
// knows of it. It is asked again, and nothing is made before: not one of them either, which no
// guard would hold by itself.
func TestOutside38ANoToACreateOutlivesARestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guards := guard.Guards{Creates: guard.Limit{Run: guard.Amount{Count: 1}}}
		v := travels(t, newWorld(t, setting{guards: guards}))
		for n := range 2 {
			v.put(record.Left, n, map[string]string{"name": "a"})
		}
		v.run(engine.Options{})
		v.say(v.staged()[0].Set, record.Refusal)
		v.run(engine.Options{})
		v.backUp()
		v.goBack()
		v.remove(record.Left, 1)
		v.gone[record.Left] = engine.GoneRule{Policy: away.GoneIgnore} // with another rule all is looked at again
		v.restart()
		for range 3 {
			v.run(engine.Options{})
		}
		asked := slices.ContainsFunc(v.staged(), func(st record.Stage) bool {
			return st.Risk == string(plan.RiskRedone) && st.Choice == record.Undecided
		})
		if got := v.picture(record.Right); len(got) != 0 || !asked {
			t.Errorf("the right has %q; a person is asked: %t", got, asked)
		}
	})
}

// Where digests alone are kept a record is read by id for its values, and that fails: its link
// is not decided without, and what the other side's list hid travels once it can be read.
func TestOutside38AnEditWaitsForAReadThatFails(t *testing.T) {
	for name, class := range map[string]connectors.ErrorClass{"for a moment": connectors.Transient, "as it is": connectors.Malformed} {
		t.Run(name, func(t *testing.T) {
			key := filepath.Join(t.TempDir(), "key")
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{sealed: key, kinds: [2]memory.Kind{{}, {ListHides: []string{"their_note"}}}, policies: map[string]merge.Policy{"note": merge.RightWins}})
				defer w.close()
				for n := range 3 {
					w.put(record.Left, n, map[string]string{"name": "Ada", "note": "old"})
					w.put(record.Right, n, map[string]string{"name": "Ada", "note": "old"})
				}
				w.run(engine.Options{Yes: true})
				w.edit(record.Right, 1, "note", "new")
				w.tick(time.Minute)
				w.sys[record.Left].Inject(memory.Fault{Call: memory.CallGet, Class: class, Times: 3})
				_, _ = w.try(engine.Options{Yes: true})
				w.sys[record.Left].Heal()
				w.rest()
				if got := w.value(record.Left, 1, "note"); got != "new" {
					t.Errorf("the left has %q", got)
				}
			})
		})
	}
}
