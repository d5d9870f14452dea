package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// answerAll gives every open question about a record the same answer.
func (w *world) answerAll(choice away.GoneChoice) (n int) {
	w.Helper()
	cs, err := w.store.Questions(context.Background(), job, true)
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range cs {
		if c.Choice != "" || c.Entry == 0 && c.Field != engine.RecordField {
			continue
		}
		if err := w.store.Choose(context.Background(), c.ID, "value", record.OfText(string(choice)), time.Now()); err != nil {
			w.Fatal(err)
		}
		n++
	}
	return n
}

// fiveUnderTheIDOfFour is a world in which the persons 4 and 5 were removed on the right, and person 5 was entered again
// and got the id of person 4, which is returned. A person is asked about both.
func fiveUnderTheIDOfFour(t *testing.T, right memory.Kind) (w *world, id string) {
	t.Helper()
	right.Delete = true
	w = newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, right}, gone: both(away.GoneHold), match: [][]string{{"phone"}, {"mail"}}})
	for n := range 6 {
		w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "mail": fmt.Sprintf("%d@example.com", n)})
	}
	w.rest()
	w.tick(time.Hour)
	was, _ := w.find(record.Right, 4)
	again, _ := w.find(record.Right, 5)
	w.remove(record.Right, 4)
	w.remove(record.Right, 5)
	w.sys[record.Right].PutAs(kinds[record.Right], was.Ref.ID, again.Fields)
	w.wholeRuns()
	return w, was.Ref.ID
}

// Two are removed, and one of them is entered anew under the id of the other. Whether it is the one that had the id is
// asked, and so is what becomes of the second. Both answers together do not make the second one twice.
func TestOutsideWhoHasAnIDOfAnotherIsNotMadeBesideIt(t *testing.T) {
	for _, seen := range []memory.Kind{{}, {Times: true}, {Versions: true}, {Times: true, Versions: true}} {
		for _, together := range []bool{true, false} {
			t.Run(fmt.Sprintf("times %t, versions %t, both answered at once %t", seen.Times, seen.Versions, together), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w, _ := fiveUnderTheIDOfFour(t, seen)
					defer w.close()
					for i := 0; i < 4 && w.answerAll(away.ChooseAnew) > 0; i++ {
						w.wholeRuns()
						if !together {
							w.wholeRuns()
						}
					}
					for n := range 6 {
						if l, r := w.have(record.Left, "name", fmt.Sprint("name ", n)), w.have(record.Right, "name", fmt.Sprint("name ", n)); l != 1 || r != 1 {
							t.Errorf("%d is there %d and %d times:\n%s", n, l, r, w.both())
						}
					}
					if n := w.questions(); n != 0 {
						t.Errorf("%d questions are left", n)
					}
					w.idle(2)
				})
			})
		}
	}
}

// The same while reads by id fail: as long as nothing is known of the record that has the id of another, nobody is made
// beside it.
func TestOutsideNobodyIsMadeBesideWhoIsStillToBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, id := fiveUnderTheIDOfFour(t, memory.Kind{})
		defer w.close()
		for i := 0; i < 4 && w.answerAll(away.ChooseAnew) > 0; i++ {
			w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, ID: id, Skip: 1, Times: -1, Class: connectors.Transient})
			for range 2 {
				w.run(engine.Options{Yes: true, Seen: true})
			}
			w.sys[record.Right].Heal()
			w.wholeRuns()
		}
		for n := range 6 {
			if l, r := w.have(record.Left, "name", fmt.Sprint("name ", n)), w.have(record.Right, "name", fmt.Sprint("name ", n)); l != 1 || r != 1 {
				t.Errorf("%d is there %d and %d times:\n%s", n, l, r, w.both())
			}
		}
	})
}

