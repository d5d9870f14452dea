package refer

import (
	"context"
	"testing"
	"time"

	"nightporter/sync/findings"
	"nightporter/sync/observe"
	"nightporter/sync/run"
	"nightporter/sync/trust"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// handedOn is a store in which every phone is that of the guest "other" by now.
type handedOn struct {
	run.EntryStore
	run.Links
	run.Meanings
}

func (handedOn) Matching(context.Context, record.Place, []record.Key) ([]record.Entry, error) {
	return []record.Entry{{Link: 2}}, nil
}

func (handedOn) Entry(context.Context, record.Place, record.Ref) (record.Entry, bool, error) {
	return record.Entry{Link: 2}, true, nil
}

func (handedOn) PairOf(context.Context, record.Place, record.Ref) (record.Pair, bool, error) {
	return record.Pair{Link: 2, Entity: "other"}, true, nil
}

func (handedOn) Meant(context.Context, int64, string) (record.Meant, bool, error) {
	return record.Meant{}, false, nil
}

// A booking names its guest by a phone, which is another guest's by now. Whatever else
// its texts say, it is for whom it was settled for as long as the phone is the same. Of
// one that names its guest by an id the phone is of no account.
func TestGuestOfABookingWhosePhoneWentToAnother(t *testing.T) {
	_, m := ofBookings(t)
	texts := func(phone, name string) record.Fields {
		return record.Fields{"phone": record.OfText(phone), "name": record.OfText(name)}
	}
	ids := func(id, phone string) record.Fields {
		return record.Fields{"guest_id": record.OfText(id), "guest_phone": record.OfText(phone)}
	}
	const phone, another = "+390550000003", "+390550000004"
	sealed, sealedID := texts(phone, "Anna"), ids("7", phone)
	delete(sealed, "name") // its digest is not that of what is shown
	delete(sealedID, "guest_id")
	for _, tt := range []struct {
		name      string
		side      record.Side
		base, now record.Fields
		want      string
	}{
		{"nothing changed", record.Left, texts(phone, "Anna"), texts(phone, "Anna"), "settled"},
		{"another name", record.Left, texts(phone, "Anna"), texts(phone, "Anne"), "settled"},
		{"another name, and of the old one a digest is kept", record.Left, sealed, texts(phone, "Anne"), "settled"},
		{"the phone is spelt otherwise", record.Left, texts(phone, "Anna"), texts("055 0000003", "Anna"), "settled"},
		{"another phone", record.Left, texts(phone, "Anna"), texts(another, "Anna"), "other"},
		{"it had no phone", record.Left, texts("", "Anna"), texts(phone, "Anna"), "other"},
		{"the same id, and another phone", record.Right, ids("7", phone), ids("7", another), "settled"},
		{"another id, and the same phone", record.Right, ids("7", phone), ids("8", phone), "other"},
		{"no id any more", record.Right, ids("7", phone), ids("", phone), "other"},
		{"no id any more, and of the old one a digest is kept", record.Right, sealedID, ids("", phone), "other"},
		{"nobody any more", record.Left, sealed, texts("", ""), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := ofBookings(t)
			tt.base[plan.RefPath("guest")] = record.OfText("settled")
			parts, _ := m.Read(tt.side, tt.now)
			got, _, err := r.reference(t.Context(), tt.side, r.Job.References[0], record.Entry{}, parts["guest"], tt.now, tt.base)
			if err != nil || got.Text() != tt.want {
				t.Errorf("it is for %q (%v), want %q", got.Text(), err, tt.want)
			}
		})
	}
}

// A booking that shows that it names nobody is one whose guest was emptied. One that does not show
// it is not.
func TestGuestOfABookingThatIsEmptied(t *testing.T) {
	settled := record.OfText("settled")
	for _, tt := range []struct {
		name      string
		side      record.Side
		base, now record.Fields
		want      record.Value
	}{
		{"no texts", record.Left, record.Fields{"phone": record.OfText("+390550000003"), "name": record.OfText("Anna")}, record.Fields{"phone": record.Nothing(), "name": record.OfText("")}, record.Nothing()},
		{"no phone, and the name is not shown", record.Left, record.Fields{"phone": record.OfText("+390550000003"), "name": record.OfText("Anna")}, record.Fields{"phone": record.Nothing()}, record.Value{}},
		{"no id", record.Right, record.Fields{"guest_id": record.OfText("7"), "guest_phone": record.Nothing()}, record.Fields{"guest_id": record.Nothing(), "guest_phone": record.Nothing()}, record.Nothing()},
		{"the id is not shown", record.Right, record.Fields{"guest_id": record.OfText("7"), "guest_phone": record.Nothing()}, record.Fields{"guest_phone": record.Nothing()}, record.Value{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, m := ofBookings(t)
			base := tt.base.With(record.Fields{plan.RefPath("guest"): settled})
			parts, _ := m.Read(tt.side, tt.now)
			v, _, err := r.reference(t.Context(), tt.side, r.Job.References[0], record.Entry{}, parts["guest"], tt.now, base)
			if err != nil || !v.Equal(tt.want) {
				t.Errorf("it is for %v (%v), want %v", v, err, tt.want)
			}
		})
	}
}

