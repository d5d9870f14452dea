package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// clearing has emptied guests of bookings go by a rule.
func (n *hostel) clearing(c merge.Clear) {
	rules := n.eng.Jobs[stayJob].Rules.Merge
	for i := range rules {
		if rules[i].Field == "guest" {
			rules[i].Clear = c
		}
	}
}

// guestOf is whom the record of a side in a room names, "" for nobody.
func (n *hostel) guestOf(side record.Side, room string) string {
	n.Helper()
	r, _ := n.sys[side].Get(stayKinds[side], n.of(side, stayKinds[side], "room", room))
	return r.Fields["guest_id"].Text()
}

// asked is what a person is asked about a field of a stay, if anything is.
func (n *hostel) asked(field string) (record.Question, bool) {
	n.Helper()
	cs, err := n.store.Questions(context.Background(), stayJob, true)
	if err != nil {
		n.Fatal(err)
	}
	for _, c := range cs {
		if c.Field == field {
			return c, true
		}
	}
	return record.Question{}, false
}

// verified is what a comparison of the stays says.
func (n *hostel) verified() *engine.Verified {
	n.Helper()
	rep, err := n.eng.Run(context.Background(), stayJob, engine.Options{Verify: true, Dry: true, Full: true})
	if err != nil {
		n.Fatal(err)
	}
	return rep.Verified
}

// Somebody empties whom a booking is for. It is decided by the rule of the field, like any other
// value that is emptied.
func TestOutsideAnEmptiedGuestIsDecided(t *testing.T) {
	empty := record.Fields{"guest_id": record.Nothing()}
	for _, side := range record.Sides {
		t.Run("hold "+side.String(), func(t *testing.T) {
			for _, choice := range []string{"left", "right"} {
				synctest.Test(t, func(t *testing.T) {
					n := fullHostel(t, away.GoneHold, away.GoneHold, false)
					n.clearing(merge.HoldClear)
					was := [2]string{n.guestOf(0, "102"), n.guestOf(1, "102")}
					n.sys[side].Edit(stayKinds[side], n.of(side, stayKinds[side], "room", "102"), empty)
					n.rest()
					c, is := n.asked("guest")
					if !is {
						t.Fatal("nobody is asked about the guest that was emptied")
					}
					if n.guestOf(side, "102") != "" || n.guestOf(side.Other(), "102") != was[side.Other()] {
						t.Fatal("it was written before anybody answered")
					}
					if err := n.store.Choose(t.Context(), c.ID, record.Choice(choice), record.Value{}, time.Now()); err != nil {
						t.Fatal(err)
					}
					n.rest()
					want := was
					if choice == side.String() {
						want = [2]string{}
					}
					if got := [2]string{n.guestOf(0, "102"), n.guestOf(1, "102")}; got != want {
						t.Errorf("after %q the bookings are for %q, want %q", choice, got, want)
					}
					if _, is := n.asked("guest"); is {
						t.Error("it is asked about still")
					}
				})
			}
		})
		t.Run("propagate "+side.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := fullHostel(t, away.GoneHold, away.GoneHold, false)
				anna := n.guestOf(side, "101")
				n.sys[side].Edit(stayKinds[side], n.of(side, stayKinds[side], "room", "102"), empty)
				n.rest()
				if got := n.guestOf(side.Other(), "102"); got != "" {
					t.Errorf("across it is for %q still", got)
				}
				if got := n.verified(); got.Same != 2 {
					t.Errorf("both sides name nobody, and verify says %+v", got)
				}
				n.sys[side].Edit(stayKinds[side], n.of(side, stayKinds[side], "room", "102"), record.Fields{"guest_id": record.OfText(anna)})
				n.rest()
				if got, want := n.guestOf(side.Other(), "102"), n.guestOf(side.Other(), "101"); got != want || want == "" {
					t.Errorf("entered again it is for %q across, want %q", got, want)
				}
			})
		})
		t.Run("hidden "+side.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := fullHostel(t, away.GoneHold, away.GoneHold, false)
				n.sys[side].Edit(stayKinds[side], n.of(side, stayKinds[side], "room", "102"), record.Fields{"room": record.OfText("103")})
				for _, call := range []memory.Call{memory.CallFetch, memory.CallGet, memory.CallApply} {
					n.sys[side].Inject(memory.Fault{Call: call, Kind: stayKinds[side], Times: -1, LeaveOut: []string{"guest_id"}})
				}
				n.rest()
				if got := n.guestOf(side.Other(), "103"); got == "" {
					t.Error("a guest that is not shown was taken for emptied")
				}
				if _, is := n.asked("guest"); is {
					t.Error("a person is asked about a guest that is not shown")
				}
			})
		})
	}
}

// Of an emptied guest `verify` says what it is.
func TestOutsideVerifyShowsAnEmptiedGuest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := fullHostel(t, away.GoneHold, away.GoneHold, false)
		n.clearing(merge.HoldClear)
		n.sys[record.Right].Edit(stayKinds[record.Right], n.of(record.Right, stayKinds[record.Right], "room", "102"), record.Fields{"guest_id": record.Nothing()})
		n.rest()
		if got := n.verified(); got.Same != 1 || got.Hidden != 0 || got.Causes[plan.Held] != 1 {
			t.Errorf("got %+v", got)
		}
	})
}
