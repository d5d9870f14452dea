package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A family has one phone: two guests on the right, one contact on the left. A person says who the contact is, or
// that it is neither, and before the next run one of the guests is edited or deleted. The contact then has the
// phone of the other guest alone. It is not joined with that one for this.
func TestOutsideARuleDoesNotDecideWhatAPersonDecided(t *testing.T) {
	ownPhone := func(w *world, ids [2]string) {
		w.sys[record.Right].Edit(kinds[record.Right], ids[0], record.Fields{spell(record.Right, "phone"): record.OfText(phoneOf(9))})
	}
	gone := func(w *world, ids [2]string) { w.sys[record.Right].Remove(kinds[record.Right], ids[0]) }
	for name, tt := range map[string]struct {
		answer string // "" is that it is the first one
		from   bool   // the first one is asked about, and said to be the contact
		edit   func(w *world, ids [2]string)
		asked  bool // once more
		want   int  // on the right
	}{
		"the chosen one gets a phone of its own": {edit: ownPhone, asked: true, want: 2},
		"said of the chosen one":                 {from: true, edit: ownPhone, asked: true, want: 2},
		"the chosen one is deleted":              {edit: gone, asked: true, want: 1},
		"it is neither, and one is edited":       {answer: "create", edit: ownPhone, want: 3},
		"it is neither, and one is deleted":      {answer: "create", edit: gone, want: 2},
		"it is left out, and one is edited":      {answer: "leave", edit: ownPhone, want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{match: [][]string{{"phone"}}, kinds: [2]memory.Kind{{}, {}}})
				defer w.close()
				put := func(side record.Side, name string) string {
					return w.sys[side].Put(kinds[side], record.Fields{spell(side, "phone"): record.OfText(phoneOf(1)), spell(side, "name"): record.OfText(name)})
				}
				contact := put(record.Left, "anna")
				guests := [2]string{put(record.Right, "anna"), put(record.Right, "marco")}
				w.rest()
				switch {
				case tt.from:
					w.matchAnswer(record.Right, guests[0], contact)
				case tt.answer == "":
					w.matchAnswer(record.Left, contact, guests[0])
				default:
					w.matchAnswer(record.Left, contact, tt.answer)
				}
				tt.edit(w, guests)
				for range 3 {
					w.rest()
				}
				it, other := w.entryOf(record.Left, contact), w.entryOf(record.Right, guests[1])
				if it.Link != 0 && it.Link == other.Link {
					t.Error("the contact was joined with the other guest")
				}
				wantCount(t, "on the right", len(w.sys[record.Right].All(kinds[record.Right])), tt.want)
				if !tt.asked {
					return
				}
				side, id := record.Left, contact
				if tt.from {
					side, id = record.Right, guests[0]
				}
				if got := w.matchAsked(side, id); got.Choices == "" || got.Choice != "" {
					t.Errorf("the question is %q, answered %q", got.Choices, got.Choice)
				}
				w.matchAnswer(record.Left, contact, guests[1])
				if tt.from {
					w.matchAnswer(record.Right, guests[0], "create")
				}
				for range 3 {
					w.rest()
				}
				if it, other := w.entryOf(record.Left, contact), w.entryOf(record.Right, guests[1]); it.Link == 0 || it.Link != other.Link {
					t.Error("said to be the other guest, it is not joined with them")
				}
			})
		})
	}
}

