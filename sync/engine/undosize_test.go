package engine_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// sizes is how much a bad run did, and to how much of it somebody put his hand after it.
type sizes struct{ updated, created, deleted, editedUpdates, editedCreates int }

// spoilt is a world after a bad run, and its people by what the run did to them.
type spoilt struct {
	*world
	sizes
	ids    [2][]string // of the people, by side, the updated first, then those to be deleted
	fresh  [2][]string // made on the left, and what the run made of them on the right
	before map[string]record.Fields
	run    int64
}

// spoil makes a run of those sizes: names spoilt on the left, people entered there and
// removed there.
func spoil(t *testing.T, s setting, n sizes) *spoilt {
	t.Helper()
	s.gone = [2]engine.GoneRule{{Policy: away.GoneDelete}, {Policy: away.GoneDelete}}
	w := &spoilt{world: newWorld(t, s), sizes: n, before: map[string]record.Fields{}}
	person := func(i int, name string) record.Fields {
		return record.Fields{"phone": record.OfText(fmt.Sprintf("+39055%07d", i)), "name": record.OfText(name), "note": record.OfText("a note")}
	}
	all := n.updated + n.deleted + 20
	for i := range all {
		w.ids[record.Left] = append(w.ids[record.Left], w.sys[record.Left].Put(kinds[record.Left], person(i, fmt.Sprint("person ", i))))
	}
	w.rest()
	for i := range all {
		w.ids[record.Right] = append(w.ids[record.Right], w.partner(w.ids[record.Left][i]))
	}
	for _, r := range w.sys[record.Right].All(kinds[record.Right]) {
		w.before[r.Ref.ID] = r.Fields
	}
	for i := range n.updated {
		w.sys[record.Left].Edit(kinds[record.Left], w.ids[record.Left][i], record.Fields{"name": record.OfText("spoilt")})
	}
	for i := range n.deleted {
		w.sys[record.Left].Remove(kinds[record.Left], w.ids[record.Left][n.updated+i])
	}
	for i := range n.created {
		w.fresh[record.Left] = append(w.fresh[record.Left], w.sys[record.Left].Put(kinds[record.Left], person(all+i, "never was")))
	}
	rep := w.world.run(engine.Options{Yes: true})
	w.run = rep.Run
	if c := rep.Counts; c["right.updated"] != int64(n.updated) || c["right.created"] != int64(n.created) || c["right.deleted"] != int64(n.deleted) {
		t.Fatalf("the bad run: got %v", c)
	}
	for _, id := range w.fresh[record.Left] {
		w.fresh[record.Right] = append(w.fresh[record.Right], w.partner(id))
	}
	for i := range n.editedUpdates {
		w.byHand(w.ids[record.Right][i])
	}
	for i := range n.editedCreates {
		w.byHand(w.fresh[record.Right][i])
	}
	return w
}

// partner is the id on the right of a record on the left.
func (w *spoilt) partner(left string) string {
	w.Helper()
	p, ok, err := w.store.PairOf(context.Background(), record.Place{Binding: job, Side: record.Left}, record.Ref{Kind: kinds[record.Left], ID: left})
	if err != nil || !ok {
		w.Fatalf("%s has no partner: %v", left, err)
	}
	return p.Sides[record.Right].Ref.ID
}

func (w *spoilt) byHand(right string) {
	w.sys[record.Right].Edit(kinds[record.Right], right, record.Fields{"their_name": record.OfText("by hand")})
}

// conflicting is how many records an undo left as they are.
func conflicting(rep engine.Report) int {
	records := map[record.Ref]bool{}
	for _, c := range rep.Undo.Conflicts {
		records[c.Ref] = true
	}
	return len(records)
}

// A run of 700 updates, 200 creates and 100 deletes, of which 100 records were edited by
// hand afterwards: what still holds our value is restored, the 100 are conflicts, and a
// second undo writes nothing. Later runs neither spoil anything again nor make or delete
// anybody.
func TestF47_UndoOfAThousandChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := sizes{updated: 700, created: 200, deleted: 100, editedUpdates: 60, editedCreates: 40}
		w := spoil(t, setting{kinds: [2]memory.Kind{{Delete: true}, {Delete: true}}, policies: lenient().policies}, n)
		defer w.close()
		rep := w.undo(w.run)
		if got, want := undone(rep), "640 updated, 100 created, 160 deleted; 100 conflicts, 0 beyond, 0 already"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := conflicting(rep); got != 100 {
			t.Errorf("got %d records with conflicts, want 100", got)
		}
		w.restored(t)
		before := w.mutations()
		if got, want := undone(w.undo(w.run)), "0 updated, 0 created, 0 deleted; 100 conflicts, 0 beyond, 900 already"; got != want {
			t.Errorf("a second undo: got %s, want %s", got, want)
		}
		if k := w.mutations() - before; k != 0 {
			t.Errorf("a second undo wrote %d times", k)
		}
		left, right := len(w.sys[record.Left].All(kinds[record.Left])), len(w.sys[record.Right].All(kinds[record.Right]))
		w.rest()
		if k := w.mutations() - before; k != 100 {
			t.Errorf("%d writes after the undo, want those of the 100 edits by hand alone", k)
		}
		if l, r := len(w.sys[record.Left].All(kinds[record.Left])), len(w.sys[record.Right].All(kinds[record.Right])); l != left || r != right {
			t.Errorf("got %d and %d records, want %d and %d as after the undo", l, r, left, right)
		}
	})
}

