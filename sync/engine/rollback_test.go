package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// goBack is a world of ten people whose right side was put back to a copy, after what
// happened since.
func goBack(t *testing.T, k memory.Kind, since func(*world)) *world {
	w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}})
	for i := range 10 {
		w.put(record.Left, i, map[string]string{"name": fmt.Sprint("old", i), "note": "x", "mail": fmt.Sprintf("m%d@example.com", i)})
	}
	w.rest()
	copied := w.sys[record.Right].Snapshot()
	w.tick(time.Hour)
	since(w)
	w.rest()
	w.tick(time.Hour)
	w.sys[record.Right].Restore(copied)
	return w
}

// A system that was put back to an older copy stops the job before its first write,
// whatever tells it: our writes undone, times gone back, or the newest records gone.
func TestF10_RemoteRolledBack(t *testing.T) {
	for _, tt := range []struct {
		name  string
		kind  memory.Kind
		since func(*world)
	}{
		{"our writes undone", memory.Kind{}, func(w *world) {
			for i := range 4 {
				w.edit(record.Left, i, "name", fmt.Sprint("new", i))
			}
		}},
		{"times gone back", memory.Kind{Times: true}, func(w *world) {
			for i := range 3 {
				w.edit(record.Right, i, "note", fmt.Sprint("their", i))
			}
		}},
		{"newest gone", memory.Kind{}, func(w *world) {
			for i := range 6 {
				w.sys[record.Left].Put("contacts", record.Fields{"phone": record.OfText(fmt.Sprintf("+3905500009%02d", i)), "name": record.OfText("late")})
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := goBack(t, tt.kind, tt.since)
				defer w.close()
				before, written := w.both(), w.mutations()
				for range 2 {
					rep, err := w.try(engine.Options{Yes: true})
					if !errors.Is(err, engine.ErrHalted) || len(rep.Halts) != 1 || rep.Halts[0].Cause != "rolled_back" || rep.Halts[0].Side != record.Right {
						t.Fatalf("got %v, %+v", err, rep.Halts)
					}
				}
				if n := w.mutations() - written; n != 0 || w.both() != before {
					t.Errorf("%d writes were made", n)
				}
			})
		})
	}
}

// A hint that comes before anybody has seen that a system was put back carries no older
// value over, neither in the run that finds it out nor in one for that record alone.
func TestF10_HintAfterARollback(t *testing.T) {
	left := func(w *world) {
		for i := range 4 {
			w.edit(record.Left, i, "name", fmt.Sprint("new", i))
		}
	}
	right := func(w *world) {
		for i := range 4 {
			w.edit(record.Right, i, "note", fmt.Sprint("their", i))
		}
	}
	for _, tt := range []struct {
		name  string
		kind  memory.Kind
		since func(*world)
		alone bool // in a run of its own
	}{
		{"our writes undone", memory.Kind{}, left, false},
		{"our writes undone, by times", memory.Kind{Times: true}, left, true},
		{"times gone back", memory.Kind{Times: true}, right, false},
		{"times gone back", memory.Kind{Times: true}, right, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.kind.PageSize = 3 // hints are taken between two pages
				w := goBack(t, tt.kind, tt.since)
				defer w.close()
				before, written := w.both(), w.mutations()
				var refs []record.Ref
				var kicks []engine.Kick
				for i := range 4 {
					r, _ := w.find(record.Right, i)
					refs, kicks = append(refs, r.Ref), append(kicks, engine.Kick{Side: record.Right, Ref: r.Ref})
				}
				if tt.alone {
					w.run(engine.Options{Yes: true, Only: refs, OnlySide: record.Right})
				}
				rep, err := w.try(engine.Options{Yes: true, Kicked: func() []engine.Kick {
					now := kicks
					kicks = nil
					return now
				}})
				if !errors.Is(err, engine.ErrHalted) || len(rep.Halts) != 1 || rep.Halts[0].Cause != "rolled_back" || kicks != nil {
					t.Errorf("got %v, %+v", err, rep.Halts)
				}
				if n := w.mutations() - written; n != 0 || w.both() != before {
					t.Errorf("%d writes were made:\n%s", n, w.both())
				}
			})
		})
	}
}