// Two rooms of one guest for the same day stand on the right, one booking on the left. A person is told which
// ones it may be, says which or that it is a third one, and before the next run one of the two is moved.
func TestOutsideARuleDoesNotDecideAboutARoomWhatAPersonDecided(t *testing.T) {
	for name, tt := range map[string]struct {
		answer string
		asked  bool
		want   int // bookings of the guest in the end, on the right
	}{
		"it is the one that is moved": {asked: true, want: 2},
		"it is a third one":           {answer: "create", want: 3},
		"it is left out":              {answer: "leave", want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, asked := threeRooms(t)
				one := n.of(record.Right, stayKinds[record.Right], "room", "201")
				two := n.of(record.Right, stayKinds[record.Right], "room", "202")
				c := asked(record.Left, n.of(record.Left, stayKinds[record.Left], "room", "200"))
				if c.Choices != string(plan.AnyAnswer) {
					t.Errorf("a person can say %q, want %q", c.Choices, plan.AnyAnswer)
				}
				if rows := fmt.Sprintf("stays:%s, stays:%s of two, which are not linked, have one of its keys", one, two); !strings.Contains(c.Why, rows) {
					t.Errorf("asked %q, want both rooms named: %s", c.Why, rows)
				}
				if tt.answer == "" {
					n.say(c, away.GoneChoice(one))
				} else {
					n.say(c, away.GoneChoice(tt.answer))
				}
				n.sys[record.Right].Edit(stayKinds[record.Right], one, record.Fields{"day": record.OfText("2027-03-02")})
				n.rest()
				it := n.stayEntry(record.Left, n.of(record.Left, stayKinds[record.Left], "room", "200"))
				if other := n.stayEntry(record.Right, two); it.Link != 0 && it.Link == other.Link {
					t.Error("it was joined with the other room")
				}
				if got := len(n.sys[record.Right].All(stayKinds[record.Right])) - 2; got != tt.want {
					t.Errorf("the right has %d rooms, want %d", got, tt.want)
				}
				c = asked(record.Left, it.Ref.ID)
				if is := c.ID != 0; is != tt.asked || c.Choice != "" {
					t.Errorf("asked once more: %t, answered %q", is, c.Choice)
				}
			})
		})
	}
}

// threeRooms is an hostel with two rooms of one guest for one day on the right, and one booking like them on
// the left. It gives the open question about a booking.
func threeRooms(t *testing.T) (n *hostel, asked func(side record.Side, id string) record.Question) {
	t.Helper()
	n = fullHostel(t, away.GoneHold, away.GoneHold, false)
	for _, side := range record.Sides {
		anna := n.of(side, kinds[side], "name", "Anna")
		if side == record.Left {
			n.stay(side, anna, "2027-03-01", "200")
			continue
		}
		n.stay(side, anna, "2027-03-01", "201")
		n.stay(side, anna, "2027-03-01", "202")
	}
	n.sync()
	return n, func(side record.Side, id string) record.Question {
		e := n.stayEntry(side, id)
		cs, err := n.store.Questions(t.Context(), stayJob, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cs {
			if c.Link == 0 && c.Entry == e.Num {
				return c
			}
		}
		return record.Question{}
	}
}

func (n *hostel) stayEntry(side record.Side, id string) record.Entry {
	n.Helper()
	e, ok, err := n.store.Entry(n.Context(), record.Place{Binding: stayJob, Side: side}, record.Ref{Kind: stayKinds[side], ID: id})
	if err != nil || !ok {
		n.Fatalf("booking %s of the %s: %t, %v", id, side, ok, err)
	}
	return e
}

// A person says that two bookings are one. Neither is edited, and a third one is entered that a rule would join
// with the one of the left. Said of the one of the right, it is done all the same: nothing else may be that one.
// Said of the one of the left, they are asked anew, and the third one is not joined with it.
func TestOutsideAnAnswerStandsWhereAThirdOneComes(t *testing.T) {
	for _, side := range record.Sides {
		t.Run(side.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, ids, asked := twoAlike(t)
				c, _ := asked(side)
				n.say(c, away.GoneChoice(ids[side.Other()]))
				anna := n.of(record.Right, kinds[record.Right], "name", "Anna")
				third := n.stay(record.Right, anna, "2027-02-10", "103")
				for range 3 {
					n.rest()
				}
				l, r := n.stayEntry(record.Left, ids[record.Left]), n.stayEntry(record.Right, ids[record.Right])
				if joined := l.Link != 0 && l.Link == r.Link; joined != (side == record.Right) {
					t.Errorf("those that are said to be one have the links %d and %d; the third one has %d", l.Link, r.Link, n.stayEntry(record.Right, third).Link)
				}
				if c, is := asked(record.Left); is != (side == record.Left) || c.Choice != "" {
					t.Errorf("asked about the one of the left: %t, answered %q", is, c.Choice)
				}
				if side == record.Right {
					return
				}
				c, _ = asked(record.Left)
				n.say(c, away.GoneChoice(ids[record.Right]))
				n.rest()
				if l, r = n.stayEntry(record.Left, ids[record.Left]), n.stayEntry(record.Right, ids[record.Right]); l.Link == 0 || l.Link != r.Link {
					t.Error("said once more to be one, they are not joined")
				}
			})
		})
	}
}

