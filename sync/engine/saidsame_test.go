package engine_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A person says that two bookings are one, and before the next run one of them is moved, cancelled, given to
// another guest or deleted. Neither is made across: they are asked once more, and what they say then is done.
func TestOutsideWhatAPersonSaidIsTheSameIsNotMadeTwice(t *testing.T) {
	day := func(d string) record.Fields { return record.Fields{"day": record.OfText(d)} }
	for name, tt := range map[string]struct {
		edit func(n *hostel, l, r string)
		both bool   // both questions are answered
		then string // the second answer; "" is that they are one
		want [2]int // bookings of either side in the end
	}{
		"the chosen one is moved":       {edit: func(n *hostel, _, r string) { n.sys[record.Right].Edit(stayKinds[record.Right], r, day("2027-02-11")) }, want: [2]int{3, 3}},
		"the asked one is moved":        {edit: func(n *hostel, l, _ string) { n.sys[record.Left].Edit(stayKinds[record.Left], l, day("2027-02-11")) }, want: [2]int{3, 3}},
		"both say so, and one is moved": {both: true, edit: func(n *hostel, _, r string) { n.sys[record.Right].Edit(stayKinds[record.Right], r, day("2027-02-11")) }, want: [2]int{3, 3}},
		"the chosen one is cancelled": {edit: func(n *hostel, _, r string) {
			n.sys[record.Right].Edit(stayKinds[record.Right], r, record.Fields{"room": record.OfText("cancelled")})
		}, want: [2]int{3, 3}},
		"the asked one has another name": {edit: func(n *hostel, l, _ string) {
			n.sys[record.Left].Edit(stayKinds[record.Left], l, record.Fields{"guest_name": record.OfText("Anna")})
		}, want: [2]int{3, 3}},
		"they are two after all": {
			edit: func(n *hostel, _, r string) { n.sys[record.Right].Edit(stayKinds[record.Right], r, day("2027-02-11")) },
			then: "create", want: [2]int{4, 4},
		},
		"the chosen one is deleted": {
			edit: func(n *hostel, _, r string) { n.sys[record.Right].Remove(stayKinds[record.Right], r) },
			then: "leave", want: [2]int{3, 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, ids, askedOf := twoAlike(t)
				l, r := ids[record.Left], ids[record.Right]
				asked := func() (record.Question, bool) { return askedOf(record.Left) }
				count := func() [2]int {
					return [2]int{len(n.sys[record.Left].All(stayKinds[record.Left])), len(n.sys[record.Right].All(stayKinds[record.Right]))}
				}
				c, _ := asked() // twoAlike has seen that it is there
				n.say(c, away.GoneChoice(r))
				if other, is := askedOf(record.Right); tt.both && is {
					n.say(other, away.GoneChoice(l))
				}
				tt.edit(n, l, r)
				before := count()
				for range 3 {
					n.rest()
				}
				if got := count(); got != before {
					t.Errorf("before they are asked once more there are %v bookings, want %v", got, before)
				}
				c, is := asked()
				if !is || c.Choice != "" {
					t.Fatalf("asked once more: %t, answered %q", is, c.Choice)
				}
				then := away.GoneChoice(tt.then)
				if then == "" {
					then = away.GoneChoice(r)
				}
				n.say(c, then)
				for range 3 {
					n.rest()
				}
				if got := count(); got != tt.want {
					t.Errorf("in the end there are %v bookings, want %v", got, tt.want)
				}
				e, _, _ := n.store.Entry(t.Context(), record.Place{Binding: stayJob, Side: record.Left}, record.Ref{Kind: stayKinds[record.Left], ID: l})
				x, _, _ := n.store.Entry(t.Context(), record.Place{Binding: stayJob, Side: record.Right}, record.Ref{Kind: stayKinds[record.Right], ID: r})
				if joined := e.Link != 0 && e.Link == x.Link; joined != (tt.then == "") {
					t.Errorf("in the end the one has link %d and the other %d", e.Link, x.Link)
				}
			})
		})
	}
}

