package engine_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A record is removed and entered anew under another id, with the same key. The row across keeps its
// id and what no job maps: a person is asked, and nothing is deleted, put aside or made meanwhile.
func TestOutsideEnteredAnewUnderAnotherID(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneDelete, away.GoneArchive} {
		for _, choice := range []away.GoneChoice{away.ChooseNone, away.ChooseAnew, away.ChooseCarry, away.ChooseLeave} {
			for _, when := range []string{"at once", "while it is away", "the newcomer leaves again", "by its mail alone", "nobody"} {
				t.Run(fmt.Sprintf("%s, %s, %q", policy, when, choice), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := telling(memory.Kind{}, policy)
						s.match = [][]string{{"phone"}, {"mail"}}
						s.gone[record.Right].Archive = record.Fields{"their_note": record.OfText("put aside")}
						w := newWorld(t, s)
						defer w.close()
						for n := range 4 {
							w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "mail": fmt.Sprintf("%d@example.com", n)})
						}
						w.rest()
						w.enters(record.Right, 0, "EUR 500 paid")
						old, _ := w.find(record.Right, 0)
						w.remove(record.Left, 0)
						anew := 0
						if when == "by its mail alone" {
							anew = 7
						}
						if when == "while it is away" {
							w.run(engine.Options{Yes: true, Seen: true})
						}
						if when != "nobody" {
							w.put(record.Left, anew, map[string]string{"name": "name 0", "mail": "0@example.com"})
						}
						w.wholeRuns()
						stays := func() bool {
							r, ok := w.sys[record.Right].Get(kinds[record.Right], old.Ref.ID)
							return ok && r.Fields["their_note"].Text() != "put aside"
						}
						if when == "nobody" {
							if stays() {
								t.Error("the absence was not carried over")
							}
							return
						}
						w.asked(away.AskAnew)
						if n := len(w.sys[record.Right].All(kinds[record.Right])); !stays() || n != 4 {
							t.Fatalf("it stays: %t, and there are %d:\n%s", stays(), n, w.both())
						}
						if when == "the newcomer leaves again" {
							w.remove(record.Left, anew)
							w.wholeRuns()
							w.asked(away.AskAnew)
						}
						if choice == away.ChooseNone {
							w.idle(2)
							return
						}
						w.answer(away.AskAnew, choice)
						w.wholeRuns()
						if stays() != (choice != away.ChooseCarry) {
							t.Errorf("it stays: %t", stays())
						}
						if n := len(w.sys[record.Right].All(kinds[record.Right])); choice != away.ChooseCarry && n != 4 {
							t.Errorf("there are %d:\n%s", n, w.both())
						}
						if when == "the newcomer leaves again" {
							if _, made := w.find(record.Left, 0); made != (choice == away.ChooseAnew) {
								t.Errorf("it is made anew: %t", made)
							}
							return
						}
						if choice == away.ChooseAnew && when != "by its mail alone" {
							w.edit(record.Left, anew, "name", "edited")
							w.wholeRuns()
							if r, _ := w.sys[record.Right].Get(kinds[record.Right], old.Ref.ID); r.Fields["their_name"].Text() != "edited" {
								t.Errorf("the two are not joined: %v", r.Fields)
							}
						}
						w.idle(2)
					})
				})
			}
		}
	}
}

// A person is asked about a record that was entered anew, and the newcomer leaves. The question stays until
// they answer, also where the configuration changes and all is decided once more.
func TestOutsideAQuestionAboutANewcomerThatLeftStays(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneDelete, away.GoneArchive} {
		t.Run(string(policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, telling(memory.Kind{}, policy))
				defer w.close()
				for n := range 4 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
				}
				w.rest()
				old, _ := w.find(record.Right, 0)
				w.remove(record.Left, 0)
				w.put(record.Left, 0, map[string]string{"name": "name 0"})
				w.wholeRuns()
				w.asked(away.AskAnew)
				w.remove(record.Left, 0)
				w.wholeRuns()
				w.eng.Jobs[job].By = "newest"
				w.wholeRuns()
				w.asked(away.AskAnew)
				if r, stays := w.sys[record.Right].Get(kinds[record.Right], old.Ref.ID); !stays || r.Fields["their_mail"].Text() != "" {
					t.Errorf("it went, though a person is asked: %v", r.Fields)
				}
			})
		})
	}
}

// wholeRuns is three runs that compare both sides whole.
func (w *world) wholeRuns() {
	w.Helper()
	for range 3 {
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true, Full: true})
	}
}

// A booking is told by its guest and its days alone, so that its key names another record. Entered
// anew it has its old row kept, and joined where a person says so. Another booking of the guest is
// none that the old one could be.
func TestOutsideBookingEnteredAnewUnderAnotherID(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		for _, same := range []bool{true, false} {
			t.Run(fmt.Sprintf("digests %t, the same days %t", sealed, same), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := setting{kinds: deletes, gone: both(away.GoneDelete)}
					if sealed {
						s.sealed = filepath.Join(t.TempDir(), "key")
					}
					w := newWorld(t, s)
					defer w.close()
					w.booked()
					for n := range 4 {
						w.put(record.Left, 4+n, map[string]string{"name": fmt.Sprint("Guest", n)})
					}
					w.rest()
					guest, _ := w.find(record.Left, 4)
					book := func(n int) string {
						return w.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText(phoneOf(n)), "mail": record.OfText(guest.Ref.ID)})
					}
					old := book(0)
					w.rest()
					across, made := w.find(record.Right, 0)
					if !made {
						t.Fatal("the booking was not made across")
					}
					w.sys[record.Left].Remove(kinds[record.Left], old)
					again := 0
					if !same {
						again = 1
					}
					book(again)
					w.wholeRuns()
					if same {
						w.asked(away.AskAnew)
						w.answer(away.AskAnew, away.ChooseAnew)
						w.wholeRuns()
					}
					if _, stays := w.sys[record.Right].Get(kinds[record.Right], across.Ref.ID); stays != same {
						t.Errorf("the old row stays: %t", stays)
					}
					if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 5 {
						t.Errorf("there are %d records on the right:\n%s", n, w.both())
					}
				})
			})
		}
	}
}
