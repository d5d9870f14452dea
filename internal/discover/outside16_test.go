package discover_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nightporter/internal/discover"
)

// byID is a house whose platform names the guest of a booking by an id alone. Of the
// contacts the first are read, of the bookings those from the one named on.
func byID(contacts, from int) (platform, pms discover.System) {
	const n = 40
	people, bookings := &table{kind: "people"}, &table{kind: "visits"}
	platform, pms = house(n)
	for i := range n {
		if i < contacts {
			people.add(fmt.Sprint("c", i), map[string]any{"first_name": given(i), "last_name": family(i), "phone_number": phone(i)})
		}
		if i >= from {
			bookings.add(fmt.Sprint("r", i), map[string]any{"client_id": fmt.Sprint("c", i), "starting_date": day(i), "ending_date": day(i + 2 + i%4)})
		}
	}
	platform.Kinds = []discover.Sample{people.sample(), bookings.sample()}
	platform.Kinds[0].Whole = contacts >= n
	return platform, pms
}

// The bookings of a system that has more contacts than are read are found by those that are.
func TestOutside16ContactsBeyondThePages(t *testing.T) {
	for _, contacts := range []int{40, 20} {
		platform, pms := byID(contacts, 0)
		p := propose(t, platform, pms)
		got := strings.Join(told(p, "stay"), "\n")
		for _, want := range []string{"guest = client_id / cliente_id", "arrival = starting_date / arrivo", "departure = ending_date / partenza"} {
			if !strings.Contains(got, want) {
				t.Errorf("%d contacts read: no %q in\n%s\nnot known: %q", contacts, want, got, p.Unknown)
			}
		}
	}
}

// Where none of those that were read has a booking, it is said that not all were read.
func TestOutside16NotAllWereRead(t *testing.T) {
	platform, pms := byID(12, 20)
	p := propose(t, platform, pms)
	if !unsaid(p, "visits", "of people of platform only the first 12 were read") {
		t.Errorf("not known: %q", p.Unknown)
	}
	platform, pms = byID(40, 50)
	if p := propose(t, platform, pms); unsaid(p, "only the first") {
		t.Errorf("all were read, and it says %q", p.Unknown)
	}
}

// A booking has the id of its guest, and that of the head of its group: the guest is who
// the booking is of.
func TestOutside16GroupsKeyIsNotTheGuests(t *testing.T) {
	for name, tt := range map[string]struct {
		head  func(i int) any // the guest who heads the group of a booking
		guest func(i int) any
	}{
		"groups of one":             {func(i int) any { return i }, func(i int) any { return i }},
		"groups of three":           {func(i int) any { return i / 3 * 3 }, func(i int) any { return i }},
		"a guest that is not known": {func(i int) any { return i }, func(i int) any { return some(i%8 != 0, i) }},
	} {
		for _, group := range []string{"capogruppo_id", "agenzia_id", "zgruppo_id"} {
			t.Run(name+" "+group, func(t *testing.T) {
				platform, pms := house(40)
				regroup(&pms, group, tt.head, tt.guest)
				got := told(propose(t, platform, pms), "stay")
				if !slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, "guest = ") && strings.HasSuffix(f, "/ cliente_id") }) {
					t.Errorf("the guest is not cliente_id:\n%s", strings.Join(got, "\n"))
				}
			})
		}
	}
}

// By names alone, too, the head of a group is not the guest; of two that may be neither is
// taken.
func TestOutside16GroupsKeyByNamesAlone(t *testing.T) {
	same := func(i int) any { return i }
	for _, guest := range []string{"cliente_id", "referente_id"} {
		platform, pms := house(40)
		regroup(&pms, "zgruppo_id", same, same)
		for i := range platform.Kinds {
			platform.Kinds[i].Rows = nil
			platform.Kinds[i].Columns = cols("client_phone_number", "starting_date", "ending_date")
			if platform.Kinds[i].Kind == "contacts" {
				platform.Kinds[i].Columns = cols("first_name", "phone_number")
			}
		}
		rename(&pms, "cliente_id", guest)
		p := propose(t, platform, pms)
		got := strings.Join(told(p, "stay"), "\n")
		if strings.Contains(got, "zgruppo_id") || strings.Contains(got, "/ cliente_id") != (guest == "cliente_id") {
			t.Errorf("%s: the guest is\n%s", guest, got)
		}
	}
}

func some(is bool, v any) any {
	if is {
		return v
	}
	return nil
}

// regroup gives each booking the id of the head of its group beside that of its guest.
func regroup(pms *discover.System, group string, head, guest func(i int) any) {
	t := &table{kind: "prenotazioni"}
	for i, k := range pms.Kinds {
		if k.Kind != t.kind {
			continue
		}
		t.cols = append(slices.Clone(k.Columns), discover.Column{Path: group, Refers: "clienti"})
		for n := range k.Rows {
			id := n + 4 // the first of its bookings is of guest 4
			t.add(k.Rows[n].ID, map[string]any{group: head(id), "cliente_id": guest(id)})
		}
		next := t.sample()
		for n := range k.Rows {
			k.Rows[n].Fields = k.Rows[n].Fields.With(next.Rows[n].Fields)
		}
		k.Columns = t.cols
		pms.Kinds[i] = k
	}
}

// rename gives a column of all kinds another name.
func rename(s *discover.System, from, to string) {
	for i, k := range s.Kinds {
		for n := range k.Columns {
			if k.Columns[n].Path == from {
				s.Kinds[i].Columns[n].Path = to
			}
		}
		for _, r := range k.Rows {
			if v, ok := r.Fields[from]; ok {
				r.Fields[to] = v
				delete(r.Fields, from)
			}
		}
	}
}