// twoAlike is an hostel in which both sides have a booking that may be one: nobody joined them, and a person
// is asked about each. It gives them, and the open question about the one of a side.
func twoAlike(t *testing.T) (n *hostel, ids [2]string, asked func(side record.Side) (record.Question, bool)) {
	t.Helper()
	n = hostelOf(t, away.GoneHold, away.GoneHold, false)
	n.byTexts()
	n.eng.Jobs[stayJob].Booking = &engine.Booking{First: "day", Last: "day", Status: "room", Dead: []string{"cancelled"}, Authority: record.Left}
	anna, hans := n.guest("Anna", phoneOf(1)), n.guest("Hans Huber", phoneOf(7))
	n.stay(record.Right, anna, "2027-01-10", "101")
	n.stay(record.Right, hans, "2027-01-11", "101")
	n.rest()
	ids[record.Left] = n.sys[record.Left].Put(stayKinds[record.Left], record.Fields{"guest_phone": record.OfText(phoneOf(1)), "guest_name": record.OfText("Hans Huber"), "day": record.OfText("2027-02-10"), "room": record.OfText("102")})
	ids[record.Right] = n.sys[record.Right].Put(stayKinds[record.Right], record.Fields{"guest_id": record.OfText(hans), "day": record.OfText("2027-02-10"), "room": record.OfText("102")})
	n.sync()
	asked = func(side record.Side) (record.Question, bool) {
		e, _, _ := n.store.Entry(t.Context(), record.Place{Binding: stayJob, Side: side}, record.Ref{Kind: stayKinds[side], ID: ids[side]})
		cs, err := n.store.Questions(t.Context(), stayJob, true)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(cs, func(c record.Question) bool { return c.Link == 0 && c.Entry == e.Num })
		if i < 0 {
			return record.Question{}, false
		}
		return cs[i], true
	}
	for _, side := range record.Sides {
		if _, is := asked(side); !is {
			t.Fatalf("nobody is asked about the booking of the %s: nothing is tested", side)
		}
	}
	return n, ids, asked
}

func (n *hostel) wantStays(what string, want [2]int) {
	n.Helper()
	for _, side := range record.Sides {
		if got := len(n.sys[side].All(stayKinds[side])); got != want[side] {
			n.Errorf("%s: the %s has %d bookings, want %d", what, side, got, want[side])
		}
	}
}

// One of two bookings that may be one is left out by a person. It stands there without a partner still: the
// other one is not made beside it unasked, and joins it if they say so.
func TestOutsideWhatIsLeftOutStandsThere(t *testing.T) {
	for _, side := range record.Sides {
		t.Run(side.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, ids, asked := twoAlike(t)
				c, _ := asked(side)
				n.say(c, "leave")
				for range 3 {
					n.rest()
				}
				n.wantStays("after the one was left out", [2]int{3, 3})
				c, is := asked(side.Other())
				if !is || c.Choice != "" {
					t.Fatalf("asked about the other one: %t, answered %q", is, c.Choice)
				}
				n.say(c, away.GoneChoice(ids[side]))
				for range 3 {
					n.rest()
				}
				n.wantStays("once they are said to be one", [2]int{3, 3})
				if _, is := asked(side.Other()); is {
					t.Error("they are not joined")
				}
			})
		})
	}
}

// What a person said when they left a booking out is taken back: they are asked again, and neither is made.
func TestOutsideWhatIsLeftOutIsAskedAgain(t *testing.T) {
	for _, side := range record.Sides {
		t.Run(side.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, _, asked := twoAlike(t)
				c, _ := asked(side)
				n.say(c, "leave")
				n.rest()
				if err := n.store.AskAgain(t.Context(), c.ID); err != nil {
					t.Fatal(err)
				}
				for range 3 {
					n.rest()
				}
				n.wantStays("after that was taken back", [2]int{3, 3})
				for _, s := range record.Sides {
					if _, is := asked(s); !is {
						t.Errorf("nobody is asked about the booking of the %s", s)
					}
				}
			})
		})
	}
}

// Of two bookings a person says that they are one, and of the other one that it is none, or is to be left out:
// nothing is done before one of the two is answered anew.
func TestOutsideAnswersThatContradict(t *testing.T) {
	for _, word := range []away.GoneChoice{"create", "leave"} {
		for _, side := range record.Sides {
			t.Run(string(word)+"/"+side.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n, ids, asked := twoAlike(t)
					one, _ := asked(side)
					other, _ := asked(side.Other())
					n.say(one, away.GoneChoice(ids[side.Other()]))
					n.say(other, word)
					for range 3 {
						n.rest()
					}
					n.wantStays("as long as they contradict", [2]int{3, 3})
					for _, s := range record.Sides {
						if _, is := asked(s); !is {
							t.Errorf("the question about the booking of the %s is closed", s)
						}
					}
					n.say(other, away.GoneChoice(ids[side]))
					for range 3 {
						n.rest()
					}
					n.wantStays("in the end", [2]int{3, 3})
					if _, is := asked(side); is {
						t.Error("they are not joined")
					}
				})
			})
		}
	}
}