// The one that has the id of another is left alone, as a person says, and what becomes of the second is answered with
// that it is to be made. It is not made beside the same one unasked.
func TestOutsideWhoHasAnIDOfAnotherAndIsLeftIsNotMadeBesideIt(t *testing.T) {
	for _, k := range []memory.Kind{{Delete: true}, {Delete: true, Times: true}} {
		t.Run(fmt.Sprintf("times %t", k.Times), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, k}, gone: both(away.GoneHold), match: [][]string{{"phone"}, {"mail"}}})
				defer w.close()
				for n := range 6 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "mail": fmt.Sprintf("%d@example.com", n)})
				}
				w.rest()
				w.tick(time.Hour)
				was, _ := w.find(record.Right, 4)
				again, _ := w.find(record.Right, 5)
				w.remove(record.Right, 4)
				w.remove(record.Right, 5)
				w.sys[record.Right].PutAs(kinds[record.Right], was.Ref.ID, again.Fields)
				w.wholeRuns()
				cs, err := w.store.Questions(t.Context(), job, true)
				if err != nil || len(cs) != 2 {
					t.Fatalf("asked: %+v, %v", cs, err)
				}
				for _, c := range cs {
					choice := away.ChooseAnew
					if c.Cause == record.Cause(away.AskForeign) {
						choice = away.ChooseLeave
					}
					w.must(w.store.Choose(t.Context(), c.ID, "value", record.OfText(string(choice)), time.Now()))
				}
				w.wholeRuns()
				w.wholeRuns()
				if n := w.have(record.Right, "name", "name 5"); n != 1 {
					t.Errorf("it is there %d times:\n%s", n, w.both())
				}
				if cs, err = w.store.Questions(t.Context(), job, true); err != nil || len(cs) != 1 || !strings.Contains(cs[0].Why, "left it alone") && !strings.Contains(cs[0].Why, "linked to another record") {
					t.Fatalf("asked: %+v, %v", cs, err)
				}
				w.must(w.store.Choose(t.Context(), cs[0].ID, "value", record.OfText("create"), time.Now()))
				w.wholeRuns()
				if n := w.have(record.Right, "name", "name 5"); n != 2 || w.questions() != 0 {
					t.Errorf("a person wanted it made: it is there %d times, and %d are asked about", n, w.questions())
				}
				w.idle(2)
			})
		})
	}
}

// A system is put back to an older copy. Somebody enters there again whom it lacks, and the record gets the id of another
// one that it lacks. Written once more, the first is not made beside what was entered.
func TestOutsideWhoWasEnteredAfterACopyIsNotMadeBesideIt(t *testing.T) {
	for _, answer := range []record.Choice{record.Accepted, record.Again} {
		for _, k := range []memory.Kind{{}, {Times: true}, {Versions: true}, {Times: true, Versions: true}} {
			t.Run(fmt.Sprintf("%s, times %t, versions %t", answer, k.Times, k.Versions), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}, match: [][]string{{"phone"}, {"mail"}}})
					defer w.close()
					for i := range 8 {
						w.put(record.Left, i, map[string]string{"name": fmt.Sprint("name ", i), "note": "x", "mail": fmt.Sprintf("m%d@example.com", i)})
					}
					w.rest()
					copied := w.sys[record.Right].Snapshot()
					w.tick(time.Hour)
					for _, i := range []int{8, 9} {
						w.put(record.Left, i, map[string]string{"name": fmt.Sprint("name ", i), "note": "x", "mail": fmt.Sprintf("m%d@example.com", i)})
						w.rest()
					}
					for i := range 5 {
						w.edit(record.Left, i, "note", fmt.Sprint("later", i))
					}
					w.rest()
					made, _ := w.find(record.Right, 8)
					w.tick(time.Hour)
					w.sys[record.Right].Restore(copied)
					w.put(record.Right, 9, map[string]string{"name": "name 9", "note": "by hand", "mail": "m9@example.com"})
					if r, _ := w.find(record.Right, 9); r.Ref != made.Ref {
						t.Fatalf("it got %s, and was to get %s again", r.Ref, made.Ref)
					}
					if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
						t.Fatalf("got %v, and was to stand still", err)
					}
					if _, err := w.store.AnswerHalts(t.Context(), job, answer, "somebody"); err != nil {
						t.Fatal(err)
					}
					w.wholeRuns()
					for i := 0; i < 6 && w.answerAll(away.ChooseAnew) > 0; i++ {
						w.wholeRuns()
					}
					for n := range 10 {
						if l, r := w.have(record.Left, "name", fmt.Sprint("name ", n)), w.have(record.Right, "name", fmt.Sprint("name ", n)); l != 1 || r != 1 {
							t.Errorf("%d is there %d and %d times:\n%s", n, l, r, w.both())
						}
					}
				})
			})
		}
	}
}

