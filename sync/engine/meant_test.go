package engine_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// stayRows is the bookings of the right: the day, and the name of the guest.
func (n *hostel) stayRows() (rows []string) {
	names := map[string]string{}
	for _, r := range n.sys[record.Right].All(kinds[record.Right]) {
		names[r.Ref.ID] = r.Fields["name"].Text()
	}
	for _, r := range n.sys[record.Right].All(stayKinds[record.Right]) {
		rows = append(rows, r.Fields["day"].Text()+" "+names[r.Fields["guest_id"].Text()])
	}
	slices.Sort(rows)
	return rows
}

// A booking by texts waits for a contact who has the phone of another one: a person is asked about him. If he
// is changed or deleted meanwhile, the booking is not entered for the other one.
func TestABookingIsForWhomItWaitedFor(t *testing.T) {
	phone := func(n int) record.Fields { return record.Fields{"phone": record.OfText(phoneOf(n))} }
	for name, tt := range map[string]struct {
		do   func(n *hostel, hans string)
		want []string
	}{
		"he gets a phone of his own": {
			do:   func(n *hostel, hans string) { n.sys[record.Left].Edit(kinds[record.Left], hans, phone(7)) },
			want: []string{"2027-01-10 Anna", "2027-02-10 Hans Huber"},
		},
		"his name is corrected, and a person says that he is new": {
			do: func(n *hostel, hans string) {
				n.sys[record.Left].Edit(kinds[record.Left], hans, record.Fields{"name": record.OfText("Hans Peter Huber")})
				n.rest()
				cs, err := n.store.Questions(n.Context(), job, true)
				if err != nil || len(cs) != 1 {
					n.Fatalf("%d questions are open about contacts (%v), want that about him", len(cs), err)
				}
				n.say(cs[0], "create")
			},
			want: []string{"2027-01-10 Anna", "2027-02-10 Hans Peter Huber"},
		},
		"he is deleted": {
			do:   func(n *hostel, hans string) { n.sys[record.Left].Remove(kinds[record.Left], hans) },
			want: []string{"2027-01-10 Anna"},
		},
		"he is deleted, and his id is given to somebody else": {
			do: func(n *hostel, hans string) {
				n.sys[record.Left].Remove(kinds[record.Left], hans)
				n.sys[record.Left].PutAs(kinds[record.Left], hans, phone(8).With(record.Fields{"name": record.OfText("Zoe")}))
			},
			want: []string{"2027-01-10 Anna"},
		},
		"he is deleted, and his id is given to somebody else later": {
			do: func(n *hostel, hans string) {
				n.sys[record.Left].Remove(kinds[record.Left], hans)
				n.rest()
				n.rest()
				n.sys[record.Left].PutAs(kinds[record.Left], hans, phone(8).With(record.Fields{"name": record.OfText("Zoe")}))
			},
			want: []string{"2027-01-10 Anna"},
		},
		"he gets a phone of his own, and the name in it is spelt otherwise": {
			do: func(n *hostel, hans string) {
				n.sys[record.Left].Edit(kinds[record.Left], hans, phone(7))
				n.sys[record.Left].Edit(stayKinds[record.Left], n.of(record.Left, stayKinds[record.Left], "day", "2027-02-10"), record.Fields{"guest_name": record.OfText("HUBER, Hans")})
			},
			want: []string{"2027-01-10 Anna", "2027-02-10 Hans Huber"},
		},
		"he is deleted, and entered anew": {
			do: func(n *hostel, hans string) {
				n.sys[record.Left].Remove(kinds[record.Left], hans)
				n.rest()
				n.sys[record.Left].Put(kinds[record.Left], phone(1).With(record.Fields{"name": record.OfText("Hans Huber")}))
				n.rest()
				cs, err := n.store.Questions(n.Context(), job, true)
				if err != nil || len(cs) != 1 {
					n.Fatalf("%d questions are open about contacts (%v), want that about him", len(cs), err)
				}
				n.say(cs[0], "create")
			},
			want: []string{"2027-01-10 Anna", "2027-02-10 Hans Huber"},
		},
		"a person leaves him out, and takes him up again once he gets a phone of his own": {
			do: func(n *hostel, hans string) {
				cs, _ := n.store.Questions(n.Context(), job, true)
				n.say(cs[0], "leave")
				n.rest()
				n.sys[record.Left].Edit(kinds[record.Left], hans, phone(7))
				n.rest()
				if got, want := n.stayRows(), []string{"2027-01-10 Anna"}; !slices.Equal(got, want) {
					n.Errorf("while he is left out the right has %v, want %v", got, want)
				}
				if cs, _ = n.store.Questions(n.Context(), job, true); len(cs) != 1 {
					n.Fatalf("%d questions are open about contacts, want that about him", len(cs))
				}
				n.say(cs[0], "create")
			},
			want: []string{"2027-01-10 Anna", "2027-02-10 Hans Huber"},
		},
		"a user names the other one in it": {
			do: func(n *hostel, hans string) {
				n.sys[record.Left].Edit(kinds[record.Left], hans, phone(7))
				n.sys[record.Left].Edit(stayKinds[record.Left], n.of(record.Left, stayKinds[record.Left], "day", "2027-02-10"), record.Fields{"guest_name": record.OfText("Anna")})
			},
			want: []string{"2027-01-10 Anna", "2027-02-10 Anna"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := hostelOf(t, away.GoneHold, away.GoneHold, false)
				n.byTexts()
				anna := n.guest("Anna", phoneOf(1))
				n.stay(record.Right, anna, "2027-01-10", "101")
				n.rest()
				left := n.sys[record.Left]
				hans := left.Put(kinds[record.Left], phone(1).With(record.Fields{"name": record.OfText("Hans Huber")}))
				left.Put(stayKinds[record.Left], record.Fields{"guest_phone": record.OfText(phoneOf(1)), "guest_name": record.OfText("Hans Huber"), "day": record.OfText("2027-02-10"), "room": record.OfText("102")})
				n.rest()
				if got, want := n.stayRows(), tt.want[:1]; !slices.Equal(got, want) {
					t.Fatalf("before: the right has %v, want %v", got, want)
				}
				tt.do(n, hans)
				for range 3 {
					n.rest()
				}
				if got := n.stayRows(); !slices.Equal(got, tt.want) {
					t.Errorf("the right has %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// A booking waits for the son, who has a phone of his own by then, and names the mother, or is somebody's
// whom nobody knows: it is for whom it shows.
func TestABookingMeansWhomItShows(t *testing.T) {
	for name, shows := range map[string]string{"the mother": "Anna", "nobody who is known": "Anton"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := hostelOf(t, away.GoneHold, away.GoneHold, false)
				n.byTexts()
				n.stay(record.Right, n.guest("Anna", phoneOf(1)), "2027-01-10", "101")
				n.rest()
				left := n.sys[record.Left]
				hans := left.Put(kinds[record.Left], record.Fields{"name": record.OfText("Hans Huber"), "phone": record.OfText(phoneOf(1))})
				booking := left.Put(stayKinds[record.Left], record.Fields{"guest_phone": record.OfText(phoneOf(1)), "guest_name": record.OfText("Hans Huber"), "day": record.OfText("2027-02-10"), "room": record.OfText("102")})
				n.rest()
				left.Edit(kinds[record.Left], hans, record.Fields{"phone": record.OfText(phoneOf(7))})
				left.Edit(stayKinds[record.Left], booking, record.Fields{"guest_name": record.OfText(shows)})
				n.rest()
				n.rest()
				if got, want := n.stayRows(), []string{"2027-01-10 Anna", "2027-02-10 Anna"}; !slices.Equal(got, want) {
					t.Errorf("the right has %v, want %v", got, want)
				}
			})
		})
	}
}

// The same booking was entered on both sides, and by what is known it is of two guests: by its texts it is
// of whoever has the phone by now. It is not made on either side before a person has said whether it is one.
func TestABookingUnderTheSameNameIsAskedAbout(t *testing.T) {
	for name, tt := range map[string]struct {
		days [2]string
		name string // of the guest in the booking of the left
		room string // of the booking of the right
		asks bool
	}{
		"the same days":         {days: [2]string{"2027-02-10", "2027-02-10"}, name: "Huber, Hans", asks: true},
		"other days":            {days: [2]string{"2027-02-10", "2027-02-11"}, name: "Hans Huber"},
		"another name":          {days: [2]string{"2027-02-10", "2027-02-10"}, name: "Hans Gruber"},
		"none":                  {days: [2]string{"2027-02-10", "2027-02-10"}},
		"the other one is over": {days: [2]string{"2027-02-10", "2027-02-10"}, name: "Hans Huber", room: "cancelled"},
	} {
		for _, answer := range []string{"with", "create"} {
			if !tt.asks && answer == "create" {
				continue
			}
			t.Run(name+"/"+answer, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := hostelOf(t, away.GoneHold, away.GoneHold, false)
					n.byTexts()
					n.eng.Jobs[stayJob].Booking = &engine.Booking{First: "day", Last: "day", Status: "room", Dead: []string{"cancelled"}, Authority: record.Left}
					anna := n.guest("Anna", phoneOf(1))
					hans := n.guest("Hans Huber", phoneOf(7))
					n.stay(record.Right, anna, "2027-01-10", "101")
					n.stay(record.Right, hans, "2027-01-11", "101")
					n.rest()
					left, right := n.sys[record.Left], n.sys[record.Right]
					l := left.Put(stayKinds[record.Left], record.Fields{"guest_phone": record.OfText(phoneOf(1)), "guest_name": record.OfText(tt.name), "day": record.OfText(tt.days[0]), "room": record.OfText("102")})
					r := right.Put(stayKinds[record.Right], record.Fields{"guest_id": record.OfText(hans), "day": record.OfText(tt.days[1]), "room": record.OfText(cmp.Or(tt.room, "102"))})
					n.sync()
					count := func() [2]int {
						return [2]int{len(left.All(stayKinds[record.Left])), len(right.All(stayKinds[record.Right]))}
					}
					cs, err := n.store.Questions(t.Context(), stayJob, true)
					if err != nil || len(cs) > 0 != tt.asks {
						t.Fatalf("%d questions (%v), asks %t", len(cs), err, tt.asks)
					}
					if !tt.asks {
						want := [2]int{4, 4}
						if tt.room != "" {
							want[0] = 3
						}
						if got := count(); got != want {
							t.Errorf("there are %v bookings, want %v", got, want)
						}
						return
					}
					if got, want := count(), [2]int{3, 3}; got != want {
						t.Errorf("before the answer there are %v bookings, want %v", got, want)
					}
					e, _, _ := n.store.Entry(t.Context(), record.Place{Binding: stayJob, Side: record.Left}, record.Ref{Kind: stayKinds[record.Left], ID: l})
					i := slices.IndexFunc(cs, func(c record.Question) bool { return c.Entry == e.Num })
					want := [2]int{3, 3}
					if answer == "create" {
						n.say(cs[i], "create")
						want = [2]int{4, 4}
					} else {
						n.say(cs[i], away.GoneChoice(r))
					}
					for range 2 {
						n.rest()
					}
					if got := count(); got != want {
						t.Errorf("after the answer there are %v bookings, want %v", got, want)
					}
					x, _, _ := n.store.Entry(t.Context(), record.Place{Binding: stayJob, Side: record.Right}, record.Ref{Kind: stayKinds[record.Right], ID: r})
					e, _, _ = n.store.Entry(t.Context(), record.Place{Binding: stayJob, Side: record.Left}, record.Ref{Kind: stayKinds[record.Left], ID: l})
					if joined := e.Link != 0 && e.Link == x.Link; joined != (answer == "with") || e.Link == 0 {
						t.Errorf("after the answer the one has link %d and the other %d", e.Link, x.Link)
					}
				})
			})
		}
	}
}