// A guest has no phone, so a booking is made without one, and its system answers nothing. That it
// shows none later is not that the booking is for nobody: the desk's guest stands.
func TestGuestOfABookingThatWasMadeWithoutAPhone(t *testing.T) {
	r, m := ofBookings(t)
	made := record.Fields{"name": record.OfText("Anna"), plan.RefPath("guest"): record.OfText("settled")}
	for name, tt := range map[string]struct {
		shows record.Fields
		want  string
	}{
		"it shows none":          {record.Fields{"name": record.OfText("Anna"), "phone": record.Nothing()}, "settled"},
		"it shows another phone": {record.Fields{"name": record.OfText("Anna"), "phone": record.OfText("+390550000004")}, "other"},
	} {
		t.Run(name, func(t *testing.T) {
			e := record.Entry{Num: 1, Link: 1, Base: record.BaseOf(made), Seen: &record.Observation{Fields: tt.shows}}
			s, err := r.SideOf(t.Context(), record.Left, e)
			if err != nil || s.Now["guest"].Text() != tt.want {
				t.Errorf("it is for %q (%v), want %q", s.Now["guest"].Text(), err, tt.want)
			}
			if want, _ := m.Read(record.Left, tt.shows); s.Now["guest"].Equal(want["guest"]) {
				t.Errorf("the guest is not resolved")
			}
		})
	}
}

// A first update is a trial, and may empty what it was not sent. Until that is over, bookings
// wait that name its record by its phone.
func TestBookingsWaitForAGuestOnTrial(t *testing.T) {
	r, m := ofBookings(t)
	guests := r.Jobs["guests"]
	guests.Mapping = m
	guests.Sides[record.Left].System = "one"
	e := record.Entry{Ref: record.Ref{Kind: "contacts", ID: "1"}, Seen: &record.Observation{Fields: record.Fields{"phone": record.Nothing()}}}
	if _, err := r.observe.ValuesOf(t.Context(), guests, record.Left, e); err != nil {
		t.Fatal(err)
	}
	r.Trials.Beside = map[run.TrialAt]bool{{System: "one", Ref: e.Ref}: true}
	_, err := r.observe.ValuesOf(t.Context(), guests, record.Left, e)
	if _, waits := run.Unnamed(err); !waits {
		t.Fatalf("got %v, want that it waits", err)
	}
	if want := "it names contacts:1 of one, to which the first update was sent as a trial that is not over"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if _, err := r.observe.ValuesOf(t.Context(), guests, record.Right, e); err != nil {
		t.Errorf("the other side's record: %v", err)
	}
}

// ofBookings is a run of a job of bookings, which name their guest by phone and name on the
// left, and by id and phone on the right.
func ofBookings(t *testing.T) (*Room, *mapping.Mapping) {
	t.Helper()
	m, err := mapping.Compile(mapping.Spec{
		Systems: [2]string{"one", "two"}, Zone: time.UTC,
		Fields: []mapping.FieldSpec{{Name: "guest", As: mapping.Reference, Refer: "guests", Region: []string{"IT"}, Sides: [2]mapping.SideSpec{
			{Parts: map[string]string{mapping.PartPhone: "phone", mapping.PartName: "name"}},
			{Parts: map[string]string{mapping.PartID: "guest_id", mapping.PartPhone: "guest_phone"}},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ref := run.Reference{Field: "guest", Binding: "guests", Sides: record.Sides}
	house := &run.House{Stores: run.Stores{EntryStore: handedOn{}, Links: handedOn{}, Meanings: handedOn{}}, Jobs: map[record.Binding]*run.Job{"guests": {Mapping: m}}}
	base := run.New(house, &run.Job{Binding: "stays", Mapping: m, References: []run.Reference{ref}}, record.Lease{}, run.Options{})
	return New(base, observe.New(base, trust.New(base, findings.New(base)))), m
}