// backAndAgain is a house of ten whose right side was put back to from before four names were edited on the left. A
// person said that it is to get them once more.
func backAndAgain(t *testing.T, s setting) *world {
	t.Helper()
	w := newWorld(t, s)
	for i := range 10 {
		w.put(record.Left, i, map[string]string{"name": fmt.Sprint("old", i), "note": "x", "mail": fmt.Sprintf("m%d@example.com", i)})
	}
	w.rest()
	copied := w.sys[record.Right].Snapshot()
	w.tick(time.Hour)
	for i := range 4 {
		w.edit(record.Left, i, "name", fmt.Sprint("new", i))
	}
	w.rest()
	w.tick(time.Hour)
	w.sys[record.Right].Restore(copied)
	if s.broken {
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFetch, Drop: 1, Times: -1})
	}
	if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
		t.Fatalf("got %v, and was to stand still", err)
	}
	if _, err := w.store.AnswerHalts(t.Context(), job, record.Again, "somebody"); err != nil {
		t.Fatal(err)
	}
	return w
}

// The list that told of the copy lacked a record. Until the side was read whole nobody knows all that the copy shows:
// no run writes before that, of one record neither.
func TestOutsideAgainWaitsForAWholeList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := backAndAgain(t, setting{kinds: [2]memory.Kind{{}, {Total: true}}, policies: byPersons, broken: true})
		defer w.close()
		one, _ := w.find(record.Right, 3)
		if _, err := w.try(engine.Options{Yes: true, Only: []record.Ref{one.Ref}, OnlySide: record.Right}); !errors.Is(err, engine.ErrHalted) {
			t.Errorf("a run of one record: %v", err)
		}
		if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
			t.Errorf("a run whose list lacks a record, too: %v", err)
		}
		w.sys[record.Right].Heal()
		w.wholeRuns()
		for i := range 4 {
			for _, side := range record.Sides {
				if got := w.value(side, i, "name"); got != fmt.Sprint("new", i) {
					t.Errorf("%d of the %s is %q", i, side, got)
				}
			}
		}
	})
}

// The runs after the answer fail, since the other system is away. What is edited meanwhile in the one that was put back is
// an edit.
func TestOutsideAgainIsForWhatStoodThereWhenItWasAsked(t *testing.T) {
	for _, s := range backSettings {
		t.Run(s.name(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := backAndAgain(t, s.setting(t))
				defer w.close()
				w.sys[record.Left].Inject(memory.Fault{Call: memory.CallFetch, Class: connectors.Transient, Times: -1})
				if _, err := w.try(engine.Options{Yes: true}); err == nil {
					t.Fatal("the run was to fail")
				}
				w.edit(record.Right, 1, "note", "desk")
				w.edit(record.Right, 8, "name", "desk")
				w.tick(time.Minute)
				if _, err := w.try(engine.Options{Yes: true}); err == nil {
					t.Fatal("the run was to fail")
				}
				w.sys[record.Left].Heal()
				w.wholeRuns()
				w.wholeRuns()
				if l, r := w.value(record.Left, 8, "name"), w.value(record.Right, 8, "name"); l != "desk" || r != "desk" {
					t.Errorf("the edit of a record that was in step: %q and %q", l, r)
				}
				if l, r := w.value(record.Left, 1, "note"), w.value(record.Right, 1, "note"); l != "desk" || r != "desk" {
					t.Errorf("the edit of another field: %q and %q", l, r)
				}
				for i := range 4 {
					if got := w.value(record.Right, i, "name"); got != fmt.Sprint("new", i) {
						t.Errorf("%d of the right is %q", i, got)
					}
				}
			})
		})
	}
}

