package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// joinedAnew is an hostel of which a guest was entered anew, was joined with the contact that was left by
// a person's word, and is named by his stay under his new id. It gives the contact.
func joinedAnew(t *testing.T) (n *hostel, contact string) {
	t.Helper()
	n = fullHostel(t, away.GoneHold, away.GoneHold, true)
	left, right := record.Left, record.Right
	contact = n.of(left, kinds[left], "name", "Bruno")
	n.sys[right].Remove(kinds[right], n.of(right, kinds[right], "name", "Bruno"))
	anew := n.guest("Bruno", phoneOf(2))
	n.sys[right].Edit(stayKinds[right], n.of(right, stayKinds[right], "room", "102"), record.Fields{"guest_id": record.OfText(anew)})
	n.rest()
	c, ok := n.open()
	if !ok {
		t.Fatal("nobody is asked about the guest who is gone")
	}
	n.say(c, away.ChooseAnew)
	n.rest()
	if got := n.of(left, kinds[left], "name", "Bruno"); got != contact {
		t.Fatalf("the contact is %q, and was %q", got, contact)
	}
	return n, contact
}

// A guest was entered anew and joined with the contact that was left: the booking of the contact, and the
// stay that names the new row, name one person, and are the same.
func TestOutsideWhoWasJoinedIsOnePerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, contact := joinedAnew(t)
		left, right := record.Left, record.Right
		p := n.stayPair("102")
		if l, r := p.Sides[left].Base[plan.RefPath("guest")], p.Sides[right].Base[plan.RefPath("guest")]; !l.Same(nil, plainOf(r)) {
			t.Errorf("the two are settled on %v and %v", l, r)
		}
		if v := n.verifiedStays(); v.Same != 2 || len(v.Differs) != 0 {
			t.Errorf("%d are the same, want 2: %v", v.Same, v.Differs)
		}
		// The guest of either is changed as ever.
		anna := n.of(left, kinds[left], "name", "Anna")
		n.sys[left].Edit(stayKinds[left], n.of(left, stayKinds[left], "room", "102"), record.Fields{"guest_id": record.OfText(anna)})
		n.rest()
		if got := n.guestOf(right, "102"); got != n.of(right, kinds[right], "name", "Anna") {
			t.Errorf("the stay names %q", got)
		}
		n.sys[right].Edit(stayKinds[right], n.of(right, stayKinds[right], "room", "102"), record.Fields{"guest_id": record.OfText(n.of(right, kinds[right], "name", "Bruno"))})
		n.rest()
		if got := n.guestOf(left, "102"); got != contact {
			t.Errorf("the booking names %q, want %q", got, contact)
		}
	})
}

// stayPair is the link of a stay.
func (n *hostel) stayPair(room string) record.Pair {
	n.Helper()
	ref := record.Ref{Kind: stayKinds[record.Left], ID: n.of(record.Left, stayKinds[record.Left], "room", room)}
	p, ok, err := n.store.PairOf(context.Background(), record.Place{Binding: stayJob, Side: record.Left}, ref)
	if err != nil || !ok {
		n.Fatalf("no link of %s: %v", ref, err)
	}
	return p
}

func plainOf(s record.Stored) record.Value {
	v, _ := s.Plain()
	return v
}

// verifiedStays compares all stays.
func (n *hostel) verifiedStays() *engine.Verified {
	n.Helper()
	<-time.After(time.Minute)
	rep, err := n.eng.Run(context.Background(), stayJob, engine.Options{Dry: true, Full: true, Verify: true})
	if err != nil {
		n.Fatal(err)
	}
	return rep.Verified
}
