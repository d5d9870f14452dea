package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// The desk lost a guest whom nobody had booked. Before the next run the platform takes a booking with his phone. His
// contact is not deleted before the bookings were read, for then it is known that he is named: a person is asked.
func TestOutsideAContactNamedByPhoneStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := hostelOf(t, away.GoneDelete, away.GoneHold, false)
		n.byPhone()
		anna, bruno := n.guest("Anna", phoneOf(1)), n.guest("Bruno", phoneOf(2))
		n.stay(record.Right, anna, "2027-01-10", "101")
		n.rest()
		n.sys[record.Right].Remove(kinds[record.Right], bruno)
		n.sys[record.Left].Put(stayKinds[record.Left], record.Fields{
			"guest_phone": record.OfText(phoneOf(2)), "day": record.OfText("2027-02-01"), "room": record.OfText("new"),
		})
		n.rest()
		if n.of(record.Left, kinds[record.Left], "name", "Bruno") == "" {
			t.Error("the contact whom a booking names was deleted")
		}
		if c, ok := n.open(); !ok || !strings.Contains(c.Why, "is named by bookings:") {
			t.Errorf("asked is %t %q", ok, c.Why)
		}
	})
}