// back is what a side may show that was put back, and how its values are kept.
type back struct {
	times, versions, sealed, noGet bool
}

func (b back) name() string {
	return fmt.Sprintf("times %t, versions %t, digests %t, no read by id %t", b.times, b.versions, b.sealed, b.noGet)
}

func (b back) setting(t *testing.T) setting {
	t.Helper()
	s := setting{kinds: [2]memory.Kind{{}, {Times: b.times, Versions: b.versions, NoGet: b.noGet}}, policies: byPersons}
	if b.sealed {
		s.sealed = filepath.Join(t.TempDir(), "key")
	}
	return s
}

var backSettings = []back{{}, {times: true}, {versions: true}, {times: true, versions: true}, {sealed: true, times: true}, {noGet: true}}

// byPersons has a person decide each field that both sides changed.
var byPersons = map[string]merge.Policy{"name": merge.Person, "note": merge.Person, "mail": merge.Person}

// A side that was put back is to get everything once more, and refuses one of the values. What the copy shows there is
// no edit: it is not brought across, however many runs there are.
func TestOutsideAgainIsNotTurnedRoundByANo(t *testing.T) {
	for _, s := range backSettings {
		t.Run(s.name(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := backAndAgain(t, s.setting(t))
				defer w.close()
				no, _ := w.find(record.Right, 3)
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, ID: no.Ref.ID, Times: -1, Class: connectors.Rejected})
				for range 6 {
					w.run(engine.Options{Yes: true})
					w.tick(time.Minute)
				}
				for i := range 4 {
					if got := w.value(record.Left, i, "name"); got != fmt.Sprint("new", i) {
						t.Errorf("%d of the left is %q", i, got)
					}
				}
				if got := w.value(record.Right, 0, "name"); got != "new0" {
					t.Errorf("what was not refused is %q", got)
				}
				w.edit(record.Right, 0, "name", "desk0")
				w.wholeRuns()
				if got := w.value(record.Left, 0, "name"); got != "desk0" {
					t.Errorf("an edit of one that was written is %q across", got)
				}
				w.sys[record.Right].Heal()
				w.must(w.store.Forgive(t.Context(), job, record.Forgiven{Side: record.Right, At: time.Now(), By: "ada"}))
				w.wholeRuns()
				w.wholeRuns()
				if got := w.value(record.Right, 3, "name"); got != "new3" {
					t.Errorf("asked for again, what was refused is %q", got)
				}
				if halts, err := w.store.Halts(t.Context(), job); err != nil || len(halts) > 0 {
					t.Errorf("got %v, %+v", err, halts)
				}
			})
		})
	}
}

