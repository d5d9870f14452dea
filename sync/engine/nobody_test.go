package engine_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/mapping"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// byTexts has the bookings of the left name their guest by phone and name.
func (n *hostel) byTexts() {
	n.Helper()
	refs := n.eng.Jobs[stayJob].References
	n.job(stayJob, stayKinds, away.GoneHold, [][]string{{"guest", "day"}},
		mapping.FieldSpec{Name: "guest", As: mapping.Reference, Refer: string(job), Sides: [2]mapping.SideSpec{
			{Parts: map[string]string{mapping.PartPhone: "guest_phone", mapping.PartName: "guest_name"}}, {Parts: map[string]string{mapping.PartID: "guest_id"}},
		}},
		mapping.FieldSpec{Name: "day", As: mapping.Date, Sides: [2]mapping.SideSpec{{Path: "day"}, {Path: "day"}}},
		mapping.FieldSpec{Name: "room", As: mapping.Text, Sides: [2]mapping.SideSpec{{Path: "room"}, {Path: "room"}}})
	n.eng.Jobs[stayJob].References = refs
}

// unknownGuest is how often status names a guest whom nobody knows.
func (n *hostel) unknownGuest() (told int) {
	n.Helper()
	all, err := n.store.Findings(n.Context(), stayJob)
	if err != nil {
		n.Fatal(err)
	}
	for _, f := range all {
		if f.Name == record.FindUnwritable && f.About == "guest" {
			told++
		}
	}
	return told
}

// A booking names its guest by texts, and of a guest the name alone is left. It tells nobody whom: the
// guest who stands across stays, and status names it. Once it has the phone of somebody, that one is
// named.
func TestABookingWhoseGuestNobodyKnows(t *testing.T) {
	for name, edit := range map[string]record.Fields{
		"the name alone is left":    {"guest_phone": record.Nothing(), "guest_name": record.OfText("Anna")},
		"another name and no phone": {"guest_phone": record.Nothing(), "guest_name": record.OfText("Hans")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := hostelOf(t, away.GoneHold, away.GoneHold, false)
				n.byTexts()
				anna := n.guest("Anna", phoneOf(1))
				stay := n.stay(record.Right, anna, "2027-01-10", "101")
				n.rest()
				left := n.sys[record.Left]
				id := left.All(stayKinds[record.Left])[0].Ref.ID
				left.Edit(stayKinds[record.Left], id, edit)
				n.rest()
				n.rest()
				guest := func() string {
					for _, r := range n.sys[record.Right].All(stayKinds[record.Right]) {
						if r.Ref.ID == stay {
							return r.Fields["guest_id"].Text()
						}
					}
					return ""
				}
				if got := guest(); got != anna {
					t.Errorf("the right names %q, want Anna", got)
				}
				if got := n.unknownGuest(); got != 1 {
					t.Errorf("status names %d bookings of which nobody knows the guest", got)
				}
				hans := n.guest("Hans", phoneOf(7))
				left.Edit(stayKinds[record.Left], id, record.Fields{"guest_phone": record.OfText(phoneOf(7))})
				n.rest()
				n.rest()
				if got := guest(); got != hans {
					t.Errorf("the right names %q, want Hans", got)
				}
				if got := n.unknownGuest(); got != 0 {
					t.Errorf("status names %d bookings of which nobody knows the guest in the end", got)
				}
			})
		})
	}
}

