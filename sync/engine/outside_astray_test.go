package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// strangerInTheHouse is an hostel in which the guest of room 102 was removed on the right, and a stranger has his id
// there: a person is asked about it. The stay that names the id was edited meanwhile.
func strangerInTheHouse(t *testing.T) (n *hostel, bruno string) {
	t.Helper()
	n = fullHostel(t, away.GoneHold, away.GoneHold, false)
	right := record.Right
	bruno = n.guestOf(right, "102")
	n.sys[right].Remove(kinds[right], bruno)
	n.sys[right].PutAs(kinds[right], bruno, record.Fields{"name": record.OfText("Carla"), "phone": record.OfText(phoneOf(7))})
	n.sys[right].Edit(stayKinds[right], n.of(right, stayKinds[right], "room", "102"), record.Fields{"room": record.OfText("D")})
	n.rest()
	return n, bruno
}

// While a person is asked who has the id of a guest, nobody knows either of whom a stay is that names the id:
// what is edited of it is not brought across, and it is named. Once the two are known to be others, it is
// for a person to say whom the stay means.
func TestOutsideAStayOfADisputedGuestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left, right := record.Left, record.Right
		n, bruno := strangerInTheHouse(t)
		c, is := n.open()
		if !is || c.Cause != record.Cause(away.AskForeign) {
			t.Fatalf("asked is %t %q", is, c.Cause)
		}
		waits := func(what, why string) {
			t.Helper()
			if n.of(left, stayKinds[left], "room", "102") == "" || n.of(left, stayKinds[left], "room", "D") != "" {
				t.Fatalf("%s: what was edited of the stay is written across", what)
			}
			if got := n.guestOf(right, "D"); got != bruno {
				t.Fatalf("%s: the stay is for %q, want %q", what, got, bruno)
			}
			if got := strings.Join(n.unwritten(), "; "); !strings.Contains(got, why) {
				t.Errorf("%s: named is %q, want %q", what, got, why)
			}
			if got := n.verified(); got.Causes[plan.Waits] != 2 || len(got.Causes) != 1 {
				t.Errorf("%s: verify says %+v", what, got)
			}
		}
		waits("asked", "a person is asked whether people:"+bruno+" of two, whom its guest names, is still who it was")
		n.say(c, away.ChooseAnew)
		n.rest()
		another := "people:" + bruno + " of two, whom its guest names, is another record by now"
		waits("the two are others", another)
		cs, err := n.store.Questions(t.Context(), job, true)
		if err != nil || len(cs) != 1 {
			t.Fatalf("asked is %+v, %v", cs, err)
		}
		if err := n.store.Choose(t.Context(), cs[0].ID, "value", record.OfText("create"), time.Now()); err != nil {
			t.Fatal(err)
		}
		n.rest()
		fresh := n.of(right, kinds[right], "name", "Bruno")
		if fresh == "" || n.of(left, kinds[left], "name", "Carla") == "" {
			t.Fatal("the two guests are not on both sides")
		}
		waits("both are there", another)
		n.sys[right].Edit(stayKinds[right], n.of(right, stayKinds[right], "room", "D"), record.Fields{"guest_id": record.OfText(fresh)})
		n.rest()
		if got, want := n.guestOf(left, "D"), n.of(left, kinds[left], "name", "Bruno"); got != want {
			t.Errorf("named anew the booking is for %q, want %q", got, want)
		}
		if got := n.unwritten(); len(got) > 0 {
			t.Errorf("named is %q still", got)
		}
	})
}

// A person says that it is the same guest: the stay goes over.
func TestOutsideAStayOfADisputedGuestGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _ := strangerInTheHouse(t)
		c, _ := n.open()
		n.say(c, away.ChooseSame)
		n.rest()
		if n.of(record.Left, stayKinds[record.Left], "room", "D") == "" {
			t.Error("the stay waits still")
		}
		if got := n.unwritten(); len(got) > 0 {
			t.Errorf("named is %q still", got)
		}
	})
}