// restored ends the test unless the right holds what it held before the run, but for
// what was edited by hand.
func (w *spoilt) restored(t *testing.T) {
	t.Helper()
	now := map[string]record.Fields{}
	byPhone := map[string]record.Fields{}
	for _, r := range w.sys[record.Right].All(kinds[record.Right]) {
		now[r.Ref.ID] = r.Fields
		byPhone[r.Fields["their_phone"].Text()] = r.Fields
	}
	for i, id := range w.ids[record.Right] {
		was, is := w.before[id], now[id]
		switch {
		case i < w.editedUpdates:
			if got := is["their_name"].Text(); got != "by hand" {
				t.Fatalf("person %d: got %s, want the edit by hand", i, got)
			}
			continue
		case i >= w.updated && i < w.updated+w.deleted: // made anew, under another id
			is = byPhone[was["their_phone"].Text()]
		}
		if !is.Equal(was) {
			t.Fatalf("person %d: got %v, want %v as before the run", i, is, was)
		}
	}
	for i, id := range w.fresh[record.Right] {
		if _, there := now[id]; there != (i < w.editedCreates) {
			t.Fatalf("record %d that the run made: there %t", i, there)
		}
	}
}

// What a system has no way to take back is listed, and the rest goes back.
func TestF47_UndoListsWhatCantBeTakenBack(t *testing.T) {
	for name, tt := range map[string]struct {
		after func(w *spoilt)
		want  string
	}{
		"no delete": {func(w *spoilt) { w.can(func(k *engine.Side) { k.Can.Delete = false }) }, "7 updated, 1 created, 0 deleted; 0 conflicts, 2 beyond, 0 already"},
		"no create": {func(w *spoilt) { w.can(func(k *engine.Side) { k.Can.Create = false }) }, "7 updated, 0 created, 2 deleted; 0 conflicts, 1 beyond, 0 already"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := spoil(t, setting{kinds: [2]memory.Kind{{Delete: true}, {Delete: true}}, policies: lenient().policies}, sizes{updated: 7, created: 2, deleted: 1})
				defer w.close()
				tt.after(w)
				rep := w.undo(w.run)
				if got := undone(rep); got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
				for _, b := range rep.Undo.Beyond {
					if b.Why == "" || b.Ref.Kind == "" {
						t.Errorf("got %+v, want it named and said why", b)
					}
				}
			})
		})
	}
}

// can changes what the right side can do.
func (w *spoilt) can(change func(*engine.Side)) { change(&w.eng.Jobs[job].Sides[record.Right]) }

// What was deleted and made anew is deleted again by an undo of the undo, and what was
// made and deleted is made anew and linked.
func TestF47_UndoOfAnUndoOfCreatesAndDeletes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := spoil(t, setting{kinds: [2]memory.Kind{{Delete: true}, {Delete: true}}, policies: lenient().policies}, sizes{updated: 2, created: 2, deleted: 2})
		defer w.close()
		was := w.both()
		first := w.undo(w.run)
		again := w.undo(first.Run)
		if got, want := undone(again), "2 updated, 2 created, 2 deleted; 0 conflicts, 0 beyond, 0 already"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := w.both(); got != was {
			t.Errorf("got\n%s\nwant\n%s", got, was)
		}
		if due := w.due(); len(due) > 0 {
			t.Errorf("left to do: %v", due)
		}
		w.sys[record.Left].Edit(kinds[record.Left], w.fresh[record.Left][0], record.Fields{"note": record.OfText("x"), "name": record.OfText("flows")})
		w.tick(time.Minute)
		w.rest()
		if got := w.partner(w.fresh[record.Left][0]); got == "" || got == w.fresh[record.Right][0] {
			t.Errorf("got %q, want another record linked", got)
		}
		if r := w.sys[record.Right].All(kinds[record.Right]); !holdsName(r, "flows") {
			t.Errorf("an edit does not reach the record that was made anew: %v", r)
		}
	})
}

func holdsName(rs []record.Record, name string) bool {
	for _, r := range rs {
		if r.Fields["their_name"].Text() == name {
			return true
		}
	}
	return false
}