// Two contacts have one phone, and a person is asked about the second. A booking by texts that bears the
// name of that one is not for the first: it waits for the answer. So does one that bears the name of neither,
// or none. In which order the words of a name stand makes no difference.
func TestABookingByTextsForOneOfTwoWithAPhone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := hostelOf(t, away.GoneHold, away.GoneHold, false)
		n.byTexts()
		anna := n.guest("Anna", phoneOf(1))
		n.stay(record.Right, anna, "2027-01-10", "101")
		n.rest()
		left := n.sys[record.Left]
		left.Put(kinds[record.Left], record.Fields{"name": record.OfText("Hans Huber"), "phone": record.OfText(phoneOf(1))})
		book := func(name, day string) {
			left.Put(stayKinds[record.Left], record.Fields{"guest_phone": record.OfText(phoneOf(1)), "guest_name": record.OfText(name), "day": record.OfText(day), "room": record.OfText("102")})
		}
		book("hans  huber", "2027-02-10")
		book("Huber, Hans", "2027-02-11")
		book("ANNA", "2027-03-10")
		book("A. Other", "2027-04-10")
		book("", "2027-04-11")
		n.rest()
		n.rest()
		var days []string
		for _, r := range n.sys[record.Right].All(stayKinds[record.Right]) {
			days = append(days, r.Fields["day"].Text())
			if r.Fields["guest_id"].Text() != anna {
				t.Errorf("the booking of %s is for %q", r.Fields["day"].Text(), r.Fields["guest_id"].Text())
			}
		}
		slices.Sort(days)
		if want := []string{"2027-01-10", "2027-03-10"}; !slices.Equal(days, want) {
			t.Errorf("the right has bookings of %v, want %v", days, want)
		}
		cs, err := n.store.Questions(t.Context(), job, true)
		if err != nil || len(cs) != 1 {
			t.Fatalf("%d questions are open about contacts (%v), want that about the second", len(cs), err)
		}
		n.say(cs[0], "create")
		n.rest()
		n.rest()
		if got, want := n.stayRows(), []string{"2027-01-10 Anna", "2027-02-10 Hans Huber", "2027-02-11 Hans Huber", "2027-03-10 Anna"}; !slices.Equal(got, want) {
			t.Errorf("after the answer the right has %v, want %v", got, want)
		}
	})
}

// The right has two contacts with one phone, of whom the left got the first, and a person is asked about
// the second. A booking of the left that bears the name of the second waits for the answer, and is for that
// one then. One that bears a name that nobody has is for the first.
func TestABookingByTextsForOneWhomTheOtherSideHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := hostelOf(t, away.GoneHold, away.GoneHold, false)
		n.byTexts()
		anna := n.guest("Anna", phoneOf(1))
		n.stay(record.Right, anna, "2027-01-10", "101")
		n.rest()
		hans := n.guest("Hans Huber", phoneOf(1))
		n.rest()
		left := n.sys[record.Left]
		book := func(name, day string) {
			left.Put(stayKinds[record.Left], record.Fields{"guest_phone": record.OfText(phoneOf(1)), "guest_name": record.OfText(name), "day": record.OfText(day), "room": record.OfText("102")})
		}
		booked := func() map[string]string {
			out := map[string]string{}
			for _, r := range n.sys[record.Right].All(stayKinds[record.Right]) {
				out[r.Fields["day"].Text()] = r.Fields["guest_id"].Text()
			}
			return out
		}
		book("HANS Huber", "2027-02-10")
		book("Anna", "2027-03-10")
		book("A. Other", "2027-04-10")
		n.rest()
		n.rest()
		want := map[string]string{"2027-01-10": anna, "2027-03-10": anna, "2027-04-10": anna}
		if diff := cmp.Diff(want, booked()); diff != "" {
			t.Errorf("before the answer (-want +got):\n%s", diff)
		}
		cs, err := n.store.Questions(t.Context(), job, true)
		if err != nil || len(cs) != 1 {
			t.Fatalf("%d questions are open about contacts (%v), want that about the second", len(cs), err)
		}
		n.say(cs[0], "create")
		n.rest()
		n.rest()
		want["2027-02-10"] = hans
		if diff := cmp.Diff(want, booked()); diff != "" {
			t.Errorf("after it (-want +got):\n%s", diff)
		}
		// Both are known by now: who bears another name, or none, may be either.
		book("A. Other", "2027-05-10")
		book("", "2027-06-10")
		book("Anna", "2027-07-10")
		n.rest()
		n.rest()
		want["2027-07-10"] = anna
		if diff := cmp.Diff(want, booked()); diff != "" {
			t.Errorf("of two who are linked (-want +got):\n%s", diff)
		}
		e, _, err := n.store.Entry(t.Context(), record.Place{Binding: stayJob, Side: record.Left}, record.Ref{Kind: stayKinds[record.Left], ID: n.of(record.Left, stayKinds[record.Left], "day", "2027-06-10")})
		if err != nil || !strings.Contains(e.Why, "have that phone, and no name tells which of them is meant") {
			t.Errorf("the booking without a name says %q (%v)", e.Why, err)
		}
	})
}
