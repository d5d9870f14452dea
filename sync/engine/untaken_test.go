package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// deafened is a linked guest of whom the left edits the name, which the right answers and does not
// take, as long as *deaf.
func deafened(t *testing.T, k memory.Kind, policy merge.Policy, dir merge.Direction) (w *world, deaf *bool) {
	t.Helper()
	deaf = new(bool)
	*deaf = true
	k.Undone = func(record.Change) bool { return *deaf }
	w = newWorld(t, setting{
		kinds: [2]memory.Kind{record.Right: k}, policies: map[string]merge.Policy{"name": policy, "note": merge.LeftWins},
		oneWay: map[string]merge.Direction{"name": dir},
	})
	w.put(record.Left, 1, map[string]string{"name": "Ada", "note": "quiet"})
	w.run(engine.Options{Yes: true})
	w.tick(time.Hour)
	w.edit(record.Left, 1, "name", "Ada L.")
	return w, deaf
}

// looked is some runs, until all that was written has settled.
func (w *world) looked() {
	for range 4 {
		w.run(engine.Options{Yes: true})
		w.tick(time.Minute)
	}
}

func (w *world) untaken() (open []record.Question) {
	w.Helper()
	all, err := w.store.Questions(context.Background(), job, true)
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range all {
		if c.Cause != plan.Untaken {
			w.Errorf("a person is asked by %s", c.Cause)
		}
		open = append(open, c)
	}
	return open
}

// A system answers an update and does nothing. Its old value is no edit that undoes the user's,
// and the two are not in step: a person is asked, whatever wins a conflict. A new edit goes over if it would also win
// against somebody who has put the old value back.
func TestWeakUpdateThatIsAnsweredAndNotDone(t *testing.T) {
	for _, k := range []struct {
		name string
		kind memory.Kind
	}{
		{"it answers with the record as it is", memory.Kind{}},
		{"it answers with what it was asked for", memory.Kind{Echoes: true}},
		{"it answers with that, and shows times", memory.Kind{Echoes: true, Times: true}},
		{"it answers with nothing", memory.Kind{Silent: true}},
		{"with versions and times", memory.Kind{Versions: true, Times: true}},
		{"its lists lag", memory.Kind{ListLag: 5 * time.Second}},
	} {
		for _, p := range []struct {
			name   string
			policy merge.Policy
			dir    merge.Direction
		}{{"left wins", merge.LeftWins, merge.Both}, {"right wins", merge.RightWins, merge.Both}, {"one way", merge.LeftWins, merge.ToRight}} {
			t.Run(k.name+", "+p.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w, deaf := deafened(t, k.kind, p.policy, p.dir)
					defer w.close()
					w.looked()
					if got := w.value(record.Left, 1, "name"); got != "Ada L." {
						t.Fatalf("the user's edit was undone: %q", got)
					}
					open := w.untaken()
					if len(open) != 1 || open[0].Field != "name" {
						t.Fatalf("asked are %+v, want one about the name", open)
					}
					before := w.sys[record.Right].Counts().Mutations
					w.edit(record.Left, 1, "note", "by the lift")
					*deaf = false
					w.looked()
					if got := w.value(record.Right, 1, "note"); got != "by the lift" {
						t.Errorf("the note is %q: the name held it up", got)
					}
					if got := w.sys[record.Right].Counts().Mutations - before; got != 1 {
						t.Errorf("%d writes while a person is asked, want the note alone", got)
					}
					w.edit(record.Left, 1, "name", "Ada the third")
					w.looked()
					want, asked := "Ada the third", 0
					if p.policy == merge.RightWins { // if somebody has put the old value back, it wins
						want, asked = "Ada", 1
					}
					if got := w.value(record.Right, 1, "name"); got != want {
						t.Errorf("the name is %q after a new edit, want %q", got, want)
					}
					if open := w.untaken(); len(open) != asked {
						t.Errorf("asked are %+v, want %d", open, asked)
					}
				})
			})
		}
	}
}

// What a person chooses is done: sent once more, or brought back.
func TestWeakUntakenIsDecided(t *testing.T) {
	for choice, want := range map[string][2]string{"left": {"Ada L.", "Ada L."}, "right": {"Ada", "Ada"}, string(record.ChoiceLeave): {"Ada L.", "Ada"}} {
		t.Run(choice, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w, deaf := deafened(t, memory.Kind{Silent: true}, merge.LeftWins, merge.Both)
				defer w.close()
				w.looked()
				open := w.untaken()
				if len(open) != 1 {
					t.Fatalf("asked are %+v, want one", open)
				}
				*deaf = false
				w.must(w.store.Choose(context.Background(), open[0].ID, record.Choice(choice), record.Value{}, time.Now()))
				w.looked()
				for _, side := range record.Sides {
					if got := w.value(side, 1, "name"); got != want[side] {
						t.Errorf("the %s has %q, want %q", side, got, want[side])
					}
				}
				if open := w.untaken(); len(open) != 0 {
					t.Errorf("decided, and asked are %+v", open)
				}
				if x := w.verified(dir); x.Causes[plan.Unexplained] != 0 {
					t.Errorf("verify: %+v", x.Differs)
				}
				w.edit(record.Left, 1, "name", "Augusta")
				w.looked()
				if got := w.value(record.Right, 1, "name"); got != "Augusta" {
					t.Errorf("a later edit is decided as ever: the right has %q", got)
				}
			})
		})
	}
}

