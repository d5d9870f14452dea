package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A guest is removed at the desk, and his stay is given to another one. A person is asked about the guest, and told
// of the booking that names him. The booking is moved in the same run: the question does not go on naming it.
func TestOutsideAQuestionNamesWhoNamesItNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := fullHostel(t, away.GoneHold, away.GoneHold, false)
		right := record.Right
		n.sys[right].Edit(stayKinds[right], n.of(right, stayKinds[right], "room", "102"), record.Fields{"guest_id": record.OfText(n.guestOf(right, "101"))})
		n.sys[right].Remove(kinds[right], n.of(right, kinds[right], "name", "Bruno"))
		said := false
		for range 6 {
			n.sync()
			c, ok := n.open()
			said = said || ok && strings.Contains(c.Why, "is named by bookings")
		}
		n.rest()
		c, ok := n.open()
		if !said || !ok || c.Cause != record.Cause(away.AskGone) || strings.Contains(c.Why, "is named by") {
			t.Errorf("the booking was named: %t; asked is %t %q %q", said, ok, c.Cause, c.Why)
		}
	})
}
