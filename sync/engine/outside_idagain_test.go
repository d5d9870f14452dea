package engine_test

import (
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

// idAgain is a world whose right side gives the highest id again once its record is removed, with
// three people on both sides. What the left removes the right removes, too, where it is to.
func idAgain(t fails, policy away.GonePolicy, k memory.Kind) *world {
	t.Helper()
	k.GivesAgain, k.Delete, k.Since = true, true, true // a list of what changed shows nothing that was removed
	w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, k}, gone: both(policy)})
	for n := range 3 {
		w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": "note", "mail": fmt.Sprintf("%d@example.com", n)})
	}
	w.rest()
	w.tick(time.Hour)
	return w
}

// newcomer holds one value of whoever was there before.
var newcomer = map[string]string{"name": "new", "note": "note", "mail": "new@example.com"}

// unharmedByNew makes sure that the one whose record on the right is gone is as it was on the left, or went by
// the rule, and that the new one is on both sides, once, under the id of the first.
func (w *world) unharmedByNew(policy away.GonePolicy, id string) {
	w.Helper()
	left := map[away.GonePolicy]string{away.GoneHold: "name 2", away.GoneDelete: ""}[policy]
	if got := w.value(record.Left, 2, "name"); got != left {
		w.Errorf("who was there before is %q on the left, want %q:\n%s", got, left, w.both())
	}
	made, _ := w.find(record.Right, 7)
	if w.has(7) != "lr" || made.Ref.ID != id || len(w.picture(record.Right)) != 3 {
		w.Errorf("the new one is on %q as %s, and %d are on the right: want it as %s, and 3:\n%s", w.has(7), made.Ref, len(w.picture(record.Right)), id, w.both())
	}
}

// The record of a link was removed, and its system gave its id to what we made for another. The first
// one is gone, which its rule is for; the new one is linked to what it was made for. That holds where
// the removal was seen before, and where its link has ended.
func TestOutsideOurCreateIsGivenAnID(t *testing.T) {
	stamp := connectors.Stamp{Path: "ref", Find: true, Unique: true}
	for name, k := range map[string]memory.Kind{"plain": {}, "marks": {Stamp: stamp}, "times": {Times: true}} {
		for _, policy := range []away.GonePolicy{away.GoneHold, away.GoneDelete} {
			for _, seen := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, seen before %t", name, policy, seen), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := idAgain(t, policy, k)
						defer w.close()
						was, _ := w.find(record.Right, 2)
						former := w.entryOf(record.Right, was.Ref.ID)
						w.remove(record.Right, 2)
						if seen {
							w.wholeRuns()
						}
						w.put(record.Left, 7, newcomer)
						w.run(engine.Options{Yes: true})
						w.rest()
						w.unharmedByNew(policy, was.Ref.ID)
						if _, asked := w.question(); asked != (policy == away.GoneHold) {
							t.Errorf("asked: %t", asked)
						}
						if tomb, _, err := w.store.Tombstone(t.Context(), former.Num); err != nil || (tomb.Evidence == record.EvidenceGivenAgain) == seen {
							t.Errorf("it is gone by %q, %v", tomb.Evidence, err)
						}
						w.wholeRuns()
						w.noneLost()
						w.edit(record.Left, 7, "name", "goes on")
						w.edit(record.Right, 7, "note", "goes on")
						w.rest()
						if w.value(record.Right, 7, "name") != "goes on" || w.value(record.Left, 7, "note") != "goes on" {
							t.Errorf("it is not in step:\n%s", w.both())
						}
						w.idle(2)
					})
				})
			}
		}
	}
}