// A person leaves a booking out. An edit does not bring it back: where it is who it was it stays out, and
// otherwise a person is asked anew.
func TestOutsideAnEditDoesNotBringBackWhatIsLeftOut(t *testing.T) {
	for name, tt := range map[string]struct {
		edit  record.Fields
		asked bool
	}{
		"the room": {edit: record.Fields{"room": record.OfText("109")}},
		"the day":  {edit: record.Fields{"day": record.OfText("2027-02-20")}, asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, ids, asked := twoAlike(t)
				c, _ := asked(record.Left)
				n.say(c, "leave")
				c, _ = asked(record.Right)
				n.say(c, "create")
				for range 3 {
					n.rest()
				}
				n.wantStays("the one left out, the other one made", [2]int{4, 3})
				n.sys[record.Left].Edit(stayKinds[record.Left], ids[record.Left], tt.edit)
				for range 3 {
					n.rest()
				}
				n.wantStays("after the edit", [2]int{4, 3})
				anew, is := asked(record.Left)
				if is != tt.asked {
					t.Fatalf("asked anew: %t, want %t", is, tt.asked)
				}
				if is {
					n.say(anew, "leave")
					n.rest()
				}
				n.sys[record.Left].Edit(stayKinds[record.Left], ids[record.Left], record.Fields{"room": record.OfText("110")})
				n.rest()
				if _, is := asked(record.Left); is {
					t.Error("asked about a booking that is left out, and is who it was")
				}
				n.wantStays("left out still", [2]int{4, 3})
				if !tt.asked {
					return
				}
				if err := n.store.AskAgain(t.Context(), anew.ID); err != nil {
					t.Fatal(err)
				}
				n.rest()
				n.wantStays("once that was taken back", [2]int{4, 4})
			})
		})
	}
}

// A person says to leave a booking out, and the one that it may have been is deleted: before that was done, or
// after. Nobody asks about the two any more, and it is left out all the same.
func TestOutsideWhatIsLeftOutStaysSoWithoutTheOtherOne(t *testing.T) {
	for _, done := range []bool{false, true} {
		t.Run(fmt.Sprintf("done %t", done), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, ids, asked := twoAlike(t)
				c, _ := asked(record.Left)
				n.say(c, "leave")
				if done {
					n.rest()
				}
				n.sys[record.Right].Remove(stayKinds[record.Right], ids[record.Right])
				n.rest()
				n.sys[record.Left].Edit(stayKinds[record.Left], ids[record.Left], record.Fields{"room": record.OfText("109")})
				n.rest()
				n.wantStays("without the other one", [2]int{3, 2})
				if c, is := asked(record.Left); is {
					t.Errorf("they are asked again about what they left out: %s", c.Why)
				}
			})
		})
	}
}

// A booking is left out by a person; another one comes that it may be, and goes again before anybody says
// anything. The question that nobody answered changes nothing.
func TestOutsideAQuestionWithoutAnAnswerChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, ids, asked := twoAlike(t)
		c, _ := asked(record.Left)
		n.say(c, "leave")
		c, _ = asked(record.Right)
		n.say(c, "create")
		n.rest()
		n.wantStays("the one left out, the other one made", [2]int{4, 3})
		third := n.stay(record.Right, n.of(record.Right, kinds[record.Right], "name", "Anna"), "2027-02-10", "103")
		n.sys[record.Left].Edit(stayKinds[record.Left], ids[record.Left], record.Fields{"room": record.OfText("109")})
		n.rest()
		if _, is := asked(record.Left); !is {
			t.Fatal("nobody is asked whether it is the new one: nothing is tested")
		}
		n.sys[record.Right].Remove(stayKinds[record.Right], third)
		n.rest()
		n.sys[record.Left].Edit(stayKinds[record.Left], ids[record.Left], record.Fields{"room": record.OfText("110")})
		n.rest()
		if _, is := asked(record.Left); is {
			t.Error("asked about a booking that is left out")
		}
		n.wantStays("in the end", [2]int{4, 3})
	})
}

