package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// guestAndBooking is a world in which both sides have two guests, and a booking of the first one.
func guestAndBooking(t *testing.T, k memory.Kind) (w *world, booking record.Record) {
	t.Helper()
	k.Delete = true
	w = newWorld(t, setting{kinds: [2]memory.Kind{k, k}, gone: both(away.GoneHold)})
	w.booked()
	w.put(record.Left, 1, map[string]string{"name": "Anna"})
	w.put(record.Left, 2, map[string]string{"name": "Bert"})
	w.rest()
	guest, _ := w.find(record.Left, 1)
	w.put(record.Left, 3, map[string]string{"mail": guest.Ref.ID})
	w.rest()
	w.tick(time.Hour)
	booking, _ = w.find(record.Right, 3)
	return w, booking
}

// A booking is removed, its id goes to the booking of another guest, and it is entered again under a new id. It stands
// across already: as long as a person is asked which booking the id names, it is not made there a second time.
func TestOutsideABookingIsNotMadeBesideTheSameOne(t *testing.T) {
	for _, k := range []memory.Kind{{}, {Times: true}, {Versions: true}, {Times: true, Versions: true}} {
		for _, steps := range []bool{false, true} {
			t.Run(fmt.Sprintf("times %t, versions %t, one after the other %t", k.Times, k.Versions, steps), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w, was := guestAndBooking(t, k)
					defer w.close()
					bert, _ := w.find(record.Right, 2)
					w.sys[record.Right].Remove(kinds[record.Right], was.Ref.ID)
					other := was.Fields.With(record.Fields{"their_mail": record.OfText(bert.Ref.ID), "their_phone": record.OfText(phoneOf(4))})
					w.sys[record.Right].PutAs(kinds[record.Right], was.Ref.ID, other)
					if steps {
						w.wholeRuns()
					}
					w.sys[record.Right].Put(kinds[record.Right], was.Fields)
					for i := range 5 {
						w.wholeRuns()
						if n := w.on(record.Left, 3); n != 1 {
							t.Fatalf("after %d answers the booking is there %d times:\n%s", i, n, w.both())
						}
						if w.answerAll(away.ChooseAnew) == 0 {
							break
						}
					}
					for _, n := range []int{3, 4} {
						if l, r := w.on(record.Left, n), w.on(record.Right, n); l != 1 || r != 1 {
							t.Errorf("booking %d is there %d and %d times:\n%s", n, l, r, w.both())
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

// A booking was removed, and so was its partner. It comes back, and somebody enters it across as well, before or while a
// person is asked about it: it is not made a second time.
func TestOutsideABookingThatCameBackIsNotMadeBesideIt(t *testing.T) {
	for _, asked := range []bool{false, true} {
		t.Run(fmt.Sprintf("asked before %t", asked), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, there := guestAndBooking(t, memory.Kind{Times: true})
				defer w.close()
				across, _ := w.find(record.Left, 3)
				was := w.sys[record.Right].Snapshot()
				w.sys[record.Right].Remove(kinds[record.Right], there.Ref.ID)
				w.wholeRuns()
				w.answer(away.AskGone, away.ChooseCarry)
				w.wholeRuns()
				w.sys[record.Right].Restore(was)
				if asked {
					w.wholeRuns()
					w.asked(away.AskReturned)
				}
				w.sys[record.Left].Put(kinds[record.Left], across.Fields)
				w.wholeRuns()
				if l, r := w.on(record.Left, 3), w.on(record.Right, 3); l != 1 || r != 1 {
					t.Fatalf("the booking is there %d and %d times:\n%s", l, r, w.both())
				}
				if n := w.questions(); n != 1 {
					t.Errorf("%d questions, want the one about the booking that came back", n)
				}
				w.answer(away.AskReturned, away.ChooseSame)
				w.wholeRuns()
				if l, r := w.on(record.Left, 3), w.on(record.Right, 3); l != 1 || r != 1 {
					t.Errorf("a person said that it is the same: it is there %d and %d times:\n%s", l, r, w.both())
				}
				if n := w.questions(); n != 0 {
					t.Errorf("%d questions are left", n)
				}
				w.idle(2)
			})
		})
	}
}

// What a create made is removed before a list showed it, and its id goes to another record. That one is not written over
// the first.
func TestOutsideAnIDIsGivenAgainBeforeAListShowedIt(t *testing.T) {
	for _, side := range record.Sides {
		for _, k := range []memory.Kind{{}, {Born: true}, {Times: true}, {Versions: true}} {
			for _, missed := range []bool{false, true} {
				t.Run(fmt.Sprintf("made on the %s, born %t, times %t, versions %t, missed %t", side, k.Born, k.Times, k.Versions, missed), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						k.Delete = true
						w := newWorld(t, setting{kinds: [2]memory.Kind{k, k}, gone: both(away.GoneHold)})
						defer w.close()
						for n := range 4 {
							w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": fmt.Sprint("note ", n)})
						}
						w.rest()
						w.tick(time.Hour)
						w.put(side.Other(), 7, map[string]string{"name": "Alfa", "note": "alfa"})
						w.run(engine.Options{Yes: true, Full: true})
						made, ok := w.find(side, 7)
						if !ok {
							t.Fatalf("it was not made:\n%s", w.both())
						}
						w.tick(time.Minute)
						w.sys[side].Remove(kinds[side], made.Ref.ID)
						if missed {
							w.run(engine.Options{Full: true})
						}
						fields := record.Fields{}
						for p, v := range made.Fields {
							switch v.Text() {
							case "Alfa":
								v = record.OfText("Beta")
							case "alfa":
								v = record.OfText("beta")
							case phoneOf(7):
								v = record.OfText(phoneOf(8))
							}
							fields[p] = v
						}
						w.sys[side].PutAs(kinds[side], made.Ref.ID, fields)
						w.wholeRuns()
						if n := w.on(side.Other(), 7); n != 1 {
							t.Fatalf("what the create was made from is there %d times:\n%s", n, w.both())
						}
						if n := w.questions(); n != 1 {
							t.Errorf("%d questions, want one about the id", n)
						}
						w.answerAll(away.ChooseAnew)
						w.wholeRuns()
						w.answerAll(away.ChooseAnew)
						w.wholeRuns()
						for _, n := range []int{7, 8} {
							if l, r := w.on(record.Left, n), w.on(record.Right, n); l != 1 || r != 1 {
								t.Errorf("%d is there %d and %d times:\n%s", n, l, r, w.both())
							}
						}
						w.idle(2)
					})
				})
			}
		}
	}
}

