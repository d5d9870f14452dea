package engine_test

import (
	"cmp"
	"fmt"
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A son has the phone of his mother, who is linked. A person says that he is to be made across; before that
// is done the desk enters him there. What they said was said of those that they were asked about: they are
// asked once more, and he is not made a second time.
func TestOutsideAnAnswerIsNotForWhoWasEnteredSince(t *testing.T) {
	ana := func(side record.Side) record.Fields {
		return record.Fields{spell(side, "phone"): record.OfText(phoneOf(1)), spell(side, "name"): record.OfText("Anna"), spell(side, "mail"): record.OfText("anna@example.com")}
	}
	son := func(side record.Side, phone int) record.Fields {
		return record.Fields{spell(side, "phone"): record.OfText(phoneOf(phone)), spell(side, "name"): record.OfText("Hans"), spell(side, "mail"): record.OfText("hans@example.com")}
	}
	for _, from := range record.Sides {
		to := from.Other()
		for name, tt := range map[string]struct {
			match   [][]string
			entered func(w *world) (id string)
			asked   plan.Answers
			want    int // records across
		}{
			"nobody was entered": {
				match:   [][]string{{"phone"}, {"mail"}},
				entered: func(*world) string { return "" },
				want:    2,
			},
			"somebody else was entered": {
				match: [][]string{{"phone"}, {"mail"}},
				entered: func(w *world) string {
					return w.sys[to].Put(kinds[to], record.Fields{spell(to, "phone"): record.OfText(phoneOf(8)), spell(to, "name"): record.OfText("Carla"), spell(to, "mail"): record.OfText("carla@example.com")})
				},
				want: 3,
			},
			"he was entered": {
				match:   [][]string{{"phone"}, {"mail"}},
				entered: func(w *world) string { return w.sys[to].Put(kinds[to], son(to, 1)) },
				asked:   plan.AnyAnswer, want: 2,
			},
			"he was entered with a phone of his own": {
				match:   [][]string{{"phone"}, {"mail"}},
				entered: func(w *world) string { return w.sys[to].Put(kinds[to], son(to, 7)) },
				asked:   plan.AnyAnswer, want: 2,
			},
			"he was entered, and the phone alone tells people": {
				match:   [][]string{{"phone"}},
				entered: func(w *world) string { return w.sys[to].Put(kinds[to], son(to, 1)) },
				asked:   plan.AnyAnswer, want: 2,
			},
		} {
			t.Run(from.String()+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{match: tt.match, kinds: [2]memory.Kind{{}, {}}})
					defer w.close()
					for _, side := range record.Sides {
						w.sys[side].Put(kinds[side], ana(side))
					}
					w.rest()
					hans := w.sys[from].Put(kinds[from], son(from, 1))
					w.rest()
					w.wantAsked("at first", from, hans, plan.NoWith)
					w.matchAnswer(from, hans, "create")
					twin := tt.entered(w)
					w.rest()
					wantCount(t, "across", len(w.picture(to)), tt.want)
					w.wantAsked("once it was entered", from, hans, tt.asked)
					if tt.asked == "" {
						return
					}
					w.matchAnswer(from, hans, twin)
					w.rest()
					wantCount(t, "linked", w.links(), 2)
					w.idle(2)
				})
			})
		}
	}
}

// Mother and son have one phone, on both sides. A person says who is who, of one of them before each run:
// what they said of the son counts, though the mother is linked since they were asked.
func TestOutsideAnAnswerStandsWhereFewerAreAlike(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{match: [][]string{{"phone"}, {"mail"}}, kinds: [2]memory.Kind{{}, {}}})
		defer w.close()
		people := []string{"anna", "hans", "carl", "dora"}
		var ids [2][]string
		for _, side := range record.Sides {
			for _, name := range people {
				ids[side] = append(ids[side], w.sys[side].Put(kinds[side], record.Fields{
					spell(side, "phone"): record.OfText(phoneOf(1)), spell(side, "name"): record.OfText(name), spell(side, "mail"): record.OfText(name + "@example.com"),
				}))
			}
		}
		w.rest()
		for i := range people {
			w.matchAnswer(record.Left, ids[record.Left][i], ids[record.Right][i])
			w.run(engine.Options{Yes: true})
			w.tick(settle)
			wantCount(t, "linked", w.links(), i+1)
		}
		for i := range people {
			if l, r := w.entryOf(record.Left, ids[record.Left][i]), w.entryOf(record.Right, ids[record.Right][i]); l.Link != r.Link {
				t.Errorf("%s and %s are not linked", l.Ref, r.Ref)
			}
		}
	})
}