// Killed at any step it comes to the same where what we make bears our mark.
func TestOutsideOurCreateIsGivenAnIDKilled(t *testing.T) {
	k := memory.Kind{Stamp: connectors.Stamp{Path: "ref", Find: true}}
	for at, steps := 1, 0; steps >= at-1; at++ { // until it was not killed
		synctest.Test(t, func(t *testing.T) {
			w := idAgain(t, away.GoneDelete, k)
			defer w.close()
			was, _ := w.find(record.Right, 2)
			w.remove(record.Right, 2)
			w.put(record.Left, 7, newcomer)
			steps = w.killed(at, engine.Options{Yes: true})
			w.rest()
			w.wholeRuns()
			w.unharmedByNew(away.GoneDelete, was.Ref.ID)
			w.noneLost()
			if t.Failed() {
				t.Fatalf("killed at step %d", at)
			}
		})
	}
}

// Where nothing marks what we make and no answer came, a person is asked whether the id names another
// record now, and nothing is written over anybody meanwhile. What they say ends it.
func TestOutsideAGivenIDWithoutAnAnswer(t *testing.T) {
	unique := [][]string{{"their_phone"}}
	for name, k := range map[string]memory.Kind{
		"listed": {}, "it shows times": {Times: true}, "asked for by a key": {Unique: unique, FindBy: unique}, "never read by id": {NoGet: true},
	} {
		for _, choice := range []away.GoneChoice{away.ChooseNone, away.ChooseAnew, away.ChooseSame} {
			t.Run(fmt.Sprintf("%s, %q", name, choice), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := idAgain(t, away.GoneDelete, k)
					defer w.close()
					was, _ := w.find(record.Right, 2)
					w.remove(record.Right, 2)
					w.put(record.Left, 7, newcomer)
					w.dies("after send")
					w.rest()
					w.wholeRuns()
					w.asked(away.AskForeign)
					if got := w.value(record.Left, 2, "name"); got != "name 2" || len(w.picture(record.Right)) != 3 {
						t.Fatalf("who was there before is %q on the left:\n%s", got, w.both())
					}
					switch choice {
					case away.ChooseNone:
						w.tick(48 * time.Hour)
						w.wholeRuns()
						if w.value(record.Left, 2, "name") != "name 2" || len(w.picture(record.Right)) != 3 {
							t.Errorf("nobody said anything, and it is done:\n%s", w.both())
						}
						return
					case away.ChooseAnew:
						w.answer(away.AskForeign, choice)
						w.rest()
						w.wholeRuns()
						w.unharmedByNew(away.GoneHold, was.Ref.ID)
					case away.ChooseSame, away.ChooseCarry, away.ChooseLeave:
						w.answer(away.AskForeign, choice)
						w.rest()
						w.wholeRuns()
						if w.has(7) != "lr" {
							t.Errorf("it is the same, they say:\n%s", w.both())
						}
					}
					w.noneLost()
					w.idle(2)
				})
			})
		}
	}
}

// A delete is undone, and the system gives the new record the id of the one that was deleted. It is
// the link's record from then on. That holds wherever the undo is killed, where what we make bears
// our mark; without one somebody is asked at worst, and nobody is made twice.
func TestOutsideUndoIsGivenTheOldID(t *testing.T) {
	for name, k := range map[string]memory.Kind{"plain": {}, "marks": {Stamp: connectors.Stamp{Path: "ref", Find: true}}} {
		t.Run(name, func(t *testing.T) {
			for at, steps := 1, 0; steps >= at-1; at++ { // until it was not killed
				synctest.Test(t, func(t *testing.T) {
					w := idAgain(t, away.GoneDelete, k)
					defer w.close()
					was, _ := w.find(record.Right, 2)
					w.remove(record.Left, 2)
					deleted := w.run(engine.Options{Yes: true, Full: true}).Run
					if w.has(2) != "" {
						t.Fatalf("it was to be deleted:\n%s", w.both())
					}
					w.tick(time.Minute)
					steps = w.killed(at, engine.Options{Undo: &engine.Undo{Run: deleted}})
					for range 2 {
						w.tick(time.Minute)
						w.undo(deleted)
						w.rest()
						w.wholeRuns()
					}
					made, _ := w.find(record.Right, 2)
					_, asked := w.question()
					if made.Ref != was.Ref || len(w.picture(record.Right)) != 3 || w.value(record.Right, 2, "name") != "name 2" {
						t.Fatalf("killed at step %d: it is %s, want it once, as %s:\n%s", at, made.Ref, was.Ref, w.both())
					}
					if asked && (name == "marks" || steps < at) {
						t.Errorf("killed at step %d: somebody is asked", at)
					}
					if e := w.entryOf(record.Right, was.Ref.ID); !asked && (e.Link == 0 || e.State != record.InStep) {
						t.Errorf("killed at step %d: it is on link %d, %q", at, e.Link, e.State)
					}
					w.noneLost()
				})
			}
		})
	}
}