// standsBeforeACopy is a house of ten whose right side was put back to from before four names were edited on the left. The
// job stands still. first is how the right was before five more names were edited.
func standsBeforeACopy(t *testing.T, k memory.Kind) (w *world, first memory.Snapshot) {
	t.Helper()
	w = newWorld(t, setting{kinds: [2]memory.Kind{{}, k}, policies: byPersons})
	for i := range 10 {
		w.put(record.Left, i, map[string]string{"name": fmt.Sprint("old", i), "note": "x", "mail": fmt.Sprintf("m%d@example.com", i)})
	}
	w.rest()
	w.tick(time.Hour)
	first = w.sys[record.Right].Snapshot()
	edit := func(from, to int) {
		for i := from; i < to; i++ {
			w.edit(record.Left, i, "name", fmt.Sprint("new", i))
		}
		w.rest()
		w.tick(time.Hour)
	}
	edit(4, 9)
	copied := w.sys[record.Right].Snapshot()
	edit(0, 4)
	w.sys[record.Right].Restore(copied)
	if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
		t.Fatalf("got %v, and was to stand still", err)
	}
	w.tick(time.Minute)
	return w, first
}

// saidAgain has a side get once more what the other one holds.
func (w *world) saidAgain() {
	w.Helper()
	if _, err := w.store.AnswerHalts(context.Background(), job, record.Again, "somebody"); err != nil {
		w.Fatal(err)
	}
	w.wholeRuns()
	w.wholeRuns()
}