// A side that was put back is to get everything once more, and that takes several runs. What somebody edits there
// meanwhile is an edit, of a record that was written already, of one that was in step all along, and of one whose turn
// has not come.
func TestOutsideAgainIsForWhatTheCopyShowedAlone(t *testing.T) {
	halfway := map[string]func(*world){
		"a limit":    func(w *world) { w.run(engine.Options{Yes: true, Limit: 2}) },
		"one by one": func(w *world) { w.run(engine.Options{Yes: true, Limit: 1}); w.run(engine.Options{Yes: true, Limit: 1}) },
		"it is slow": func(w *world) {
			w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Skip: 2, Times: 20, Class: connectors.Transient})
			_, _ = w.try(engine.Options{Yes: true})
			w.sys[record.Right].Heal()
		},
		"it is paused": func(w *world) {
			w.must(w.store.Pause(context.Background(), record.Pause{Scope: record.PauseAll, By: "ada", Since: time.Now()}))
			w.run(engine.Options{Yes: true})
			if _, err := w.store.Resume(context.Background(), record.PauseAll, ""); err != nil {
				w.Fatal(err)
			}
		},
	}
	for how, half := range halfway {
		for _, s := range backSettings {
			t.Run(how+", "+s.name(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := backAndAgain(t, s.setting(t))
					defer w.close()
					half(w)
					w.tick(time.Minute)
					written := -1
					for i := range 4 {
						if w.value(record.Right, i, "name") == fmt.Sprint("new", i) {
							written = i
						}
					}
					left := 0
					for w.value(record.Right, left, "name") != fmt.Sprint("old", left) {
						left++
					}
					if written >= 0 {
						w.edit(record.Right, written, "name", "desk")
					}
					w.edit(record.Right, left, "name", "desk")
					w.edit(record.Right, 8, "name", "desk")
					for range 4 {
						_, _ = w.try(engine.Options{Yes: true})
						w.tick(time.Minute)
					}
					for _, i := range []int{written, left, 8} {
						if i >= 0 && (w.value(record.Left, i, "name") != "desk" || w.value(record.Right, i, "name") != "desk") {
							t.Errorf("the edit of %d is %q and %q", i, w.value(record.Left, i, "name"), w.value(record.Right, i, "name"))
						}
					}
					for i := range 4 {
						if i != written && i != left && w.value(record.Right, i, "name") != fmt.Sprint("new", i) {
							t.Errorf("%d of the right is %q", i, w.value(record.Right, i, "name"))
						}
					}
				})
			})
		}
	}
}

// fieldAsked is the open question about a field.
func (w *world) fieldAsked(field string) (record.Question, bool) {
	w.Helper()
	cs, err := w.store.Questions(context.Background(), job, true)
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range cs {
		if c.Field == field {
			return c, true
		}
	}
	return record.Question{}, false
}

// A side that is written to once more is put back once more before that is done. The job stands still, and a person says
// what is to be done about it.
func TestOutsideAgainIsNotForTheNextCopy(t *testing.T) {
	for _, s := range backSettings {
		t.Run(s.name(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := backAndAgain(t, s.setting(t))
				defer w.close()
				w.run(engine.Options{Yes: true, Limit: 1})
				copied := w.sys[record.Right].Snapshot()
				for i := 4; i < 9; i++ {
					w.edit(record.Left, i, "name", fmt.Sprint("new", i))
				}
				w.tick(time.Hour)
				no, _ := w.find(record.Right, 3)
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, ID: no.Ref.ID, Times: -1, Class: connectors.Rejected})
				w.wholeRuns()
				w.tick(time.Hour)
				w.sys[record.Right].Restore(copied)
				if rep, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) || rep.Halts[0].Cause != "rolled_back" {
					t.Fatalf("got %v, and was to stand still", err)
				}
				if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
					t.Fatalf("got %v, and was to go on standing", err)
				}
				w.sys[record.Right].Heal()
				w.must(w.store.Forgive(t.Context(), job, record.Forgiven{Side: record.Right, At: time.Now(), By: "ada"}))
				if _, err := w.store.AnswerHalts(t.Context(), job, record.Again, "somebody"); err != nil {
					t.Fatal(err)
				}
				w.wholeRuns()
				w.wholeRuns()
				for i := range 9 {
					for _, side := range record.Sides {
						if got := w.value(side, i, "name"); got != fmt.Sprint("new", i) {
							t.Errorf("%d of the %s is %q", i, side, got)
						}
					}
				}
			})
		})
	}
}

