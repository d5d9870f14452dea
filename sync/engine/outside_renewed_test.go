package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/merge"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// madeAnew is an hostel in which the guest of room 102 was removed on a side, and a person says that he
// is to be made there anew. It gives the ids that he had.
func madeAnew(t *testing.T, side record.Side, change func(n *hostel)) (*hostel, [2]string) {
	t.Helper()
	n := fullHostel(t, away.GoneHold, away.GoneHold, false)
	was := [2]string{n.guestOf(0, "102"), n.guestOf(1, "102")}
	n.sys[side].Remove(kinds[side], was[side])
	n.rest()
	c, is := n.open()
	if !is {
		t.Fatal("nobody is asked about the guest that is gone")
	}
	n.say(c, away.ChooseAnew)
	change(n)
	n.rest()
	if id := n.of(side, kinds[side], "name", "Bruno"); id == "" || id == was[side] {
		t.Fatalf("the guest was not made anew: %q", id)
	}
	return n, was
}

// unwritten is what the stays are named for as not written.
func (n *hostel) unwritten() (out []string) {
	n.Helper()
	all, err := n.store.Findings(context.Background(), stayJob)
	if err != nil {
		n.Fatal(err)
	}
	for _, f := range all {
		out = append(out, string(f.Name)+" "+f.Place.Side.String()+" "+f.About+": "+f.Text)
	}
	return out
}

// A guest is removed on one side and made there anew: his booking there names the new record.
func TestOutsideBookingOfAGuestWhoIsMadeAnew(t *testing.T) {
	for _, side := range record.Sides {
		t.Run(side.String(), func(t *testing.T) {
			for name, change := range map[string]func(n *hostel){
				"at once": func(*hostel) {},
				"the first write fails": func(n *hostel) {
					n.sys[side].Inject(memory.Fault{Call: memory.CallApply, Kind: stayKinds[side], Class: connectors.Transient, Times: 2})
				},
			} {
				t.Run(name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						n, was := madeAnew(t, side, change)
						want := was
						want[side] = n.of(side, kinds[side], "name", "Bruno")
						if got := [2]string{n.guestOf(0, "102"), n.guestOf(1, "102")}; got != want {
							t.Errorf("the booking is for %q, want %q", got, want)
						}
						if got := n.verified(); got.Same != 2 || len(n.unwritten()) > 0 {
							t.Errorf("verify says %+v, and not written is %q", got, n.unwritten())
						}
						before := n.sys[side].Counts().Mutations
						n.rest()
						if got := n.sys[side].Counts().Mutations; got != before {
							t.Errorf("it is written again: %d changes more", got-before)
						}
					})
				})
			}
		})
	}
}

// No rule lets it be written there: then it is named.
func TestOutsideBookingOfAGuestWhoIsMadeAnewAndNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		side := record.Right
		n, was := madeAnew(t, side, func(n *hostel) {
			rules := n.eng.Jobs[stayJob].Rules.Merge
			for i := range rules {
				rules[i].To = merge.ToLeft
			}
		})
		if got := n.guestOf(side, "102"); got != was[side] {
			t.Fatalf("it was written against its rule: %q", got)
		}
		if got := n.unwritten(); len(got) != 1 || !strings.HasPrefix(got[0], "unwritable right guest: the record that its guest names is gone from two") {
			t.Errorf("named is %q", got)
		}
	})
}

// Somebody took the guest out of the booking meanwhile: nobody is put back unasked.
func TestOutsideBookingOfAGuestWhoIsMadeAnewAndEmptied(t *testing.T) {
	for _, side := range record.Sides {
		synctest.Test(t, func(t *testing.T) {
			n, _ := madeAnew(t, side, func(n *hostel) {
				n.clearing(merge.HoldClear)
				n.sys[side].Edit(stayKinds[side], n.of(side, stayKinds[side], "room", "102"), record.Fields{"guest_id": record.Nothing()})
			})
			if got := n.guestOf(side, "102"); got != "" {
				t.Errorf("the %s side is for %q again", side, got)
			}
			c, is := n.asked("guest")
			if !is {
				t.Fatal("nobody is asked")
			}
			if err := n.store.Choose(t.Context(), c.ID, record.Choice(side.Other().String()), record.Value{}, time.Now()); err != nil {
				t.Fatal(err)
			}
			n.rest()
			if got, want := n.guestOf(side, "102"), n.of(side, kinds[side], "name", "Bruno"); got != want {
				t.Errorf("a person says that the guest stays, and the %s side is for %q, want %q", side, got, want)
			}
		})
	}
}

// A guest was entered anew by hand, and a person says that he is the same: the booking that names his
// new record names the same person as before.
func TestOutsideBookingOfAGuestWhoIsEnteredAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, right := record.Left, record.Right
		n := fullHostel(t, away.GoneHold, away.GoneHold, false)
		was := [2]string{n.guestOf(left, "102"), n.guestOf(right, "102")}
		n.sys[right].Remove(kinds[right], was[right])
		fresh := n.guest("Bruno", phoneOf(2))
		n.sys[right].Edit(stayKinds[right], n.of(right, stayKinds[right], "room", "102"), record.Fields{"guest_id": record.OfText(fresh)})
		n.rest()
		c, is := n.open()
		if !is {
			t.Fatal("nobody is asked about the guest that is gone")
		}
		n.say(c, away.ChooseAnew)
		n.rest()
		if got := [2]string{n.guestOf(left, "102"), n.guestOf(right, "102")}; got != [2]string{was[left], fresh} {
			t.Errorf("the booking is for %q", got)
		}
		if got := n.verified(); got.Same != 2 {
			t.Errorf("verify says %+v", got)
		}
	})
}