// A side was put back to an older copy, and the job stands still. What somebody edits there after a run has noted what the
// copy shows is an edit, of a record that is older there, and of one that is not: it is not written over.
func TestOutsideAnEditWhileTheJobStandsIsAnEdit(t *testing.T) {
	for _, k := range []memory.Kind{{Times: true}, {Versions: true, Counting: true}, {Times: true, Versions: true, Counting: true}} {
		t.Run(fmt.Sprintf("times %t, versions %t", k.Times, k.Versions), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, _ := standsBeforeACopy(t, k)
				defer w.close()
				w.edit(record.Right, 1, "name", "desk")
				w.edit(record.Right, 2, "note", "desk")
				w.edit(record.Right, 8, "name", "desk")
				for range 2 {
					w.tick(time.Minute)
					if _, err := w.try(engine.Options{Yes: true, Full: true}); !errors.Is(err, engine.ErrHalted) {
						t.Fatalf("got %v, and was to go on standing", err)
					}
				}
				w.saidAgain()
				for _, x := range []struct {
					n           int
					field, want string
				}{{1, "name", "desk"}, {2, "note", "desk"}, {2, "name", "new2"}, {8, "name", "desk"}, {0, "name", "new0"}, {3, "name", "new3"}} {
					if l, r := w.value(record.Left, x.n, x.field), w.value(record.Right, x.n, x.field); l != x.want || r != x.want {
						t.Errorf("%s of %d is %q and %q, want %q", x.field, x.n, l, r, x.want)
					}
				}
				if n := w.questions(); n != 0 {
					t.Errorf("%d questions", n)
				}
				w.idle(2)
			})
		})
	}
}

// While the job stands still the side is put back once more, to an even older copy: what that shows is no edit.
func TestOutsideAnEvenOlderCopyWhileTheJobStandsIsNoEdit(t *testing.T) {
	for _, k := range []memory.Kind{{}, {Times: true}, {Versions: true, Counting: true}, {Times: true, Versions: true, Counting: true}} {
		t.Run(fmt.Sprintf("times %t, versions %t", k.Times, k.Versions), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, first := standsBeforeACopy(t, k)
				defer w.close()
				w.edit(record.Right, 1, "note", "desk")
				w.edit(record.Right, 5, "note", "desk")
				w.tick(time.Minute)
				if _, err := w.try(engine.Options{Yes: true, Full: true}); !errors.Is(err, engine.ErrHalted) {
					t.Fatalf("got %v, and was to go on standing", err)
				}
				w.sys[record.Right].Restore(first)
				w.tick(time.Minute)
				if _, err := w.try(engine.Options{Yes: true, Full: true}); !errors.Is(err, engine.ErrHalted) {
					t.Fatalf("got %v, and was to go on standing", err)
				}
				w.saidAgain()
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

// An edit was made while the job stood still. Before the first run after the answer the same copy is put back once more:
// the value of the copy is not brought across for that edit.
func TestOutsideTheSameCopyOnceMoreAfterTheAnswer(t *testing.T) {
	for _, k := range []memory.Kind{{Times: true}, {Versions: true, Counting: true}, {Times: true, Versions: true, Counting: true}} {
		t.Run(fmt.Sprintf("times %t, versions %t", k.Times, k.Versions), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, _ := standsBeforeACopy(t, k)
				defer w.close()
				copied := w.sys[record.Right].Snapshot()
				w.edit(record.Right, 1, "name", "desk")
				w.tick(time.Minute)
				if _, err := w.try(engine.Options{Yes: true, Full: true}); !errors.Is(err, engine.ErrHalted) {
					t.Fatalf("got %v, and was to go on standing", err)
				}
				if _, err := w.store.AnswerHalts(t.Context(), job, record.Again, "somebody"); err != nil {
					t.Fatal(err)
				}
				w.sys[record.Right].Restore(copied)
				w.tick(time.Minute)
				if _, err := w.try(engine.Options{Yes: true, Full: true}); !errors.Is(err, engine.ErrHalted) {
					t.Fatalf("got %v, and was to stand still anew", err)
				}
				w.saidAgain()
				if l, r := w.value(record.Left, 1, "name"), w.value(record.Right, 1, "name"); l != "new1" || r != "new1" {
					t.Errorf("it is %q and %q", l, r)
				}
			})
		})
	}
}

