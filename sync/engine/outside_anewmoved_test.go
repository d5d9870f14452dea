package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// lobby is a world of bookings, which name their guest by id.
type lobby struct{ *world }

// lobbyOf has four guests, of whom the first one has booked, and deletes where a rule says so.
func lobbyOf(t *testing.T, policy away.GonePolicy, right memory.Kind) lobby {
	right.Delete = true
	return lobbyIn(newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, right}, gone: both(policy)}))
}

// lobbyIn makes a world one of bookings.
func lobbyIn(in *world) lobby {
	w := lobby{in}
	w.booked()
	for n := range 4 {
		w.put(record.Left, 4+n, map[string]string{"name": fmt.Sprint("Guest", n)})
	}
	w.rest()
	w.book(record.Left, 4, 0)
	for range 3 {
		w.rest()
		w.tick(time.Hour)
	}
	return w
}

// book enters a booking of a guest; its phone stands for its days.
func (l lobby) book(side record.Side, guest, days int) string {
	l.Helper()
	g, _ := l.find(side, guest)
	return l.sys[side].Put(kinds[side], record.Fields{spell(side, "phone"): record.OfText(phoneOf(days)), spell(side, "mail"): record.OfText(g.Ref.ID)})
}

// bookings is the days of the bookings of a side.
func (l lobby) bookings(side record.Side) (days []string) {
	l.Helper()
	for _, rec := range l.sys[side].All(kinds[side]) {
		if rec.Fields[spell(side, "mail")].Text() != "" {
			days = append(days, rec.Fields[spell(side, "phone")].Text())
		}
	}
	return days
}

func (l lobby) move(side record.Side, id string, days int) {
	l.Helper()
	l.sys[side].Edit(kinds[side], id, record.Fields{spell(side, "phone"): record.OfText(phoneOf(days))})
}

// A booking is entered anew on the right, and one of the two is moved before anybody has answered: neither is
// made once more. Once a person says that the two are one, they are joined.
func TestOutsideWhatWasEnteredAnewIsNotMadeOnceItIsMoved(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneHold, away.GoneDelete} {
		for _, moved := range []string{"the old one", "the new one", "the guest of the old one", "the new one, between answer and run"} {
			for _, gap := range []bool{false, true} {
				if gap && moved != "the old one" && moved != "the guest of the old one" { // nobody knows a record that came and was moved at once
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, in one gap %t", policy, moved, gap), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := lobbyOf(t, policy, memory.Kind{})
						defer w.close()
						old, _ := w.find(record.Left, 0)
						across, _ := w.find(record.Right, 0)
						w.sys[record.Right].Remove(kinds[record.Right], across.Ref.ID)
						anew := w.book(record.Right, 4, 0)
						if !gap {
							w.wholeRuns()
						}
						asked := func() record.Question {
							c, ok := w.question()
							if !ok {
								t.Fatalf("nobody is asked:\n%s", w.both())
							}
							return c
						}
						create := func() {
							w.must(w.store.Choose(t.Context(), asked().ID, "value", record.OfText(string(away.ChooseAnew)), time.Now()))
						}
						switch moved {
						case "the old one":
							w.move(record.Left, old.Ref.ID, 1)
						case "the new one":
							w.move(record.Right, anew, 1)
						case "the guest of the old one":
							g, _ := w.find(record.Left, 5)
							w.sys[record.Left].Edit(kinds[record.Left], old.Ref.ID, record.Fields{"mail": record.OfText(g.Ref.ID)})
						default:
							create()
							w.move(record.Right, anew, 1)
						}
						w.wholeRuns()
						if l, r := w.bookings(record.Left), w.bookings(record.Right); len(l) != 1 || len(r) != 1 {
							t.Fatalf("the left has bookings on %v, and the right on %v, want one each:\n%s", l, r, w.both())
						}
						if _, ok := w.question(); ok {
							create()
						}
						w.wholeRuns()
						p, ok, err := w.store.PairOf(t.Context(), record.Place{Binding: job, Side: record.Left}, old.Ref)
						w.must(err)
						if !ok || p.Sides[record.Right].Ref.ID != anew {
							t.Errorf("it is joined with %s, want %s", p.Sides[record.Right].Ref, anew)
						}
						if l, r := w.bookings(record.Left), w.bookings(record.Right); len(l) != 1 || len(r) != 1 {
							t.Errorf("the left has bookings on %v, and the right on %v, want one each:\n%s", l, r, w.both())
						}
					})
				})
			}
		}
	}
}

