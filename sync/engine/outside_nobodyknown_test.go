package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// strangeHostel has the booking of Bruno in step, and has the left give it to somebody of whom no record is known.
// policy decides where both sides name another guest.
func strangeHostel(t *testing.T, wait time.Duration, policy merge.Policy) (n *hostel, booking string) {
	t.Helper()
	n = hostelOf(t, away.GoneHold, away.GoneHold, false)
	n.byPhone()
	n.eng.Jobs[stayJob].References[0].Wait = wait
	n.eng.Jobs[stayJob].Rules.Merge[0].Policy = policy
	anna, bruno := n.guest("Anna", phoneOf(1)), n.guest("Bruno", phoneOf(2))
	n.stay(record.Right, anna, "2027-01-10", "101")
	n.stay(record.Right, bruno, "2027-01-11", "102")
	n.rest()
	booking = n.of(record.Left, stayKinds[record.Left], "room", "102")
	n.callsFor(booking, phoneOf(9))
	return n, booking
}

// callsFor has a booking of the left show another phone.
func (n *hostel) callsFor(booking, phone string) {
	n.Helper()
	n.sys[record.Left].Edit(stayKinds[record.Left], booking, record.Fields{"guest_phone": record.OfText(phone)})
}

// told returns the findings about the bookings, and the open questions about them.
func (n *hostel) told() (found []record.Finding, asked []record.Question) {
	n.Helper()
	found, err := n.store.Findings(context.Background(), stayJob)
	if err != nil {
		n.Fatal(err)
	}
	if asked, err = n.store.Questions(context.Background(), stayJob, true); err != nil {
		n.Fatal(err)
	}
	return found, asked
}

// A linked booking is given to somebody of whom no contact is known, alone or while the desk names another guest,
// too. What stands at the desk stays, a finding says so at once, and after the wait a person is asked. What they
// choose, or a contact with that phone, ends both.
func TestOutsideAGuestWhomNobodyKnowsIsTold(t *testing.T) {
	for _, policy := range []merge.Policy{merge.RightWins, merge.LeftWins, merge.Person} {
		for _, both := range []bool{false, true} {
			for _, end := range []string{"right", "leave", "left", "the contact is entered", "it is put back"} {
				t.Run(strings.Join([]string{string(policy), map[bool]string{true: "both"}[both], end}, " "), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						n, booking := strangeHostel(t, time.Hour, policy)
						right := record.Right
						whom := n.guestOf(right, "102")
						if both {
							whom = n.guestOf(right, "101")
							n.sys[right].Edit(stayKinds[right], n.of(right, stayKinds[right], "room", "102"), record.Fields{"guest_id": record.OfText(whom)})
						}
						n.rest()
						found, asked := n.told()
						if len(found) != 1 || found[0].Name != record.FindUnwritable || found[0].Place.Side != right || !found[0].ForPerson() ||
							!strings.Contains(found[0].Text, "nobody knows who its guest is by now") || len(asked) != 0 {
							t.Fatalf("found is %+v, asked is %+v", found, asked)
						}
						<-time.After(time.Hour)
						n.rest()
						found, asked = n.told()
						if len(found) != 1 || len(asked) != 1 || asked[0].Cause != plan.NamesNobody || asked[0].Field != "guest" {
							t.Fatalf("after the wait found is %+v, asked is %+v", found, asked)
						}
						if got := n.guestOf(right, "102"); got != whom {
							t.Fatalf("the desk names %q, want %q", got, whom)
						}
						n.end(end, booking, asked[0])
						n.rest()
						n.rest()
						found, asked = n.told()
						still := end == "left"
						if asks := still || both && end == "the contact is entered" && policy == merge.Person; len(asked) > 0 != asks || len(found) > 0 != still {
							t.Errorf("in the end found is %+v, asked is %+v", found, asked)
						}
						n.wantEnd(end, booking, whom, both, policy)
					})
				})
			}
		}
	}
}

// end ends what a booking of the left waits for.
func (n *hostel) end(how, booking string, q record.Question) {
	n.Helper()
	switch how {
	case "the contact is entered":
		n.guest("Nora", phoneOf(9))
	case "it is put back":
		n.callsFor(booking, phoneOf(2))
	default:
		if err := n.store.Choose(context.Background(), q.ID, record.Choice(how), record.Value{}, time.Now()); err != nil {
			n.Fatal(err)
		}
	}
}

// wantEnd fails the test unless both sides name whom they are to name in the end.
func (n *hostel) wantEnd(how, booking, whom string, both bool, policy merge.Policy) {
	n.Helper()
	phone := ""
	for _, r := range n.sys[record.Left].All(stayKinds[record.Left]) {
		if r.Ref.ID == booking {
			phone = r.Fields["guest_phone"].Text()
		}
	}
	got, anna := n.guestOf(record.Right, "102"), n.guestOf(record.Right, "101")
	switch how {
	case "left", "leave":
		if got != whom || phone != phoneOf(9) {
			n.Errorf("the desk names %q and the platform %q: both were to stay", got, phone)
		}
	case "right":
		want := phoneOf(2)
		if whom == anna {
			want = phoneOf(1)
		}
		if got != whom || phone != want {
			n.Errorf("the desk names %q and the platform %q, want %q", got, phone, want)
		}
	case "the contact is entered":
		nora := n.of(record.Right, kinds[record.Right], "name", "Nora")
		if !both && (got != nora || phone != phoneOf(9)) {
			n.Errorf("the desk names %q and the platform %q, want Nora (%q)", got, phone, nora)
		}
		if both && policy == merge.RightWins && (got != anna || phone != phoneOf(1)) {
			n.Errorf("the desk names %q and the platform %q, want Anna", got, phone)
		}
	case "it is put back":
		if got != whom {
			n.Errorf("the desk names %q, want %q", got, whom)
		}
	}
}

// A contact that is entered in the same moment is known before the bookings are looked at: nothing is told.
func TestOutsideAGuestWhoComesWithTheBookingIsNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _ := strangeHostel(t, time.Hour, merge.RightWins)
		nora := n.guest("Nora", phoneOf(9))
		n.rest()
		if found, asked := n.told(); len(found)+len(asked) > 0 || n.guestOf(record.Right, "102") != nora {
			t.Errorf("found is %+v, asked is %+v, and the desk names %q", found, asked, n.guestOf(record.Right, "102"))
		}
	})
}
