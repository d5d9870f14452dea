package mapping

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"nightporter/sync/mapping/card"
	"nightporter/sync/record"
)

// world is a mapping with every type and many forms.
func world(t testing.TB, in *time.Location) *Mapping {
	t.Helper()
	it := "it"
	table := []EnumRow{
		{Word: "a", Sides: [2][]string{{"A", "AA"}, {"1"}}},
		{Word: "b", Sides: [2][]string{{"B", "A"}, {"2"}}},
		{Word: "c", Sides: [2][]string{{"C"}, {"2"}}},
	}
	return compile(t, Spec{
		Zone: in, BlankCards: true,
		NotAValue: map[string][]string{"phone": {"+39055123456"}, "email": {"*@guest.booking.com"}, "text": {"n/a"}},
		Fields: []FieldSpec{
			{Name: "given", As: Name, Sides: sides(SideSpec{Path: "full", Split: " "}, SideSpec{Path: "given"})},
			{Name: "family", As: Name, Sides: sides(SideSpec{Path: "full", Split: " "}, SideSpec{Path: "family", Filler: "-"})},
			{Name: "address", Sides: sides(SideSpec{Path: "address", Empty: EmptyText}, SideSpec{Paths: []string{"street", "city"}, Split: ", "})},
			{Name: "phone", As: Phone, Region: []string{"pms.land", "IT"}, Sides: sides(SideSpec{Path: "phone"}, SideSpec{Path: "phone", Format: FormatNational})},
			{Name: "email", As: Email, Sides: both("email")},
			{Name: "day", As: Date, Sides: sides(SideSpec{Path: "day"}, SideSpec{Path: "day", Format: FormatInstant})},
			{Name: "at", As: Instant, Sides: sides(SideSpec{Path: "at", Format: FormatLocal}, SideSpec{Path: "at", Format: FormatEpoch})},
			{Name: "total", As: Money, Sides: sides(SideSpec{Path: "total", Currency: "cur"}, SideSpec{Path: "total", Currency: "cur", Unit: UnitMinor})},
			{Name: "count", As: Number, Sides: both("count")},
			{Name: "vip", As: Bool, Sides: both("vip")},
			{Name: "lang", As: Language, Sides: sides(SideSpec{Path: "lang", Default: &it}, SideSpec{Path: "lang"})},
			{Name: "land", As: Country, Sides: both("land")},
			{Name: "status", As: Enum, Table: table, Sides: both("status")},
			{Name: "tags", As: Set, Sides: sides(SideSpec{Path: "tags"}, SideSpec{Path: "tags", Split: ";"})},
			{Name: "notes", Sides: both("notes")},
		},
	})
}

// drawNative draws what a side may hold: mostly sensible, sometimes anything.
func drawNative(t *rapid.T, m *Mapping, side record.Side) record.Fields {
	likely := map[string][]string{
		"full": {"Anna Rossi", "Anna Maria Rossi", "Madonna", " Anna  De Luca"}, "given": {"Anna", " Anna  Maria"}, "family": {"Rossi", "-", "De Luca"},
		"address": {"Via Roma 1, Firenze", ", Firenze", "x,y,z"}, "street": {"Via Roma 1", "a, b"}, "city": {"Firenze"},
		"phone": {"333 1234567", "+49 30 123456", "055 123456", "030 123456", "111111", "0044 121 234 5678"},
		"email": {"Anna@Example.com", "x@guest.booking.com"}, "land": {"IT", "de", "Francia", "Atlantis"}, "lang": {"it", "en-GB", "xx"},
		"day": {"2026-03-28", "2026-03-27T23:00:00Z", "2011-12-30", "2026-03-28T00:00:00+01:00"}, "at": {"2026-10-25 02:30:00", "1774706400", "2026-03-28T15:00:00"},
		"total": {"12.5", "1250", "-3", "1.005"}, "cur": {"EUR", "JPY", "KWD", "eur", ""}, "count": {"1.50", "7"}, "vip": {"true", "0"},
		"status": {"a", "AA", "2", "C"}, "tags": {"b;a;b", "a; ;c"}, "notes": {"n/a", "4111 1111 1111 1111", "a\r\nb"},
	}
	out := record.Fields{}
	for _, p := range m.Paths(side) {
		switch rapid.IntRange(0, 9).Draw(t, p+"?") {
		case 0:
		case 1:
			out[p] = record.Nothing()
		case 2:
			out[p] = text(rapid.String().Draw(t, p))
		case 3:
			out[p] = record.OfList(text(rapid.SampledFrom(likely[p]).Draw(t, p)), text("b"))
		case 4:
			if v, err := record.OfNumber(rapid.SampledFrom(likely[p]).Draw(t, p)); err == nil {
				out[p] = v
			}
		default:
			out[p] = text(rapid.SampledFrom(likely[p]).Draw(t, p))
		}
	}
	return out
}