// A person says something of two records, and before the next run the desk makes one of them another
// person, or deletes it and its system gives the id to another one: they are asked once more.
func TestOutsideAnAnswerIsNotForWhoItBecame(t *testing.T) {
	for name, tt := range map[string]struct {
		answer string // "" is that the two are the same
		phone  int    // that the other person has
		side   record.Side
		anew   bool // it is another record
	}{
		"the chosen one has no key in common":             {phone: 9, side: record.Right},
		"the chosen one is edited":                        {phone: 1, side: record.Right},
		"the chosen one is edited, and another is made":   {answer: "create", phone: 1, side: record.Right},
		"the id of the chosen one is given again":         {phone: 1, side: record.Right, anew: true},
		"the asked one is edited":                         {phone: 1, side: record.Left},
		"the id of the asked one is given again":          {phone: 1, side: record.Left, anew: true},
		"the asked one is edited, and is to be made":      {answer: "create", phone: 1, side: record.Left},
		"its id is given again, and it is to be left out": {answer: "leave", phone: 1, side: record.Left, anew: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{match: [][]string{{"phone"}, {"mail"}}, kinds: [2]memory.Kind{{}, {}}})
				defer w.close()
				of := func(side record.Side, name string, phone int) record.Fields {
					return record.Fields{spell(side, "phone"): record.OfText(phoneOf(phone)), spell(side, "name"): record.OfText(name), spell(side, "mail"): record.OfText(name + "@example.com")}
				}
				var ids [2]string
				for _, who := range []string{"anna", "hans"} {
					for _, side := range record.Sides {
						ids[side] = w.sys[side].Put(kinds[side], of(side, who, 1))
					}
					w.rest()
				}
				w.matchAnswer(record.Left, ids[record.Left], cmp.Or(tt.answer, ids[record.Right]))
				if tt.anew {
					w.sys[tt.side].Remove(kinds[tt.side], ids[tt.side])
					w.sys[tt.side].PutAs(kinds[tt.side], ids[tt.side], of(tt.side, "zoe", tt.phone))
				} else {
					w.sys[tt.side].Edit(kinds[tt.side], ids[tt.side], of(tt.side, "zoe", tt.phone))
				}
				w.rest()
				if l, r := w.entryOf(record.Left, ids[record.Left]), w.entryOf(record.Right, ids[record.Right]); l.Link != 0 && l.Link == r.Link {
					t.Error("who was Hans then and is Zoe by now was linked with Hans")
				}
				wantCount(t, "on the right", len(w.sys[record.Right].All(kinds[record.Right])), 2)
				if got := w.matchAsked(record.Left, ids[record.Left]); got.Choices == "" || got.Choice != "" {
					t.Errorf("the question about the record of the left is %q, answered %q", got.Choices, got.Choice)
				}
			})
		})
	}
}

// A person says that a record is to be made, and before the next run one who is linked gets a key of it, or
// it gets one of theirs: they are asked once more.
func TestOutsideAnAnswerIsNotForWhoHasAKeySince(t *testing.T) {
	for name, edit := range map[string]func(w *world, hans, carla string){
		"its mail is that of another one by now": func(w *world, hans, _ string) {
			w.sys[record.Left].Edit(kinds[record.Left], hans, record.Fields{spell(record.Left, "mail"): record.OfText("carla@example.com")})
		},
		"another one across has its phone by now": func(w *world, _, carla string) {
			w.sys[record.Right].Edit(kinds[record.Right], carla, record.Fields{spell(record.Right, "phone"): record.OfText(phoneOf(1))})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{match: [][]string{{"phone"}, {"mail"}}, kinds: [2]memory.Kind{{}, {}}})
				defer w.close()
				put := func(side record.Side, name string, phone int) string {
					return w.sys[side].Put(kinds[side], record.Fields{spell(side, "phone"): record.OfText(phoneOf(phone)), spell(side, "name"): record.OfText(name), spell(side, "mail"): record.OfText(name + "@example.com")})
				}
				var carla string
				for _, side := range record.Sides {
					put(side, "anna", 1)
					carla = put(side, "carla", 2)
				}
				w.rest()
				hans := put(record.Left, "hans", 1)
				w.rest()
				w.matchAnswer(record.Left, hans, "create")
				edit(w, hans, carla)
				w.rest()
				wantCount(t, "on the right", len(w.sys[record.Right].All(kinds[record.Right])), 2)
				w.wantAsked("after the edit", record.Left, hans, plan.NoWith)
			})
		})
	}
}

// A person says that two contacts are the same, and before the next run one of them gets keys of its own, as
// the question advises. Neither is made once more, and what they say then is done.
func TestOutsideContactsThatAreSaidToBeTheSameAreNotMadeTwice(t *testing.T) {
	for name, match := range map[string][][]string{"by phone and mail": {{"phone"}, {"mail"}}, "by phone": {{"phone"}}} {
		for _, then := range []string{"", "create"} {
			t.Run(name+"/"+then, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{match: match, kinds: [2]memory.Kind{{}, {}}})
					defer w.close()
					of := func(side record.Side, name string, phone int) record.Fields {
						return record.Fields{spell(side, "phone"): record.OfText(phoneOf(phone)), spell(side, "name"): record.OfText(name), spell(side, "mail"): record.OfText(fmt.Sprintf("%s%d@example.com", name, phone))}
					}
					var ids [2]string
					for _, who := range []string{"anna", "hans"} {
						for _, side := range record.Sides {
							ids[side] = w.sys[side].Put(kinds[side], of(side, who, 1))
						}
						w.rest()
					}
					w.matchAnswer(record.Left, ids[record.Left], ids[record.Right])
					w.sys[record.Right].Edit(kinds[record.Right], ids[record.Right], of(record.Right, "hans", 9))
					for range 3 {
						w.rest()
					}
					for _, side := range record.Sides {
						wantCount(t, "on the "+side.String(), len(w.sys[side].All(kinds[side])), 2)
					}
					if got := w.matchAsked(record.Left, ids[record.Left]); got.Choices == "" || got.Choice != "" {
						t.Fatalf("the question about the record of the left is %q, answered %q", got.Choices, got.Choice)
					}
					w.matchAnswer(record.Left, ids[record.Left], cmp.Or(then, ids[record.Right]))
					for range 3 {
						w.rest()
					}
					want := map[string]int{"": 2, "create": 3}[then]
					for _, side := range record.Sides {
						wantCount(t, "in the end on the "+side.String(), len(w.sys[side].All(kinds[side])), want)
					}
					wantCount(t, "linked", w.links(), want)
				})
			})
		}
	}
}