// Of two with one phone a user gives the booking of the one to the other, by the name alone: it is his once
// he is linked. A name that nobody with the phone has names nobody else.
func TestABookingIsGivenToAnotherWithThePhone(t *testing.T) {
	for name, want := range map[string]string{"Huber, Hans": "Hans Huber", "Anna Maria": "Anna", "": "Anna"} {
		for _, linked := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%t", name, linked), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := hostelOf(t, away.GoneHold, away.GoneHold, false)
					n.byTexts()
					left := n.sys[record.Left]
					anna := n.guest("Anna", phoneOf(1))
					n.stay(record.Right, anna, "2027-01-10", "101")
					n.rest()
					left.Put(kinds[record.Left], record.Fields{"name": record.OfText("Hans Huber"), "phone": record.OfText(phoneOf(1))})
					n.rest()
					answer := func() {
						cs, err := n.store.Questions(t.Context(), job, true)
						if err != nil || len(cs) != 1 {
							t.Fatalf("%d questions are open about contacts (%v), want that about the second", len(cs), err)
						}
						n.say(cs[0], "create")
						n.rest()
					}
					if linked {
						answer()
					}
					left.Edit(stayKinds[record.Left], left.All(stayKinds[record.Left])[0].Ref.ID, record.Fields{"guest_name": record.OfText(name)})
					n.rest()
					if !linked {
						if got := n.stayRows(); !slices.Equal(got, []string{"2027-01-10 Anna"}) {
							t.Errorf("before the answer the right has %v", got)
						}
						answer()
					}
					n.rest()
					if got := n.stayRows(); !slices.Equal(got, []string{"2027-01-10 " + want}) {
						t.Errorf("the right has %v, want %s", got, want)
					}
				})
			})
		}
	}
}