// Everything that is alike was left out by a person, and then another one like it comes: it may be one of those.
func TestOutsideWhatIsLeftOutMayBeTheNewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, asked := threeRooms(t)
		for side, rooms := range [2][]string{{"200"}, {"201", "202"}} {
			for _, room := range rooms {
				n.say(asked(record.Side(side), n.of(record.Side(side), stayKinds[side], "room", room)), "leave")
			}
		}
		n.rest()
		id := n.stay(record.Left, n.of(record.Left, kinds[record.Left], "name", "Anna"), "2027-03-01", "204")
		n.rest()
		n.wantStays("while a person is asked", [2]int{4, 4})
		if c := asked(record.Left, id); c.Choices != string(plan.AnyAnswer) || !strings.Contains(c.Why, "of two, which are not linked, have one of its keys") {
			t.Errorf("asked %q, what can be said %q, want that it may be one of those that were left out", c.Why, c.Choices)
		}
	})
}

// A person says that a contact is neither of two guests, or leaves it out, and before the next run it gets the
// phone of a third one. They are asked once more, and as long as they say nothing no run joins it with that one.
func TestOutsideAWordIsNotForgotten(t *testing.T) {
	for _, word := range []string{"create", "leave"} {
		t.Run(word, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{match: [][]string{{"phone"}}, kinds: [2]memory.Kind{{}, {}}})
				defer w.close()
				put := func(side record.Side, name string, phone int) string {
					return w.sys[side].Put(kinds[side], record.Fields{spell(side, "phone"): record.OfText(phoneOf(phone)), spell(side, "name"): record.OfText(name)})
				}
				contact := put(record.Left, "anna", 1)
				put(record.Right, "anna", 1)
				put(record.Right, "marco", 1)
				w.rest()
				w.matchAnswer(record.Left, contact, word)
				dora := put(record.Right, "dora", 7)
				w.sys[record.Left].Edit(kinds[record.Left], contact, record.Fields{spell(record.Left, "phone"): record.OfText(phoneOf(7))})
				for range 3 {
					w.rest()
				}
				if it, other := w.entryOf(record.Left, contact), w.entryOf(record.Right, dora); it.Link != 0 || other.Link != 0 {
					t.Errorf("nobody answered, and the contact has link %d, the guest %d", it.Link, other.Link)
				}
				wantCount(t, "on the right", len(w.sys[record.Right].All(kinds[record.Right])), 3)
				if got := w.matchAsked(record.Left, contact); got.Choices == "" || got.Choice != "" {
					t.Fatalf("the question is %q, answered %q", got.Choices, got.Choice)
				}
				w.matchAnswer(record.Left, contact, dora)
				w.rest()
				if it, other := w.entryOf(record.Left, contact), w.entryOf(record.Right, dora); it.Link == 0 || it.Link != other.Link {
					t.Error("said to be one, they are not joined")
				}
			})
		})
	}
}

// A person leaves a booking out, and before the next run it is moved to a day of which nobody asks anything: it is
// not made, and they are asked once more, however many runs go by.
func TestOutsideLeaveIsNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, ids, asked := twoAlike(t)
		c, _ := asked(record.Left)
		n.say(c, "leave")
		n.sys[record.Left].Edit(stayKinds[record.Left], ids[record.Left], record.Fields{"day": record.OfText("2027-02-20")})
		for range 3 {
			n.rest()
		}
		if got := len(n.sys[record.Right].All(stayKinds[record.Right])); got != 3 {
			t.Errorf("the right has %d bookings, want 3", got)
		}
		if c, is := asked(record.Left); !is || c.Choice != "" {
			t.Errorf("asked once more: %t, answered %q", is, c.Choice)
		}
	})
}