// A person says what is to be done about it: the older values hold, or they are written
// over once more. Either way the job goes on, and stands still no more.
func TestF10_RolledBackAnswered(t *testing.T) {
	for answer, want := range map[record.Choice]string{record.Accepted: "old", record.Again: "new"} {
		t.Run(string(answer), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := goBack(t, memory.Kind{}, func(w *world) {
					for i := range 4 {
						w.edit(record.Left, i, "name", fmt.Sprint("new", i))
					}
				})
				defer w.close()
				if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
					t.Fatal(err)
				}
				if _, err := w.store.AnswerHalts(t.Context(), job, answer, "somebody"); err != nil {
					t.Fatal(err)
				}
				w.rest()
				for i := range 4 {
					for _, side := range record.Sides {
						if got := w.value(side, i, "name"); got != fmt.Sprint(want, i) {
							t.Errorf("%s of %d: got %q, want %s%d", side, i, got, want, i)
						}
					}
				}
				if due := w.due(); len(due) > 0 {
					t.Errorf("still to do: %v", due)
				}
				if halts, err := w.store.Halts(t.Context(), job); err != nil || len(halts) > 0 {
					t.Errorf("got %v, %+v", err, halts)
				}
			})
		})
	}
}

// People who take back some of what we wrote, or delete some new records, are no
// restored backup.
func TestF10_EditsAreNoRollback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := linkedPeople(t, 10)
		defer w.close()
		for i := range 6 {
			w.edit(record.Left, i, "name", fmt.Sprint("new", i))
		}
		w.rest()
		for i := range 3 {
			w.edit(record.Right, i, "name", fmt.Sprint("n", i))
		}
		w.remove(record.Right, 9)
		w.remove(record.Right, 8)
		w.rest()
		if got := w.value(record.Left, 1, "name"); got != "n1" {
			t.Errorf("got %q, want what was taken back", got)
		}
	})
}

// The account that answers is another one: nothing is read from it, and it takes the
// place of the first only if a person says so and the linked records are there.
func TestF23_AccountHasAnotherName(t *testing.T) {
	for _, same := range []bool{true, false} {
		t.Run(fmt.Sprint("the records are there ", same), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := linkedPeople(t, 8)
				defer w.close()
				name, fetches := "first", 0
				account := func() {
					s := &w.eng.Jobs[job].Sides[record.Right]
					s.Account = func(context.Context) (string, error) { return name, nil }
				}
				account()
				w.run(engine.Options{})
				name = "second"
				fetches = w.sys[record.Right].Counts().Fetches
				w.edit(record.Left, 1, "name", "new")
				if !same {
					for i := range 5 {
						w.remove(record.Right, i)
					}
				}
				stands := func() {
					t.Helper()
					rep, err := w.try(engine.Options{Yes: true})
					if !errors.Is(err, engine.ErrHalted) || len(rep.Halts) != 1 || rep.Halts[0].Cause != "account" ||
						!strings.Contains(rep.Halts[0].Why, "second") || !strings.Contains(rep.Halts[0].Why, "first") {
						t.Fatalf("got %v, %+v", err, rep.Halts)
					}
				}
				stands()
				kick, _ := w.find(record.Left, 1)
				if _, err := w.try(engine.Options{Only: []record.Ref{kick.Ref}, OnlySide: record.Left}); !errors.Is(err, engine.ErrHalted) {
					t.Errorf("a record that is asked for by name: got %v", err)
				}
				if n := w.sys[record.Right].Counts().Fetches; n != fetches {
					t.Errorf("its lists were read %d times", n-fetches)
				}
				if _, err := w.store.AnswerHalts(t.Context(), job, record.Accepted, "somebody"); err != nil {
					t.Fatal(err)
				}
				if same {
					w.run(engine.Options{})
					if got := w.value(record.Right, 1, "name"); got != "new" {
						t.Errorf("got %q: it did not go on", got)
					}
				} else {
					stands()
					stands()
				}
				name = "first"
				if !same {
					for i := range 5 {
						w.put(record.Right, i, map[string]string{"name": "x"})
					}
				}
				_, err := w.try(engine.Options{})
				if halted := errors.Is(err, engine.ErrHalted); halted != same {
					t.Errorf("back at the first name: got %v", err)
				}
			})
		})
	}
}

// A list of what changed shows a few records of another account, and lacks none: what
// one side shows is written to the other only once both are known to be the ones we know.
func TestF23_ChangesOfAnotherAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		since := memory.Kind{Since: true, Times: true}
		w := newWorld(t, setting{kinds: [2]memory.Kind{since, since}})
		defer w.close()
		for i := range 4 {
			w.put(record.Left, i, map[string]string{"name": fmt.Sprint("n", i)})
		}
		w.rest()
		other := newWorld(t, setting{kinds: [2]memory.Kind{since, since}})
		defer other.close()
		other.sys[record.Left].PutAs("contacts", "x1", record.Fields{"phone": record.OfText("+390559999999"), "name": record.OfText("Stranger")})
		w.sys[record.Left].Restore(other.sys[record.Left].Snapshot())
		before := w.mutations()
		for range 3 {
			rep, err := w.try(engine.Options{Yes: true})
			if !errors.Is(err, engine.ErrHalted) || len(rep.Halts) == 0 {
				t.Fatalf("got %v, %+v", err, rep.Halts)
			}
		}
		if n := w.mutations() - before; n != 0 {
			t.Errorf("%d writes were made: %s", n, w.both())
		}
	})
}

