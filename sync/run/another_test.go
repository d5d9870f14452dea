package run

import (
	"fmt"
	"testing"
	"time"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// A record is another one than was linked under its id where nothing that tells it from others is
// what it was. A booking is told by its guest and days. Of digests only what differs is remembered.
func TestBecameAnother(t *testing.T) {
	key := []byte("0123456789abcdef0123456789abcdef")
	text := record.OfText
	booking := record.Fields{"guest_id": text("3"), "from": text("2027-01-20"), "to": text("2027-01-22"), "status": text("confirmed")}
	other := record.Fields{"guest_id": text("5"), "from": text("2027-05-01"), "to": text("2027-05-03"), "status": text("confirmed")}
	guest := record.Fields{"phone": text("+390550000001"), "email": text("a@example.com"), "name": text("Anna"), "note": text("")}
	for _, tt := range []struct {
		name    string
		booking bool
		sealed  bool
		was     record.Fields
		now     record.Fields
		witness string
		want    bool
		view    string // of the read that showed it; "" is a list
	}{
		{"a booking of another guest on other days", true, false, booking, other, "", true, ""},
		{"of which a person said that it is the same", true, false, booking, other, record.SaidWitness, false, ""},
		{"that was made at the same time", true, false, booking, other, "born 1800000000", false, ""},
		{"of the same guest on other days", true, false, booking, other.With(record.Fields{"guest_id": text("3")}), "", false, ""},
		{"of another guest, from the same day on", true, false, booking, other.With(record.Fields{"from": text("2027-01-20")}), "", false, ""},
		{"of which the answer to a create shows other days alone", true, false, booking, record.Fields{"from": text("2027-05-01"), "to": text("2027-05-03")}, "", false, "receipt"},
		{"of which the answer to a create shows another guest as well", true, false, booking, other, "", true, "receipt"},
		{"of which one alone is shown", true, false, booking, record.Fields{"guest_id": text("5")}, "", false, ""},
		{"a booking kept by digests", true, true, booking, other, "", true, ""},
		{"a booking kept by digests that keeps its guest", true, true, booking, record.Fields{"from": text("2027-05-01"), "to": text("2027-05-03")}, "", false, ""},
		{"a guest with another phone and e-mail", false, false, guest, guest.With(record.Fields{"phone": text("+390550000002"), "email": text("b@example.com")}), "key phone 00", false, ""},
		{"a guest kept by digests with another phone and e-mail", false, true, guest, record.Fields{"phone": text("+390550000002"), "email": text("b@example.com")}, "key phone 00", false, ""},
		{"somebody else", false, false, guest, record.Fields{"phone": text("+390550000002"), "email": text("b@example.com"), "name": text("Bruno"), "note": text("")}, "key phone 00", true, ""},
		{"somebody else, kept by digests", false, true, guest, record.Fields{"phone": text("+390550000002"), "email": text("b@example.com"), "name": text("Bruno")}, "key phone 00", true, ""},
		{"somebody else, of whom no first key is known", false, false, guest, record.Fields{"phone": text("+390550000002"), "email": text("b@example.com"), "name": text("Bruno")}, "", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := jobOf(t, tt.booking)
			e := record.Entry{Base: record.BaseOf(tt.was), Seen: &record.Observation{Fields: tt.now, View: tt.view}, Witness: tt.witness}
			if tt.sealed {
				j.Seal, e.Base = key, record.Base{}
				for p, v := range tt.was {
					e.Base[p] = record.KeepDigest(key, v)
				}
			}
			if got := j.BecameAnother(record.Right, e); got != tt.want {
				t.Errorf("it is another one: %t, want %t", got, tt.want)
			}
		})
	}
}

// A change of a booking's guest and days was answered, and no read has shown it. The booking may still be as it was
// before, and is the same one then. With a third guest on third days it is another one.
func TestBecameAnotherBeforeAWriteIsShown(t *testing.T) {
	key := []byte("0123456789abcdef0123456789abcdef")
	text := record.OfText
	before := record.Fields{"guest_id": text("3"), "from": text("2027-01-20"), "to": text("2027-01-22")}
	sent := record.Fields{"guest_id": text("5"), "from": text("2027-05-01"), "to": text("2027-05-03")}
	third := record.Fields{"guest_id": text("7"), "from": text("2027-08-01"), "to": text("2027-08-03")}
	for _, tt := range []struct {
		name string
		now  record.Fields
		sent []string
		want bool
	}{
		{"it shows what was sent", sent, sent.Names(), false},
		{"it shows what stood there before", before, sent.Names(), false},
		{"it shows neither", third, sent.Names(), true},
		{"a read has shown what was sent", before, nil, true},
	} {
		for _, sealed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, kept by digests %t", tt.name, sealed), func(t *testing.T) {
				j := jobOf(t, true)
				e := record.Entry{Base: record.BaseOf(sent), Pre: before, Sent: tt.sent}
				if sealed {
					j.Seal, e.Base, e.Pre = key, record.Base{}, before.Seal(key)
					for p, v := range sent {
						e.Base[p] = record.KeepDigest(key, v)
					}
				}
				gone := e
				e.Seen = &record.Observation{Fields: tt.now}
				if got := j.BecameAnother(record.Right, e); got != tt.want {
					t.Errorf("it is another one: %t, want %t", got, tt.want)
				}
				if got := j.IsAnotherThan(record.Right, gone, e); got != tt.want {
					t.Errorf("it can't be the one that is gone: %t, want %t", got, tt.want)
				}
			})
		}
	}
}