// What was read, written back and read again is what was read; and a value that a
// side gives back once is given back for ever.
func TestReadWriteRead(t *testing.T) {
	m := world(t, zone(t, "Europe/Rome"))
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.SampledFrom([]record.Side{left, right}).Draw(t, "side")
		native := drawNative(t, m, side)
		canonical, problems := m.Read(side, native)
		for name, v := range canonical {
			back := m.Normal(side, name, v, native)
			if !back.Equal(v) {
				t.Fatalf("%s of %s: %q comes back as %q, from %q", name, side, v.Text(), back.Text(), native)
			}
		}
		again, problems2 := m.Read(side, native)
		if !again.Equal(canonical) || !slices.Equal(problems, problems2) {
			t.Fatal("read twice, it is not the same")
		}
		for _, p := range problems {
			if canonical[p.Field].Observed() && p.Code != HasExtension {
				t.Fatalf("%s can't be read and is there", p.Field)
			}
		}
	})
}

// Normal is idempotent, whatever value it is given. Only a piece of a text of
// words is not: without the other pieces there is no telling where it was.
func TestNormalTwice(t *testing.T) {
	m := world(t, zone(t, "America/Havana"))
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.SampledFrom([]record.Side{left, right}).Draw(t, "from")
		to := from.Other()
		native := drawNative(t, m, to)
		canonical, _ := m.Read(from, drawNative(t, m, from))
		delete(canonical, "given")
		delete(canonical, "family")
		for name, v := range canonical {
			once := m.Normal(to, name, v, native)
			if twice := m.Normal(to, name, once, native); !twice.Equal(once) {
				t.Fatalf("%s to %s: %v becomes %v, then %v", name, to, v, once, twice)
			}
		}
	})
}

// The order of the fields changes nothing but the order of problems, and writing
// them one at a time gives what writing them together does.
func TestOrderIndependence(t *testing.T) {
	m := world(t, zone(t, "Europe/Rome"))
	rapid.Check(t, func(t *rapid.T) {
		spec := m.spec
		spec.Fields = slices.Clone(spec.Fields)
		// Pieces are numbered by their order: number them before it changes.
		spec.Fields[0].Sides[left].Piece, spec.Fields[1].Sides[left].Piece = 1, 2
		spec.Fields = rapid.Permutation(spec.Fields).Draw(t, "fields")
		other, err := Compile(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, side := range record.Sides {
			native := drawNative(t, m, side)
			a, _ := m.Read(side, native)
			b, _ := other.Read(side, native)
			if !a.Equal(b) {
				t.Fatalf("%s: read %v, in another order %v", side, a, b)
			}
			delete(a, "given") // pieces of one text are put in place at once
			together, _ := m.Write(side, a, native)
			single := native
			for name, v := range a {
				w, _ := other.Write(side, record.Fields{name: v}, single)
				single = single.With(w)
			}
			if !native.With(together).Equal(single) {
				t.Fatalf("%s: written together %v, one by one %v", side, native.With(together), single)
			}
		}
	})
}

// A day is the same day on both sides of every zone, and comes back.
func TestF40_DaysInEveryZone(t *testing.T) {
	zones := []string{
		"UTC", "Europe/Rome", "Europe/Dublin", "America/Sao_Paulo", "America/Havana", "America/St_Johns", "Asia/Beirut", "Asia/Gaza",
		"Pacific/Apia", "Pacific/Kwajalein", "Pacific/Kiritimati", "Pacific/Chatham", "Australia/Lord_Howe", "Africa/Cairo", "Antarctica/Troll",
		"America/Godthab", "Asia/Tehran", "Asia/Kathmandu",
	}
	for _, name := range zones {
		m := world(t, zone(t, name))
		for day := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2040; day = day.AddDate(0, 0, 1) {
			v := text(day.Format(time.DateOnly))
			if back := m.Normal(left, "day", v, nil); !back.Equal(v) {
				t.Fatalf("%s: %v comes back as %v", name, v, back)
			}
			back := m.Normal(right, "day", v, nil)
			if !back.Equal(v) && (back.Observed() || everShown(v.Text(), zone(t, name))) {
				t.Fatalf("%s: %v as an instant comes back as %v", name, v, back)
			}
		}
	}
}

// everShown reports whether the clocks of a zone ever showed a day.
func everShown(day string, in *time.Location) bool {
	at, err := time.Parse(time.DateOnly, day)
	for h := -40; h < 40 && err == nil; h++ {
		if at.Add(time.Duration(h)*time.Hour).In(in).Format(time.DateOnly) == day {
			return true
		}
	}
	return false
}

// Amounts survive both units, in every number of digits.
func TestMoneyRoundTrip(t *testing.T) {
	m := world(t, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.SampledFrom([]string{"JPY", "EUR", "KWD", "CLF"}).Draw(t, "currency")
		digits, _ := minorDigits(code)
		minor := rapid.Int64().Draw(t, "minor")
		native := record.Fields{"total": record.OfInt(minor), "cur": text(code)}
		read, problems := m.Read(right, native)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, side := range record.Sides {
			if back := m.Normal(side, "total", read["total"], nil); !back.Equal(read["total"]) {
				t.Fatalf("%v comes back from %s as %v", read["total"], side, back)
			}
		}
		amount, err := record.OfNumber(read["total"].Map()["amount"].Text())
		if err != nil {
			t.Fatal(err)
		}
		want, err := record.OfNumber(fmt.Sprintf("%de-%d", minor, digits))
		if err != nil || !amount.Equal(want) {
			t.Fatalf("%d of %s is %v, want %v", minor, code, amount, want)
		}
	})
}