// Both records of a link are gone, by our deed or by people, and a user's new record gets the id of
// one. It is as new as any other: it is made across, once, and goes on. Where a value is as it was, or
// the key where it was made at another time, a person is asked whether it came back.
func TestOutsideANewRecordUnderTheIDOfOneThatIsGone(t *testing.T) {
	for _, side := range record.Sides {
		for _, k := range []memory.Kind{{}, {Times: true}} {
			for _, who := range []string{"the rule", "people"} {
				for _, doubt := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, times %t, gone by %s, doubtful %t", side, k.Times, who, doubt), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							k.Delete = true
							w := newWorld(t, setting{kinds: [2]memory.Kind{k, k}, gone: both(map[string]away.GonePolicy{"the rule": away.GoneDelete, "people": away.GoneHold}[who])})
							defer w.close()
							for n := range 3 {
								w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": "note", "mail": fmt.Sprintf("%d@example.com", n)})
							}
							w.rest()
							was, _ := w.find(side, 2)
							former := w.entryOf(side, was.Ref.ID)
							w.remove(side, 2)
							if who == "people" {
								w.remove(side.Other(), 2)
							}
							w.wholeRuns()
							if w.has(2) != "" {
								t.Fatalf("it was to be gone:\n%s", w.both())
							}
							w.tick(30 * 24 * time.Hour)
							note, phone := "other", phoneOf(7)
							if doubt {
								note = "note"
							}
							if doubt && k.Times { // made at another time it is another, unless it has the key
								phone = phoneOf(2)
							}
							w.sys[side].PutAs(kinds[side], was.Ref.ID, record.Fields{
								spell(side, "phone"): record.OfText(phone), spell(side, "name"): record.OfText("Somebody Else"),
								spell(side, "note"): record.OfText(note), spell(side, "mail"): record.OfText("7@example.com"),
							})
							w.wholeRuns()
							if doubt {
								w.asked(away.AskReturned)
								if len(w.picture(side.Other())) != 2 {
									t.Errorf("it is made across before anybody said whether it is another:\n%s", w.both())
								}
								w.answer(away.AskReturned, away.ChooseSame)
								w.rest()
								if len(w.picture(side.Other())) != 3 {
									t.Errorf("it came back, they say, and is not made across:\n%s", w.both())
								}
								w.idle(2)
								return
							}
							if _, asked := w.question(); asked || w.has(7) != "lr" || len(w.picture(side.Other())) != 3 {
								t.Fatalf("it is on %q, asked %t:\n%s", w.has(7), asked, w.both())
							}
							if tomb, ok, err := w.store.Tombstone(t.Context(), former.Num); err != nil || !ok || !tomb.Done.Acted() {
								t.Errorf("of the one before is remembered: %+v, %t, %v", tomb, ok, err)
							}
							w.edit(side, 7, "name", "goes on")
							w.edit(side.Other(), 7, "note", "goes on")
							w.rest()
							if w.value(side.Other(), 7, "name") != "goes on" || w.value(side, 7, "note") != "goes on" {
								t.Errorf("it is not in step:\n%s", w.both())
							}
							w.idle(2)
						})
					})
				}
			}
		}
	}
}