// What may be a booking that is gone, entered anew, is another one once its guest and all its days are others, where its
// system shows no time of creation. One that was moved alone, or given to another guest alone, may be it.
func TestIsAnotherThan(t *testing.T) {
	key := []byte("0123456789abcdef0123456789abcdef")
	text := record.OfText
	gone := record.Fields{"guest_id": text("3"), "from": text("2027-01-20"), "to": text("2027-01-22"), "status": text("confirmed")}
	moved := record.Fields{"from": text("2027-05-01"), "to": text("2027-05-03")}
	given := record.Fields{"guest_id": text("5")}
	for _, tt := range []struct {
		name    string
		now     record.Fields
		witness string
		want    bool
	}{
		{"the same", gone, "", false},
		{"moved", gone.With(moved), "", false},
		{"given to another guest", gone.With(given), "", false},
		{"moved, and given to another guest", gone.With(moved).With(given), "", true},
		{"the same, at a system that shows its time of creation", gone.With(moved).With(given), "born 1800000000", false},
	} {
		for _, sealed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, kept by digests %t", tt.name, sealed), func(t *testing.T) {
				j, was := jobOf(t, true), record.Entry{Base: record.BaseOf(gone)}
				if sealed {
					j.Seal, was.Base = key, record.Base{}
					for p, v := range gone {
						was.Base[p] = record.KeepDigest(key, v)
					}
				}
				if got := j.IsAnotherThan(record.Right, was, record.Entry{Seen: &record.Observation{Fields: tt.now}, Witness: tt.witness}); got != tt.want {
					t.Errorf("it is another one: %t, want %t", got, tt.want)
				}
			})
		}
	}
}

// jobOf is a job of bookings, which are matched by whom they name, or of guests.
func jobOf(t *testing.T, bookings bool) *Job {
	t.Helper()
	one := func(name string, as, path string) mapping.FieldSpec {
		return mapping.FieldSpec{Name: name, As: as, Sides: [2]mapping.SideSpec{{Path: path}, {Path: path}}}
	}
	spec := mapping.Spec{Systems: [2]string{"one", "two"}, Match: [][]string{{"phone"}}, Fields: []mapping.FieldSpec{
		one("phone", mapping.Text, "phone"), one("email", mapping.Text, "email"), one("name", mapping.Text, "name"), one("note", mapping.Text, "note"),
	}}
	j := &Job{Match: spec.Match}
	if bookings {
		parts := mapping.SideSpec{Parts: map[string]string{mapping.PartID: "guest_id"}}
		spec.Match = [][]string{{"guest", "arrival", "departure"}}
		spec.Fields = []mapping.FieldSpec{
			{Name: "guest", As: mapping.Reference, Refer: "guests", Sides: [2]mapping.SideSpec{parts, parts}},
			one("arrival", mapping.Text, "from"), one("departure", mapping.Text, "to"), one("status", mapping.Text, "status"),
		}
		j = &Job{Match: spec.Match, References: []Reference{{Field: "guest", Binding: "guests", Sides: record.Sides}}}
	}
	m, err := mapping.Compile(spec)
	if err != nil {
		t.Fatal(err)
	}
	j.Mapping = m
	return j
}

// The read before a write shows the linked record unless its time of creation is another one, or, where none is known,
// unless all that tells it from others is.
func TestIsLinked(t *testing.T) {
	text := record.OfText
	booking := record.Fields{"guest_id": text("3"), "from": text("2027-01-20"), "to": text("2027-01-22"), "status": text("confirmed")}
	other := record.Fields{"guest_id": text("5"), "from": text("2027-05-01"), "to": text("2027-05-03"), "status": text("confirmed")}
	born := time.Unix(1800000000, 0)
	for _, tt := range []struct {
		name    string
		witness string
		now     record.Fields
		created time.Time
		want    bool
	}{
		{"made at the same time", "born 1800000000", other, born, true},
		{"made at another time", "born 1800000000", booking, born.Add(40 * time.Second), false},
		{"no time is shown", "born 1800000000", other, time.Time{}, true},
		{"only our answer told the time", "born 1800000000 answered 000", booking, born.Add(40 * time.Second), true},
		{"another guest on other days", "", other, time.Time{}, false},
		{"the same guest on other days", "", other.With(record.Fields{"guest_id": text("3")}), time.Time{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := record.Entry{Base: record.BaseOf(booking), Witness: tt.witness}
			if got := jobOf(t, true).IsLinked(record.Right, e, record.Record{Fields: tt.now, Created: tt.created}); got != tt.want {
				t.Errorf("it is the linked one: %t, want %t", got, tt.want)
			}
		})
	}
}
