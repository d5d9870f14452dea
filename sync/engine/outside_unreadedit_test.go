package engine_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A user edits a field to a word that the table does not have, no system shows versions or times, and the partner
// is removed later. The record that is left was edited: nothing happens to it, and a person is asked and told in
// which field it was edited.
func TestOutsideAnEditThatCantBeReadIsAnEdit(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneDelete, away.GoneArchive, away.GoneHold} {
		for _, side := range record.Sides {
			for _, sealed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s on the %s, sealed %t", policy, side, sealed), func(t *testing.T) {
					file := filepath.Join(t.TempDir(), "key")
					synctest.Test(t, func(t *testing.T) {
						s := telling(memory.Kind{}, policy)
						s.words = map[string][]mapping.EnumRow{"note": {{Word: "quiet", Sides: [2][]string{{"quiet"}, {"quiet"}}}}}
						if sealed {
							s.sealed = file
						}
						w := newWorld(t, s)
						defer w.close()
						for n := range 3 {
							w.put(side, n, map[string]string{"name": fmt.Sprint("name ", n), "note": "quiet"})
						}
						w.rest()
						w.edit(side, 0, "note", "on request")
						w.rest()
						w.remove(side.Other(), 0)
						for range 4 {
							w.tick(time.Minute)
							w.run(engine.Options{Yes: true, Full: true})
						}
						if _, there := w.find(side, 0); !there || w.value(side, 0, "mail") == "put aside" {
							t.Fatalf("it is there: %t, and its mail is %q", there, w.value(side, 0, "mail"))
						}
						w.asked(away.AskEdited)
						if c, _ := w.question(); !strings.Contains(c.Why, "edited in "+[]string{"one", "two"}[side]+" since, in note") {
							t.Errorf("the question says %q", c.Why)
						}
					})
				})
			}
		}
	}
}

// A booking of the left was given to somebody of whom no contact is known, and its partner is removed at the desk.
func TestOutsideAnEditThatNamesNobodyKnownIsAnEdit(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneDelete, away.GoneHold} {
		for _, byPhone := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, by phone %t", policy, byPhone), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					n := hostelOf(t, policy, policy, false)
					if byPhone {
						n.byPhone()
						for side := range n.eng.Jobs[stayJob].Sides {
							n.eng.Jobs[stayJob].Sides[side].Gone.Policy = policy
						}
					}
					anna, bruno := n.guest("Anna", phoneOf(1)), n.guest("Bruno", phoneOf(2))
					n.stay(record.Right, anna, "2027-01-10", "101")
					n.stay(record.Right, bruno, "2027-01-11", "102")
					n.rest()
					left, right := record.Left, record.Right
					booking, whom := n.of(left, stayKinds[left], "room", "102"), record.Fields{"guest_id": record.OfText("77")}
					if byPhone {
						whom = record.Fields{"guest_phone": record.OfText(phoneOf(9))}
					}
					n.sys[left].Edit(stayKinds[left], booking, whom)
					n.rest()
					n.sys[right].Remove(stayKinds[right], n.of(right, stayKinds[right], "room", "102"))
					n.rest()
					if n.of(left, stayKinds[left], "room", "102") == "" {
						t.Fatal("the booking was deleted, and a user had given it to somebody else")
					}
					cs, err := n.store.Questions(t.Context(), stayJob, true)
					if err != nil || len(cs) != 1 || cs[0].Cause != record.Cause(away.AskEdited) || !strings.Contains(cs[0].Why, "since, in guest") {
						t.Errorf("asked is %+v, %v", cs, err)
					}
				})
			})
		}
	}
}

// Two bookings were linked while nobody knew the guest of one of them, so that no run ever settled whom it is for.
// Its partner is removed: nobody knows whether it was edited, and a person is asked.
func TestOutsideAGuestWhomNoRunSettledMayBeAnEdit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := hostelOf(t, away.GoneHold, away.GoneHold, false)
		n.byPhoneAnd([][]string{{"day", "room"}})
		for side := range n.eng.Jobs[stayJob].Sides {
			n.eng.Jobs[stayJob].Sides[side].Gone.Policy = away.GoneDelete
		}
		left, right := record.Left, record.Right
		anna := n.guest("Anna", phoneOf(1))
		n.stay(right, anna, "2027-01-10", "101")
		n.stay(right, anna, "2027-01-11", "102")
		booking := n.sys[left].Put(stayKinds[left], record.Fields{
			"guest_phone": record.OfText(phoneOf(9)), "day": record.OfText("2027-01-11"), "room": record.OfText("102"),
		})
		n.rest()
		if pair, ok, err := n.store.PairOf(t.Context(), record.Place{Binding: stayJob, Side: left}, record.Ref{Kind: stayKinds[left], ID: booking}); err != nil || !ok {
			t.Fatalf("the two are linked: %t, %+v, %v", ok, pair, err)
		}
		n.sys[right].Remove(stayKinds[right], n.of(right, stayKinds[right], "room", "102"))
		n.rest()
		if n.of(left, stayKinds[left], "room", "102") == "" {
			t.Fatal("the booking of somebody whom nobody knows was deleted")
		}
		cs, err := n.store.Questions(t.Context(), stayJob, true)
		if err != nil || len(cs) != 1 || cs[0].Cause != record.Cause(away.AskEdited) {
			t.Errorf("asked is %+v, %v", cs, err)
		}
	})
}