// The halt was found by a list of what changed. What the copy shows is noted all the same before anybody can answer: what
// is edited after that is an edit.
func TestOutsideACopyThatAListOfChangesTellsOfIsNotedWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{Since: true, Times: true, Versions: true, Counting: true}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}, policies: byPersons})
		defer w.close()
		for i := range 10 {
			w.put(record.Left, i, map[string]string{"name": fmt.Sprint("old", i), "note": "x", "mail": fmt.Sprintf("m%d@example.com", i)})
		}
		w.rest()
		w.tick(time.Hour)
		copied := w.sys[record.Right].Snapshot()
		for i := range 4 {
			w.edit(record.Left, i, "name", fmt.Sprint("new", i))
		}
		w.rest()
		w.tick(time.Hour)
		w.sys[record.Right].Restore(copied)
		w.edit(record.Right, 3, "note", "a")
		w.edit(record.Right, 2, "note", "b")
		w.tick(time.Minute)
		if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
			t.Fatalf("got %v, and was to stand still", err)
		}
		if _, err := w.store.AnswerHalts(t.Context(), job, record.Again, "somebody"); err != nil {
			t.Fatal(err)
		}
		w.tick(time.Minute)
		w.edit(record.Right, 1, "note", "desk")
		w.edit(record.Right, 8, "name", "desk")
		w.tick(time.Minute)
		for range 4 {
			_, _ = w.try(engine.Options{Yes: true})
			w.tick(time.Minute)
		}
		for n, field := range map[int]string{1: "note", 8: "name"} {
			if l, r := w.value(record.Left, n, field), w.value(record.Right, n, field); l != "desk" || r != "desk" {
				t.Errorf("%s of %d is %q and %q", field, n, l, r)
			}
		}
		for i := range 4 {
			if got := w.value(record.Right, i, "name"); got != fmt.Sprint("new", i) {
				t.Errorf("%d of the right is %q", i, got)
			}
		}
	})
}

// dated is a system that tells in its answer to a create another time of creation than in its lists, or none.
type dated struct {
	connectors.Connector
	connectors.Writer
	connectors.Getter
	by time.Duration // 0: none
}

func (d *dated) Apply(ctx context.Context, ch record.Change) (record.Record, error) {
	rec, err := d.Writer.Apply(ctx, ch)
	if ch.Op == record.Create {
		if rec.Created = rec.Created.Add(d.by); d.by == 0 {
			rec.Created = time.Time{}
		}
	}
	return rec, err
}

// What a create made is shown by lists with another time of creation than its answer had: it is what we made. Where its id
// has gone to another record since, a person is asked.
func TestOutsideAListDatesOtherwiseThanAnAnswer(t *testing.T) {
	for _, by := range []time.Duration{0, -5 * time.Second} {
		for _, given := range []bool{false, true} {
			t.Run(fmt.Sprintf("by %s, given again %t", by, given), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Born: true, Delete: true}}, gone: both(away.GoneHold)})
					defer w.close()
					for n := range 4 {
						w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": fmt.Sprint("note ", n)})
					}
					w.rest()
					side := &w.eng.Jobs[job].Sides[record.Right]
					side.Conn = &dated{side.Conn, side.Conn.(connectors.Writer), side.Conn.(connectors.Getter), by}
					w.put(record.Left, 7, map[string]string{"name": "Alfa", "note": "alfa"})
					w.run(engine.Options{Yes: true, Full: true})
					made, ok := w.find(record.Right, 7)
					if !ok {
						t.Fatalf("it was not made:\n%s", w.both())
					}
					w.tick(time.Minute)
					if given {
						w.sys[record.Right].Remove(kinds[record.Right], made.Ref.ID)
						w.sys[record.Right].PutAs(kinds[record.Right], made.Ref.ID, record.Fields{"their_name": record.OfText("Beta"), "their_note": record.OfText("beta"), "their_phone": record.OfText(phoneOf(8))})
					} else {
						w.edit(record.Right, 7, "note", "edited")
					}
					w.wholeRuns()
					asked := map[bool]int{false: 0, true: 1}[given]
					if n := w.questions(); n != asked {
						t.Errorf("%d questions, want %d", n, asked)
					}
					if n := w.on(record.Left, 7); n != 1 {
						t.Errorf("what it was made from is there %d times:\n%s", n, w.both())
					}
					if got := w.value(record.Left, 7, "note"); !given && got != "edited" {
						t.Errorf("the edit is not there, but %q", got)
					}
				})
			})
		}
	}
}
