package engine_test

import (
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
		var ids [2][]string
		for _, side := range record.Sides {
			for _, name := range []string{"anna", "hans"} {
				ids[side] = append(ids[side], w.sys[side].Put(kinds[side], record.Fields{
					spell(side, "phone"): record.OfText(phoneOf(1)), spell(side, "name"): record.OfText(name), spell(side, "mail"): record.OfText(name + "@example.com"),
				}))
			}
		}
		w.rest()
		for i := range 2 {
			w.matchAnswer(record.Left, ids[record.Left][i], ids[record.Right][i])
			w.run(engine.Options{Yes: true})
			w.tick(settle)
			wantCount(t, "linked", w.links(), i+1)
		}
		for i := range 2 {
			if l, r := w.entryOf(record.Left, ids[record.Left][i]), w.entryOf(record.Right, ids[record.Right][i]); l.Link != r.Link {
				t.Errorf("%s and %s are not linked", l.Ref, r.Ref)
			}
		}
	})
}

// A person says that two records are the same, and before the next run the desk makes one of them
// another person: they are asked once more.
func TestOutsideAnAnswerIsNotForWhoItBecame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{match: [][]string{{"phone"}, {"mail"}}, kinds: [2]memory.Kind{{}, {}}})
		defer w.close()
		put := func(side record.Side, name string) string {
			return w.sys[side].Put(kinds[side], record.Fields{
				spell(side, "phone"): record.OfText(phoneOf(1)), spell(side, "name"): record.OfText(name), spell(side, "mail"): record.OfText(name + "@example.com"),
			})
		}
		put(record.Left, "anna")
		put(record.Right, "anna")
		w.rest()
		left, right := put(record.Left, "hans"), put(record.Right, "hans")
		w.rest()
		w.matchAnswer(record.Left, left, right)
		w.sys[record.Right].Edit(kinds[record.Right], right, record.Fields{
			spell(record.Right, "phone"): record.OfText(phoneOf(9)), spell(record.Right, "name"): record.OfText("zoe"), spell(record.Right, "mail"): record.OfText("zoe@example.com"),
		})
		w.rest()
		if l, r := w.entryOf(record.Left, left), w.entryOf(record.Right, right); l.Link != 0 && l.Link == r.Link {
			t.Error("who was Hans then and is Zoe by now was linked with Hans")
		}
		w.wantAsked("after the edit", record.Left, left, plan.NoWith)
	})
}