// Same is reflexive, and never says so of two values neither of which the other
// side would give back.
func TestSameIsNormal(t *testing.T) {
	m := world(t, zone(t, "Europe/Rome"))
	rapid.Check(t, func(t *rapid.T) {
		l, _ := m.Read(left, drawNative(t, m, left))
		r, _ := m.Read(right, drawNative(t, m, right))
		for _, f := range m.Fields() {
			a, b := l[f.Name], r[f.Name]
			if !m.Same(f.Name, a, a) || !m.Same(f.Name, b, b) {
				t.Fatalf("%s is not the same as itself", f.Name)
			}
			want := a.Equal(b) || b.Observed() && m.Normal(right, f.Name, a, nil).Equal(b) ||
				a.Observed() && m.Normal(left, f.Name, b, nil).Equal(a)
			if m.Same(f.Name, a, b) != want {
				t.Fatalf("%s: %v and %v", f.Name, a, b)
			}
		}
	})
}

// What is kept of a record means what the record means, and is kept as it is.
func TestBlankReadsTheSame(t *testing.T) {
	m := world(t, zone(t, "Europe/Rome"))
	passing := []string{
		"4111 1111 1111 1111", "Anna 4111111111111111 Rossi", "+4915123456704", "4915123456704", "1774706400008",
		"2026-03-28T15:00:00", "4111.1111.1111.1111", "a4222222222222b;4222222222222",
	}
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.SampledFrom([]record.Side{left, right}).Draw(t, "side")
		native := drawNative(t, m, side)
		for _, p := range rapid.SliceOf(rapid.SampledFrom(m.Paths(side))).Draw(t, "with digits") {
			s := rapid.SampledFrom(passing).Draw(t, p)
			native[p] = text(s)
			if v, err := record.OfNumber(s); err == nil && rapid.Bool().Draw(t, p+" as a number") {
				native[p] = v
			}
		}
		kept := m.Blank(side, native)
		if !m.Blank(side, kept).Equal(kept) {
			t.Fatalf("blanked twice, it is not the same: %v", kept)
		}
		was, problems := m.Read(side, native)
		is, problems2 := m.Read(side, kept)
		if cardOf := native["street"].Text() + native["city"].Text(); digitsIn(cardOf) >= 13 {
			delete(was, "address") // over two paths more is blanked than the card
			delete(is, "address")
		}
		if !is.Equal(was) || len(problems) != len(problems2) {
			t.Fatalf("%v reads as %v, and as it is kept (%v) as %v", native, was, kept, is)
		}
	})
}

func digitsIn(s string) int {
	n := 0
	for _, r := range s {
		if card.BlankDigits(string(r)) == card.Mark {
			n++
		}
	}
	return n
}
