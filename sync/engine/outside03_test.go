package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// traveller is a world whose state can be put back to a copy of it.
type traveller struct {
	*world
	dir, copied string
	lives       int
}

func travels(t *testing.T, w *world) *traveller {
	v := &traveller{world: w, dir: t.TempDir()}
	t.Cleanup(func() { v.close() })
	return v
}

// backUp makes a copy of the state.
func (v *traveller) backUp() {
	v.Helper()
	v.copied = filepath.Join(v.dir, fmt.Sprintf("copy-%d.db", v.lives))
	if err := v.store.CopyTo(context.Background(), v.copied); err != nil {
		v.Fatal(err)
	}
}

// goBack puts the copy in the place of the state.
func (v *traveller) goBack() {
	v.Helper()
	v.tick(time.Minute)
	v.lives++
	file := filepath.Join(v.dir, fmt.Sprintf("state-%d.db", v.lives))
	if _, err := state.Restore(context.Background(), v.copied, file, false, time.Now()); err != nil {
		v.Fatal(err)
	}
	v.close()
	var err error
	if v.store, err = state.Open(context.Background(), file, state.Options{SkipCheck: true}); err != nil {
		v.Fatal(err)
	}
	if v.sealed != "" {
		if err := v.store.KeepDigests(context.Background(), v.sealed, []record.Binding{job}); err != nil {
			v.Fatal(err)
		}
	}
	v.restart()
	v.tick(time.Minute)
}

var timeKinds = map[string]memory.Kind{
	"plain":       {},
	"by changes":  {Since: true, Times: true},
	"versions":    {Versions: true},
	"none by id":  {NoGet: true},
	"list hides":  {ListHides: []string{"their_mail"}},
	"not shown":   {Silent: true},
	"small pages": {PageSize: 1},
}

// A state that was put back knows what stood there once, and not who changed it since: a
// difference is decided as where two records meet for the first time.
func TestOutside03OldBasesDecideNothing(t *testing.T) {
	for name, k := range timeKinds {
		for _, sealed := range []bool{false, true} {
			if sealed && k.NoGet { // nothing can be written there
				continue
			}
			t.Run(fmt.Sprint(name, "/digests ", sealed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := setting{kinds: [2]memory.Kind{{}, k}}
					if sealed {
						s.sealed = filepath.Join(t.TempDir(), "key")
					}
					w := travels(t, newWorld(t, s))
					for n := range people {
						w.put(record.Left, n, map[string]string{"name": "a", "note": "a", "mail": "102"})
					}
					w.rest()
					w.backUp()
					w.edit(record.Left, 0, "mail", "199")
					w.rest()
					if got := w.value(record.Right, 0, "mail"); got != "199" {
						t.Fatalf("the right has %q before the state is put back", got)
					}
					w.goBack()
					w.edit(record.Right, 0, "mail", "102")
					w.rest()
					w.rest()
					if l, r := w.value(record.Left, 0, "mail"), w.value(record.Right, 0, "mail"); l != "199" || r != "102" {
						t.Errorf("the left has %q and the right %q: neither is known to be newer, and the policy is hold", l, r)
					}
					if open := w.open(); len(open) != 1 || !sealed && !open[phoneOf(0)+" mail"] {
						t.Errorf("a person is asked about %v, want the mail of person 0", open)
					}
					w.edit(record.Right, 1, "note", "later")
					w.edit(record.Left, 0, "name", "later")
					w.rest()
					if got := w.value(record.Left, 1, "note"); got != "later" {
						t.Errorf("an edit since was not brought over: the left has %q", got)
					}
					if got := w.value(record.Right, 0, "name"); got != "later" {
						t.Errorf("an edit of another field was not brought over: the right has %q", got)
					}
				})
			})
		}
	}
}

// Of a side that nobody has read since the state was put back only the copy is known. What it
// says is not written across: the record is read first, or the list of its side.
func TestOutside03TheCopyIsNotWritten(t *testing.T) {
	for name, k := range timeKinds {
		for _, stale := range record.Sides {
			t.Run(fmt.Sprint(name, "/", stale), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					wins := [2]merge.Policy{record.Left: merge.LeftWins, record.Right: merge.RightWins}[stale]
					s := setting{policies: map[string]merge.Policy{"name": wins}}
					s.kinds[stale] = k
					w := travels(t, newWorld(t, s))
					w.put(record.Left, 0, map[string]string{"name": "before"})
					w.rest()
					w.backUp()
					w.edit(stale, 0, "name", "after")
					w.rest()
					w.goBack()
					w.run(engine.Options{Yes: true, Skip: [2]bool{record.Left: stale == record.Left, record.Right: stale == record.Right}})
					if got := w.value(stale.Other(), 0, "name"); got != "after" {
						t.Errorf("the %s has %q: the copy of the %s was written over what both had", stale.Other(), got, stale)
					}
					w.edit(stale.Other(), 0, "note", "since")
					w.rest()
					w.rest()
					for _, side := range record.Sides {
						if got, note := w.value(side, 0, "name"), w.value(side, 0, "note"); got != "after" || note != "since" {
							t.Errorf("the %s has %q and %q in the end", side, got, note)
						}
					}
				})
			})
		}
	}
}