// What a user enters where an update was not done is an edit, and travels.
func TestWeakUntakenIsEditedSince(t *testing.T) {
	for _, k := range []memory.Kind{{}, {Silent: true}, {Echoes: true}} {
		for _, seen := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				w, _ := deafened(t, k, merge.RightWins, merge.Both)
				defer w.close()
				w.run(engine.Options{Yes: true})
				if seen {
					w.tick(time.Minute)
					w.looked()
				}
				if !seen && k.Silent {
					return // nothing tells it from what the system made of what it was sent
				}
				w.edit(record.Right, 1, "name", "Augusta")
				w.tick(time.Minute)
				w.looked()
				if got := w.value(record.Left, 1, "name"); got != "Augusta" {
					t.Errorf("seen before: %t, answers nothing: %t: the left has %q, want the edit", seen, k.Silent, got)
				}
				if open := w.untaken(); len(open) != 0 {
					t.Errorf("asked are %+v", open)
				}
			})
		}
	}
}

// Nobody can tell whether the user who edits it there had seen the one that we sent. Where that
// decides who wins, a person is asked, and neither edit is lost.
func TestWeakUntakenAndEditedOnBoth(t *testing.T) {
	for _, k := range []memory.Kind{{}, {Silent: true}, {Echoes: true}} {
		synctest.Test(t, func(t *testing.T) {
			w, deaf := deafened(t, k, merge.LeftWins, merge.Both)
			defer w.close()
			w.looked()
			*deaf = false
			w.edit(record.Right, 1, "name", "Augusta")
			w.looked()
			if l, r := w.value(record.Left, 1, "name"), w.value(record.Right, 1, "name"); l != "Ada L." || r != "Augusta" {
				t.Errorf("%q and %q: one edit was written over the other", l, r)
			}
			open := w.untaken()
			if len(open) != 1 {
				t.Fatalf("asked are %+v, want one", open)
			}
			w.must(w.store.Choose(context.Background(), open[0].ID, "right", record.Value{}, time.Now()))
			w.looked()
			if l, r := w.value(record.Left, 1, "name"), w.value(record.Right, 1, "name"); l != "Augusta" || r != "Augusta" {
				t.Errorf("%q and %q, as was chosen: want Augusta", l, r)
			}
			if open := w.untaken(); len(open) != 0 {
				t.Errorf("decided, and asked are %+v", open)
			}
		})
	}
}

// A user puts their edit back, and it stands as it did before: a later edit across travels.
func TestWeakUntakenAndPutBack(t *testing.T) {
	for _, k := range []memory.Kind{{}, {Silent: true}, {Echoes: true}} {
		synctest.Test(t, func(t *testing.T) {
			w, _ := deafened(t, k, merge.LeftWins, merge.Both)
			defer w.close()
			w.looked()
			w.edit(record.Left, 1, "name", "Ada")
			w.looked()
			if open := w.untaken(); len(open) != 0 {
				t.Errorf("in step again, and asked are %+v", open)
			}
			w.edit(record.Right, 1, "name", "Augusta")
			w.looked()
			if got := w.value(record.Left, 1, "name"); got != "Augusta" {
				t.Errorf("the left has %q, want the edit", got)
			}
		})
	}
}

// A list that shows an update later than any did before closes the question by itself.
func TestWeakUntakenUntilAListShowsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, deaf := deafened(t, memory.Kind{Silent: true}, merge.LeftWins, merge.Both)
		defer w.close()
		w.looked()
		if got := len(w.untaken()); got != 1 {
			t.Fatalf("%d questions, want one", got)
		}
		*deaf = false
		w.edit(record.Right, 1, "name", "Ada L.")
		w.looked()
		if open := w.untaken(); len(open) != 0 {
			t.Errorf("both show the same, and asked are %+v", open)
		}
	})
}

// A system that writes all names in capitals made of the new spelling what it made of the old.
func TestWeakUntakenSpellingIsNoQuestion(t *testing.T) {
	for _, k := range []memory.Kind{{}, {Silent: true}} {
		synctest.Test(t, func(t *testing.T) {
			w, _ := deafened(t, k, merge.LeftWins, merge.Both)
			defer w.close()
			w.edit(record.Left, 1, "name", "ADA")
			w.looked()
			if open := w.untaken(); len(open) != 0 {
				t.Errorf("asked are %+v", open)
			}
			if got := w.value(record.Left, 1, "name"); got != "ADA" {
				t.Errorf("the left has %q", got)
			}
		})
	}
}