// Who has a side written to once more gets back what the older copy lacks; nothing is
// deleted for its sake.
func TestF10_AgainDeletesNothing(t *testing.T) {
	for answer, want := range map[record.Choice]int{record.Again: 6, record.Accepted: 0} {
		t.Run(string(answer), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: deletes, gone: both(away.GoneDelete)})
				defer w.close()
				for i := range 10 {
					w.put(record.Left, i, map[string]string{"name": fmt.Sprint("old", i), "note": "x", "mail": fmt.Sprintf("m%d@example.com", i)})
				}
				w.rest()
				copied := w.sys[record.Right].Snapshot()
				w.tick(time.Hour)
				for i := range 6 {
					w.sys[record.Left].Put("contacts", record.Fields{"phone": record.OfText(fmt.Sprintf("+3905500009%02d", i)), "name": record.OfText("late")})
				}
				w.rest()
				w.tick(time.Hour)
				w.sys[record.Right].Restore(copied)
				if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
					t.Fatal(err)
				}
				if _, err := w.store.AnswerHalts(t.Context(), job, answer, "somebody"); err != nil {
					t.Fatal(err)
				}
				w.rest()
				n := w.have(record.Left, "name", "late")
				if m := w.have(record.Right, "name", "late"); n != want || m != want {
					t.Errorf("got %d on the left and %d on the right, want %d:\n%s", n, m, want, w.both())
				}
				w.idle(2)
			})
		})
	}
}

// A side that was put back gets all of it once more, also where runs come only half way;
// what is changed on it afterwards is an edit.
func TestF10_AgainIsResumed(t *testing.T) {
	for _, k := range []memory.Kind{{}, {Times: true}, {Versions: true}} {
		for done := 1; done < 4; done++ {
			synctest.Test(t, func(t *testing.T) {
				w := goBack(t, k, func(w *world) {
					for i := range 4 {
						w.edit(record.Left, i, "name", fmt.Sprint("new", i))
					}
				})
				defer w.close()
				if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
					t.Fatal(err)
				}
				if _, err := w.store.AnswerHalts(t.Context(), job, record.Again, "somebody"); err != nil {
					t.Fatal(err)
				}
				one, _ := w.find(record.Right, 3)
				w.run(engine.Options{Yes: true, Only: []record.Ref{one.Ref}, OnlySide: record.Right})
				w.run(engine.Options{Yes: true, Limit: done})
				w.rest()
				w.edit(record.Right, 0, "note", "an edit afterwards")
				w.rest()
				if got := w.value(record.Left, 0, "note"); got != "an edit afterwards" {
					t.Errorf("an edit afterwards: got %q", got)
				}
				for i := range 4 {
					for _, side := range record.Sides {
						if got := w.value(side, i, "name"); got != fmt.Sprint("new", i) {
							t.Errorf("%d done: %s of %d: got %q", done, side, i, got)
						}
					}
				}
				if halts, err := w.store.Halts(t.Context(), job); err != nil || len(halts) > 0 {
					t.Errorf("got %v, %+v", err, halts)
				}
			})
		}
	}
}

// A job that stands still takes no record first while it looks whether it still must.
func TestF10_AJobThatStandsTakesNoKick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := goBack(t, memory.Kind{PageSize: 3}, func(w *world) {
			for i := range 4 {
				w.edit(record.Left, i, "name", fmt.Sprint("new", i))
			}
		})
		defer w.close()
		kick := func() []engine.Kick {
			r, _ := w.find(record.Right, 2)
			return []engine.Kick{{Side: record.Right, Ref: r.Ref}}
		}
		before := w.mutations()
		for i := range 3 {
			o := engine.Options{Yes: true}
			if i > 0 {
				o.Kicked = kick
			}
			if _, err := w.try(o); !errors.Is(err, engine.ErrHalted) {
				t.Fatal(err)
			}
		}
		if n := w.mutations() - before; n != 0 {
			t.Errorf("%d writes:\n%s", n, w.both())
		}
	})
}