// What was not seen when both sides were compared is decided so when it is seen.
func TestOutside03SeenLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hidden := map[string]bool{}
		k := memory.Kind{Filter: func(f record.Fields) bool { return !hidden[f["their_phone"].Text()] }}
		w := travels(t, newWorld(t, setting{kinds: [2]memory.Kind{{}, k}}))
		for n := range people {
			w.put(record.Left, n, map[string]string{"name": "a", "mail": "102"})
		}
		w.rest()
		w.backUp()
		w.edit(record.Left, 0, "mail", "199")
		w.rest()
		w.goBack()
		w.edit(record.Left, 0, "mail", "102")
		hidden[phoneOf(0)] = true
		w.rest()
		w.edit(record.Left, 0, "mail", "199")
		w.edit(record.Right, 0, "mail", "102")
		hidden[phoneOf(0)] = false
		w.rest()
		w.rest()
		if l, r := w.value(record.Left, 0, "mail"), w.value(record.Right, 0, "mail"); l != "199" || r != "102" {
			t.Errorf("the left has %q and the right %q, and the policy is hold", l, r)
		}
	})
}

// What an undo took back is not written once more after the state was put back to before.
func TestOutside03UndoneStaysUndone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := travels(t, newWorld(t, setting{policies: map[string]merge.Policy{"name": merge.Person, "note": merge.Person, "mail": merge.Person}}))
		w.put(record.Left, 0, map[string]string{"mail": "102"})
		w.rest()
		w.backUp()
		w.edit(record.Left, 0, "mail", "199")
		w.tick(time.Minute)
		rep := w.run(engine.Options{Yes: true})
		w.undo(rep.Run)
		w.rest()
		if got := w.value(record.Right, 0, "mail"); got != "102" {
			t.Fatalf("the right has %q after the undo", got)
		}
		w.goBack()
		w.rest()
		w.rest()
		if got := w.value(record.Right, 0, "mail"); got != "102" {
			t.Errorf("the right has %q: what was undone was written once more", got)
		}
	})
}

// heldTwin is a second record of person 0 on the left, which a person is asked about, and
// says that it is to be made across.
func (v *traveller) heldTwin() {
	v.Helper()
	v.put(record.Left, 0, map[string]string{"name": "a"})
	v.put(record.Left, 1, map[string]string{"name": "b"})
	v.rest()
	v.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText(phoneOf(0)), "name": record.OfText("twin")})
	v.rest()
	v.create()
}

// create answers the only question about a record: make it across.
func (v *traveller) create() {
	v.Helper()
	cs, err := v.store.Questions(context.Background(), job, true)
	if err != nil || len(cs) != 1 || cs[0].Entry == 0 {
		v.Fatalf("got %v, %v, want one question about a record", cs, err)
	}
	if err := v.store.Choose(context.Background(), cs[0].ID, "value", record.OfText("create"), time.Now()); err != nil {
		v.Fatal(err)
	}
}

// A yes that may have been carried out since is asked for again.
func TestOutside03AYesMayBeCarriedOut(t *testing.T) {
	for name, k := range map[string]memory.Kind{"records": {}, "calls": {Once: []string{"their_phone"}, Times: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := travels(t, newWorld(t, setting{kinds: [2]memory.Kind{{}, k}}))
				w.heldTwin()
				w.backUp()
				w.rest()
				if n := w.on(record.Right, 0); n != 2 {
					t.Fatalf("the right has %d of person 0 when a person wanted 2", n)
				}
				w.goBack()
				w.rest()
				w.rest()
				if n := w.on(record.Right, 0); n != 2 {
					t.Errorf("the right has %d of person 0, want the 2 that were there", n)
				}
			})
		})
	}
}

// What was chosen of two values was written since, and may have been put back by a user: the same
// two values are a question once more.
func TestOutside03AChoiceMayHaveBeenCarriedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := travels(t, newWorld(t, setting{}))
		w.put(record.Left, 0, map[string]string{"name": "a", "mail": "before"})
		w.put(record.Left, 1, map[string]string{"name": "b"})
		w.rest()
		w.edit(record.Left, 0, "mail", "theirs")
		w.edit(record.Right, 0, "mail", "ours")
		w.rest()
		w.must(w.store.Choose(t.Context(), w.heldOn("mail").ID, "left", record.Value{}, time.Now()))
		w.backUp()
		w.rest()
		if got := w.value(record.Right, 0, "mail"); got != "theirs" {
			t.Fatalf("the right has %q when a person chose what the left has", got)
		}
		w.goBack()
		w.edit(record.Right, 0, "mail", "ours")
		w.rest()
		w.rest()
		if got := w.value(record.Right, 0, "mail"); got != "ours" {
			t.Errorf("the right has %q: the edit since was written over", got)
		}
		w.heldOn("mail")
	})
}

