package discover_test

import (
	"fmt"
	"strings"
	"testing"

	"nightporter/internal/discover"
	"nightporter/sync/record"
)

// apart is a platform of which the first contacts and bookings were read, from the one named on,
// and a PMS with others.
func apart(from int, whole bool) discover.Input {
	contacts, bookings := &table{kind: "contacts"}, &table{kind: "reservations"}
	_, pms := house(60)
	for i := from; i < from+30; i++ {
		contacts.add(fmt.Sprint("c", i), map[string]any{"first_name": given(i), "phone_number": phone(i)})
		bookings.add(fmt.Sprint("r", i), map[string]any{"client_phone_number": phone(i), "starting_date": day(i), "ending_date": day(i + 2)})
	}
	platform := discover.System{Name: "platform", Kinds: []discover.Sample{contacts.sample(), bookings.sample()}}
	platform.Kinds[0].Finds, platform.Kinds[1].Finds = [][]string{{"first_name"}, {"phone_number"}}, [][]string{{"client_phone_number", "starting_date"}}
	for i := range platform.Kinds {
		platform.Kinds[i].Whole = whole
	}
	return discover.Input{Systems: [2]discover.System{platform, pms}, Zone: nil}
}

// A system is asked for some of the other side's records, spelt as its own are, where few of
// its first ones stand there; and for nothing that can't be told.
func TestWeakDiscoverQuestions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		in     discover.Input
		change func(in *discover.Input)
		of     int
		want   map[string]int
	}{
		{"nobody of the first is known across", apart(500, false), nil, 0, map[string]int{"contacts": 20, "reservations": 20}},
		{"all were read", apart(500, true), nil, 0, nil},
		{"enough of the first are known across", apart(20, false), nil, 0, nil},
		{"four are", apart(56, false), nil, 0, map[string]int{"contacts": 20, "reservations": 20}},
		{"five are", apart(55, false), nil, 0, nil},
		{"a side that can't be asked", apart(500, false), nil, 1, nil},
		{"two kinds that may be the other side's guests", apart(500, false), func(in *discover.Input) {
			more := in.Systems[1].Kinds[0]
			more.Kind = "ospiti"
			in.Systems[1].Kinds = append(in.Systems[1].Kinds, more)
		}, 0, nil},
		{"a filter by what nobody knows", apart(500, false), func(in *discover.Input) {
			in.Systems[0].Kinds[0].Finds = [][]string{{"first_name"}}
			in.Systems[0].Kinds[1].Finds = [][]string{{"client_phone_number", "room"}}
		}, 0, nil},
		{"a phone that holds something else", apart(500, false), func(in *discover.Input) {
			for i, r := range in.Systems[0].Kinds[0].Rows {
				r.Fields["phone_number"] = record.OfText(fmt.Sprint("room ", i))
			}
		}, 0, map[string]int{"reservations": 20}},
		{"an agency's phone beside the guests'", apart(500, false), func(in *discover.Input) {
			for _, r := range in.Systems[1].Kinds[0].Rows {
				r.Fields["agenzia_tel"] = record.OfText(phone(90000))
			}
		}, 0, map[string]int{"contacts": 20, "reservations": 20}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.change != nil {
				tt.change(&tt.in)
			}
			got := map[string]int{}
			for _, q := range discover.Questions(tt.in, tt.of) {
				got[q.Kind]++
				if q.Kind == "reservations" && (len(q.By) != 2 || !strings.HasPrefix(q.By["starting_date"].Text(), "2026-")) {
					t.Errorf("asked by %v", q.By)
				}
				text := q.By["phone_number"].Text() + q.By["client_phone_number"].Text()
				if !ofHouse(text) {
					t.Errorf("asked for %q, which no guest of the PMS has", text)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got %v questions, want %v", got, tt.want)
			}
		})
	}
}

// ofHouse reports whether a phone is one of the PMS's guests, as the platform spells it.
func ofHouse(text string) bool {
	for i := 6; i < 60; i++ {
		if phone(i) == text {
			return true
		}
	}
	return false
}

// A question is spelt as most of the asked side's own values are.
func TestWeakDiscoverQuestionsAreSpelt(t *testing.T) {
	for _, spell := range []func(string) string{
		func(p string) string { return p },
		func(p string) string { return p[1:] },
		func(p string) string { return "00" + p[1:] },
		func(p string) string { return strings.TrimPrefix(p, "+39") },
	} {
		in := apart(500, false)
		for i, r := range in.Systems[0].Kinds[0].Rows {
			r.Fields["phone_number"] = record.OfText(spell(phone(500 + i)))
		}
		for _, r := range in.Systems[1].Kinds[0].Rows { // they say which country numbers are of
			r.Fields["telefono"] = record.OfText("+39" + r.Fields["telefono"].Text())
		}
		n := 0
		for _, q := range discover.Questions(in, 0) {
			if q.Kind != "contacts" {
				continue
			}
			n++
			found := false
			for i := 6; i < 60; i++ {
				found = found || spell(phone(i)) == q.By["phone_number"].Text()
			}
			if !found {
				t.Errorf("asked for %q where they are spelt %q", q.By["phone_number"].Text(), spell(phone(1)))
			}
		}
		if n != discover.MostAsked {
			t.Errorf("%d questions where phones are spelt %q", n, spell(phone(1)))
		}
	}
}
