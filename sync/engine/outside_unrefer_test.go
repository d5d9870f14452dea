package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// until runs the jobs until one of a job does something, and gives its number.
func (n *hostel) until(b record.Binding) int64 {
	n.Helper()
	for range 8 {
		<-time.After(time.Minute)
		if rep := n.sync()[b]; len(rep.Actions) > 0 {
			return rep.Run
		}
	}
	n.Fatalf("%s has nothing to do", b)
	return 0
}

// undo takes back what a run of a job did.
func (n *hostel) undo(b record.Binding, run int64) *engine.UndoReport {
	n.Helper()
	<-time.After(time.Minute)
	rep, err := n.eng.Run(context.Background(), b, engine.Options{Yes: true, Undo: &engine.Undo{Run: run}})
	if err != nil {
		n.Fatal(err)
	}
	return rep.Undo
}

// give gives the booking of room 102 to the guest of the other room on the left, and the run that did so on the right.
func (n *hostel) give() int64 {
	n.Helper()
	left := record.Left
	n.sys[left].Edit(stayKinds[left], n.of(left, stayKinds[left], "room", "102"), record.Fields{"guest_id": record.OfText(n.guestOf(left, "101"))})
	run := n.until(stayJob)
	n.rest()
	return run
}

// moved is an hostel in which the booking of Bruno was given to Anna on the left, and Bruno was removed on both
// sides since. It gives the id that he had on the right, and the run of each.
func moved(t *testing.T) (n *hostel, bruno string, given, gone int64) {
	t.Helper()
	n = fullHostel(t, away.GoneDelete, away.GoneDelete, false)
	bruno = n.guestOf(record.Right, "102")
	given = n.give()
	left := record.Left
	n.sys[left].Remove(kinds[left], n.of(left, kinds[left], "name", "Bruno"))
	gone = n.until(job)
	n.rest()
	return n, bruno, given, gone
}

// A booking was moved to another guest, and the first one is gone since. An undo does not name his id,
// be it nobody's or a stranger's: it says that it can't be taken back.
func TestOutsideUndoNamesNobodyWhoIsGone(t *testing.T) {
	for _, strangers := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			n, bruno, given, _ := moved(t)
			right := record.Right
			if strangers {
				n.sys[right].PutAs(kinds[right], bruno, record.Fields{"name": record.OfText("Carla"), "phone": record.OfText(phoneOf(7))})
			}
			anna := n.guestOf(right, "101")
			u := n.undo(stayJob, given)
			if got := n.guestOf(right, "102"); got != anna {
				t.Errorf("stranger %t: the stay is for %q, want %q", strangers, got, anna)
			}
			if len(u.Beyond) != 1 || !strings.Contains(u.Beyond[0].Why, "people:"+bruno+" of two, whom its guest named, is not there any more") {
				t.Errorf("stranger %t: it says %+v", strangers, u)
			}
		})
	}
}

// The guest was made anew under another id by an undo: the booking that is taken back names that one,
// and a second undo has nothing to do.
func TestOutsideUndoNamesWhoIsThereNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _, given, gone := moved(t)
		n.undo(job, gone)
		u := n.undo(stayJob, given)
		fresh := n.of(record.Right, kinds[record.Right], "name", "Bruno")
		if got := n.guestOf(record.Right, "102"); got != fresh || fresh == "" || len(u.Beyond) > 0 {
			t.Fatalf("the stay is for %q, want %q: %+v", got, fresh, u)
		}
		if u = n.undo(stayJob, given); u.Already != 1 || len(u.Conflicts) > 0 {
			t.Errorf("undone twice it says %+v", u)
		}
	})
}

// A booking was deleted together with its guest. Made anew it names him as he is called now, and it is not
// made for somebody who is not there.
func TestOutsideUndoOfABookingWhoseGuestIsGone(t *testing.T) {
	for _, back := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			n := fullHostel(t, away.GoneDelete, away.GoneDelete, false)
			left, right := record.Left, record.Right
			n.sys[left].Remove(stayKinds[left], n.of(left, stayKinds[left], "room", "102"))
			deleted := n.until(stayJob)
			n.rest()
			n.sys[left].Remove(kinds[left], n.of(left, kinds[left], "name", "Bruno"))
			gone := n.until(job)
			n.rest()
			if back {
				n.undo(job, gone)
			}
			u := n.undo(stayJob, deleted)
			fresh := n.of(right, kinds[right], "name", "Bruno")
			stay := n.of(right, stayKinds[right], "room", "102")
			switch {
			case back && (stay == "" || fresh == "" || n.guestOf(right, "102") != fresh):
				t.Errorf("the stay %q is for %q, want %q: %+v", stay, n.guestOf(right, "102"), fresh, u)
			case !back && (stay != "" || len(u.Beyond) != 1):
				t.Errorf("the stay is made for nobody: %+v", u)
			}
		})
	}
}

// Who was given a booking was made anew since, and the booking names the new id: that is no edit, and an
// undo takes it back.
func TestOutsideUndoOfAGuestWhoWasMadeAnewSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := fullHostel(t, away.GoneHold, away.GoneHold, false)
		right := record.Right
		anna, bruno := n.guestOf(right, "101"), n.guestOf(right, "102")
		given := n.give()
		n.sys[right].Remove(kinds[right], anna)
		n.rest()
		c, is := n.open()
		if !is {
			t.Fatal("nobody is asked")
		}
		n.say(c, away.ChooseAnew)
		n.rest()
		if got := n.guestOf(right, "102"); got == anna || got == bruno || got == "" {
			t.Fatalf("the stay is for %q", got)
		}
		if u := n.undo(stayJob, given); n.guestOf(right, "102") != bruno || len(u.Conflicts) > 0 {
			t.Errorf("the stay is for %q, want %q: %+v", n.guestOf(right, "102"), bruno, u)
		}
	})
}