// An answer counts for what was asked. When something else is the question, it is asked.
func TestOutside03AnOldYesAnswersNoNewQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := travels(t, newWorld(t, setting{}))
		w.heldTwin()
		for _, r := range w.sys[record.Left].All(kinds[record.Left]) {
			if r.Fields["name"].Text() == "twin" {
				w.sys[record.Left].Edit(kinds[record.Left], r.Ref.ID, record.Fields{"phone": record.OfText(phoneOf(1))})
			}
		}
		w.rest()
		if n := w.on(record.Right, 0) + w.on(record.Right, 1); n != 2 {
			t.Errorf("the right has %d records, want 2: nobody was asked whether it is person 1", n)
		}
		w.create() // it is asked, and that answer counts
		w.rest()
		if n := w.on(record.Right, 1); n != 2 {
			t.Errorf("the right has %d of person 1, want the 2 that a person said", n)
		}
	})
}

// What was said of a set of changes that may have been made since is asked for again, and
// so is a no that may have been put back.
func TestOutside03SetsAreAskedForAgain(t *testing.T) {
	begin := func(t *testing.T) *traveller {
		w := travels(t, house(t, 40, setting{guards: tenCancels}))
		w.set(record.Right, 0, 12, "note", "cancelled")
		w.run(engine.Options{})
		return w
	}
	settle := func(w *traveller) {
		for range 3 {
			w.tick(time.Minute)
			w.run(engine.Options{})
		}
	}
	t.Run("approved", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := begin(t)
			w.say(w.staged()[0].Set, record.Approved)
			w.backUp()
			settle(w)
			wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 12)
			w.set(record.Left, 0, 12, "note", "confirmed")
			w.goBack()
			settle(w)
			wantCount(t, "cancelled on the left after the state was put back", w.have(record.Left, "note", "cancelled"), 0)
		})
	})
	t.Run("rejected", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := begin(t)
			w.say(w.staged()[0].Set, record.Refusal)
			w.backUp()
			settle(w)
			wantCount(t, "cancelled on the right", w.have(record.Right, "note", "cancelled"), 0)
			w.set(record.Right, 0, 12, "note", "cancelled")
			w.goBack()
			settle(w)
			wantCount(t, "cancelled on the right after the state was put back", w.have(record.Right, "note", "cancelled"), 12)
			wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 0)
		})
	})
}

// A guest was brought across after the copy was made, and got another phone on one side since. A
// state that was put back knows neither that they are the same, nor can it tell that by their keys:
// nothing is made, on no side, before a person says so.
func TestOutside03WhatWasForgottenIsNotMadeAgain(t *testing.T) {
	for name, moved := range map[string]record.Side{"where it was made": record.Right, "where it was entered": record.Left} {
		for _, answer := range []string{"", "with", "create"} {
			t.Run(name+" "+answer, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					v := travels(t, newWorld(t, setting{}))
					for n := range 3 {
						for _, side := range record.Sides {
							v.put(side, n, map[string]string{"name": fmt.Sprint("guest ", n), "mail": fmt.Sprintf("g%d@example.com", n)})
						}
					}
					v.rest()
					v.backUp()
					v.put(record.Left, 5, map[string]string{"name": "Ada", "mail": "ada@example.com", "note": "quiet"})
					v.rest()
					wantCount(t, "records of hers that were made", v.on(record.Right, 5), 1)
					v.goBack()
					v.edit(moved, 5, "phone", phoneOf(7))
					for range 4 {
						v.tick(time.Minute)
						v.rest()
					}
					want := [2]int{4, 4}
					cs, err := v.store.Questions(t.Context(), job, true)
					if err != nil || len(cs) != 2 {
						t.Fatalf("%d questions (%v), want one of each record", len(cs), err)
					}
					known, err := v.store.Entries(t.Context(), []int64{cs[0].Entry, cs[1].Entry})
					if err != nil {
						t.Fatal(err)
					}
					said := map[string]string{"create": "create", "with": known[cs[1].Entry].Ref.ID}[answer]
					if said != "" {
						if err := v.store.Choose(t.Context(), cs[0].ID, "value", record.OfText(said), time.Now()); err != nil {
							t.Fatal(err)
						}
					}
					if answer == "create" {
						want = [2]int{5, 5} // then the one across is another guest, and new as well
					}
					v.rest()
					for _, side := range record.Sides {
						wantCount(t, "records of the "+side.String(), len(v.sys[side].All(kinds[side])), want[side])
					}
					links, err := v.store.LinkCount(t.Context(), job)
					if wantLinks := map[string]int{"": 3, "with": 4, "create": 5}[answer]; err != nil || links != wantLinks {
						t.Errorf("%d links (%v), want %d", links, err, wantLinks)
					}
				})
			})
		}
	}
}