// Somebody who was removed is entered anew with the old phone, while the one across got another one.
func TestOutsideAContactEnteredAnewWithTheOldPhone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{gone: both(away.GoneHold)})
		defer w.close()
		for n := range 4 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
		}
		w.rest()
		w.remove(record.Right, 0)
		w.put(record.Right, 0, map[string]string{"name": "name 0"})
		w.edit(record.Left, 0, "phone", phoneOf(8))
		w.wholeRuns()
		if n := len(w.sys[record.Left].All(kinds[record.Left])); n != 4 {
			t.Errorf("the left has %d, want 4:\n%s", n, w.both())
		}
		if w.questions() != 1 {
			t.Errorf("%d questions, want one about who is gone", w.questions())
		}
	})
}

// Where a side lists what changed, nothing tells that a booking is gone that was entered anew: it is read
// before the new one is joined with a second room.
func TestOutsideWhatWasEnteredAnewIsNotJoinedUnread(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneHold, away.GoneDelete} {
		for _, unread := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, unread %t", policy, unread), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := lobbyOf(t, policy, memory.Kind{Since: true, Times: true})
					defer w.close()
					across, _ := w.find(record.Right, 0)
					w.sys[record.Right].Remove(kinds[record.Right], across.Ref.ID)
					anew := w.book(record.Right, 4, 0)
					w.book(record.Left, 4, 0)
					if unread {
						w.sys[record.Right].Hook(memory.Hooks{Step: func(name string) {
							if name == "after fetch people" {
								w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, Class: "transient"})
							}
						}})
					}
					w.tick(time.Minute)
					_, _ = w.try(engine.Options{Yes: true})
					w.sys[record.Right].Hook(memory.Hooks{})
					w.sys[record.Right].Heal()
					if p, ok, _ := w.store.PairOf(t.Context(), record.Place{Binding: job, Side: record.Right}, record.Ref{Kind: kinds[record.Right], ID: anew}); ok {
						t.Fatalf("the new one was joined with %s unasked", p.Sides[record.Left].Ref)
					}
					if unread && w.questions() > 0 {
						t.Error("a person is asked before anybody could look whether it is gone")
					}
					w.wholeRuns()
					if l, r := w.bookings(record.Left), w.bookings(record.Right); len(l) != 2 || len(r) != 1 {
						t.Errorf("the left has bookings on %v, and the right on %v", l, r)
					}
					if w.questions() != 1 {
						t.Errorf("%d questions, want one", w.questions())
					}
				})
			})
		}
	}
}

// Two rooms of one guest are entered anew, and a person is asked about each. Once one is answered, nothing is
// asked about the new ones before the other is: the truth about them is not among what could be said.
func TestOutsideTwoRoomsEnteredAnewAreAskedAboutInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lobbyOf(t, away.GoneHold, memory.Kind{})
		defer w.close()
		w.book(record.Left, 4, 0)
		w.book(record.Right, 4, 0)
		w.wholeRuns()
		w.answersAll(t, "create") // the second room is one of its own
		w.wholeRuns()
		w.answersAll(t, "create")
		w.wholeRuns()
		if l, r := w.bookings(record.Left), w.bookings(record.Right); len(l) != len(r) || len(l) < 2 {
			t.Fatalf("the left has bookings on %v, and the right on %v", l, r)
		}
		want := len(w.bookings(record.Left))
		n := 0
		for _, rec := range w.sys[record.Right].All(kinds[record.Right]) {
			if rec.Fields["their_mail"].Text() != "" && n < 2 {
				w.sys[record.Right].Remove(kinds[record.Right], rec.Ref.ID)
				n++
			}
		}
		w.book(record.Right, 4, 0)
		w.book(record.Right, 4, 0)
		w.wholeRuns()
		cs, err := w.store.Questions(t.Context(), job, true)
		w.must(err)
		if len(cs) != 2 || cs[0].Link == 0 || cs[1].Link == 0 {
			t.Fatalf("got %d questions, want the two about who is gone: %+v", len(cs), cs)
		}
		w.must(w.store.Choose(t.Context(), cs[0].ID, "value", record.OfText(string(away.ChooseAnew)), time.Now()))
		w.wholeRuns()
		cs, err = w.store.Questions(t.Context(), job, true)
		w.must(err)
		for _, c := range cs {
			if c.Link == 0 {
				t.Errorf("asked about one that may be in the place of a link that is open: %s", c.Why)
			}
		}
		if l, r := w.bookings(record.Left), w.bookings(record.Right); len(l) != want || len(r) != want {
			t.Errorf("the left has bookings on %v, and the right on %v, want %d each", l, r, want)
		}
	})
}

// answersAll says the same to every question about a record.
func (l lobby) answersAll(t *testing.T, word string) {
	t.Helper()
	cs, err := l.store.Questions(t.Context(), job, true)
	l.must(err)
	for _, c := range cs {
		l.must(l.store.Choose(t.Context(), c.ID, "value", record.OfText(word), time.Now()))
	}
}