// Both sides were put back, and both are to get once more what the other holds. A field that both hold from older
// copies is decided as one that both changed: a person is asked.
func TestOutsideAgainOfBothSidesAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{policies: byPersons})
		defer w.close()
		for i := range 10 {
			w.put(record.Left, i, map[string]string{"name": fmt.Sprint("old", i), "note": "x", "mail": fmt.Sprintf("m%d@example.com", i)})
		}
		w.rest()
		var copies [2]memory.Snapshot
		for _, side := range record.Sides {
			copies[side] = w.sys[side].Snapshot()
		}
		w.tick(time.Hour)
		for i := range 5 {
			w.edit(record.Left, i, "name", fmt.Sprint("new", i))
			w.edit(record.Right, 5+i, "name", fmt.Sprint("new", 5+i))
		}
		w.rest()
		w.tick(time.Hour)
		for _, side := range record.Sides {
			w.sys[side].Restore(copies[side])
		}
		w.edit(record.Right, 1, "name", "desk")
		if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
			t.Fatalf("got %v, and was to stand still", err)
		}
		if _, err := w.store.AnswerHalts(t.Context(), job, record.Again, "somebody"); err != nil {
			t.Fatal(err)
		}
		w.wholeRuns()
		if c, ok := w.fieldAsked("name"); !ok || w.value(record.Right, 1, "name") != "desk" || w.value(record.Left, 1, "name") != "old1" {
			t.Errorf("asked %t %+v, and they hold %q and %q", ok, c, w.value(record.Left, 1, "name"), w.value(record.Right, 1, "name"))
		}
	})
}

// A side that is to get everything once more is put back further before anything of that was written. Its still older
// values are no edits: the job stands still.
func TestOutsideAgainIsNotForAnOlderCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Times: true}}, policies: byPersons})
		defer w.close()
		var copies []memory.Snapshot
		for i := range 10 {
			w.put(record.Left, i, map[string]string{"name": fmt.Sprint("first", i)})
		}
		for _, name := range []string{"second", "third"} {
			w.rest()
			copies = append(copies, w.sys[record.Right].Snapshot())
			w.tick(time.Hour)
			for i := range 4 {
				w.edit(record.Left, i, "name", fmt.Sprint(name, i))
			}
		}
		w.rest()
		w.tick(time.Hour)
		w.sys[record.Right].Restore(copies[1])
		for _, older := range copies[:1] {
			if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
				t.Fatalf("got %v, and was to stand still", err)
			}
			if _, err := w.store.AnswerHalts(t.Context(), job, record.Again, "somebody"); err != nil {
				t.Fatal(err)
			}
			w.tick(time.Minute)
			w.sys[record.Right].Restore(older)
			if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
				t.Fatalf("put back further: got %v, and was to stand still", err)
			}
		}
		if _, err := w.store.AnswerHalts(t.Context(), job, record.Again, "somebody"); err != nil {
			t.Fatal(err)
		}
		w.wholeRuns()
		for i := range 4 {
			for _, side := range record.Sides {
				if got := w.value(side, i, "name"); got != fmt.Sprint("third", i) {
					t.Errorf("%d of the %s is %q", i, side, got)
				}
			}
		}
	})
}

// A person answers while a run looks whether the job must still stand. Their answer counts.
func TestOutsideAnAnswerToAnOldCopyWhileARunLooks(t *testing.T) {
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
		w.tick(time.Minute)
		w.sys[record.Right].Hook(memory.Hooks{Page: func(record.Kind, int) {
			w.sys[record.Right].Hook(memory.Hooks{})
			if _, err := w.store.AnswerHalts(context.Background(), job, record.Again, "somebody"); err != nil {
				t.Error(err)
			}
		}})
		_, _ = w.try(engine.Options{Yes: true})
		w.wholeRuns()
		if got := w.value(record.Right, 1, "name"); got != "new1" {
			t.Errorf("it is %q", got)
		}
	})
}
