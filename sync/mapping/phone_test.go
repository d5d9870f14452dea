package mapping

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nyaruka/phonenumbers"

	"nightporter/sync/record"
)

func TestReadPhone(t *testing.T) {
	m := guests(t)
	for _, tt := range []struct {
		in, country string
		want        string
		code        Code
		key         bool
	}{
		// International: as it is.
		{"+39 333 1234567", "", "+393331234567", "", true},
		{"0039 333 1234567", "DE", "+393331234567", "", true},
		{"+49 (0)30 123456", "", "+4930123456", "", true},
		{"tel:+39-333-123-4567", "", "+393331234567", "", true},
		{"+39 12", "", "", BadPhone, false},
		{"+999 123456789", "", "", BadPhone, false},
		// The Italian trunk zero belongs to the number.
		{"055 9876543", "", "+390559876543", "", true},
		{"+39 055 9876543", "", "+390559876543", "", true},
		// The record's country first.
		{"030 123456", "DE", "+4930123456", "", true},
		{"030 123456", "Germania", "+4930123456", "", true},
		{"030 123456", "DEU", "+4930123456", "", true},
		{"055 9876543", "IT", "+390559876543", "", true},
		{"055 9876543", "Italy", "+390559876543", "", true},
		// Not of that country, or of a country nobody knows: good to show, no key.
		{"333 1234567", "FR", "+393331234567", "", false},
		{"333 1234567", "Atlantis", "+393331234567", "", false},
		{"333 1234567", "XX", "+393331234567", "", false},
		{"333 1234567", "IT", "+393331234567", "", true},
		{"333 1234567", " ", "+393331234567", "", true},
		// An extension is left out.
		{"055 9876543 int. 12", "", "+390559876543", HasExtension, false},
		{"+39 055 9876543 ext 12", "", "+390559876543", HasExtension, false},
		{"055 9876543 interno 12", "", "+390559876543", HasExtension, false},
		{"055 9876543 x12", "", "+390559876543", HasExtension, false},
		{"055 9876543#12", "", "+390559876543", HasExtension, false},
		// Remarks and several numbers are no number.
		{"055 9876543/7", "", "", BadPhone, false},
		{"055 9876543 casa", "", "", BadPhone, false},
		{"0800 FLOWERS", "", "", BadPhone, false},
		{"055 9876543 / 333 1234567", "", "", BadPhone, false},
		{"nessuno", "", "", BadPhone, false},
		{"055/9876543", "", "+390559876543", "", true},
		{strings.Repeat("1", 70), "IT", "", "", false},
		{strings.Repeat("12", 40), "IT", "", BadPhone, false},
	} {
		native := record.Fields{"phone": text(tt.in), "country": text(tt.country)}
		got, problems := m.Read(right, native)
		if got["phone"].Text() != tt.want {
			t.Errorf("%q of %q: got %v, want %q", tt.in, tt.country, got["phone"], tt.want)
		}
		if c := slices.Concat(codes(problems), []Code{""})[0]; c != tt.code {
			t.Errorf("%q of %q: problems %v, want %q", tt.in, tt.country, problems, tt.code)
		}
		var want []record.Key
		if tt.key {
			want = []record.Key{{Name: "phone", Text: tt.want}}
		}
		if diff := cmp.Diff(want, m.Keys(right, native, got)); diff != "" {
			t.Errorf("%q of %q: keys: %s", tt.in, tt.country, diff)
		}
	}
}

// Numbers as the guests of ten countries dial them at home. All of them pass as
// Italian ones.
func TestForeignNationalNumbers(t *testing.T) {
	m := guests(t)
	abroad := map[string]string{
		"DE": "030 123456", "AT": "0664 123456", "CH": "078 123 45 67", "FR": "06 12 34 56 78", "GB": "0121 234 5678",
		"NL": "06 12345678", "BE": "012 34 56 78", "SE": "070-123 45 67", "JP": "090-1234-5678", "IN": "081234 56789",
	}
	passes := func(dialled, country string) bool {
		p, err := phonenumbers.Parse(dialled, country)
		return err == nil && phonenumbers.IsValidNumber(p)
	}
	for country, dialled := range abroad {
		if !passes(dialled, "IT") {
			t.Fatalf("%s: %s does not pass as Italian: it proves nothing", country, dialled)
		}
		native := record.Fields{"phone": text(dialled), "country": text(country)}
		got, problems := m.Read(right, native)
		p, err := phonenumbers.Parse(dialled, country)
		if err != nil {
			t.Fatal(err)
		}
		want := phonenumbers.Format(p, phonenumbers.E164)
		if got["phone"].Text() != want || len(problems) > 0 {
			t.Errorf("%s: read as %v, want %s", country, got["phone"], want)
		}
		for _, k := range m.Keys(right, native, got) {
			if strings.HasPrefix(k.Text, "+39") {
				t.Errorf("%s: an Italian key %v for a guest from abroad", country, k)
			}
		}
		// The same digits for a guest from a country where they are no number.
		native["country"] = text("US")
		if passes(dialled, "US") {
			continue
		}
		got, _ = m.Read(right, native)
		if keys := m.Keys(right, native, got); len(keys) > 0 || !got["phone"].Observed() {
			t.Errorf("%s digits of an American: %v, keys %v", country, got["phone"], keys)
		}
	}
}

func TestPhoneRegions(t *testing.T) {
	table := []EnumRow{{Word: "DE", Sides: [2][]string{nil, {"4"}}}}
	m := compile(t, Spec{
		Fields: []FieldSpec{
			{Name: "phone", As: Phone, Region: []string{"pms.nation", "pms.home"}, Sides: both("phone")},
			{Name: "country", As: Country, Table: table, Sides: sides(SideSpec{None: true}, SideSpec{Path: "nation"})},
		},
		Match: [][]string{{"phone"}},
	})
	for _, tt := range []struct {
		native record.Fields
		want   string
		code   Code
	}{
		{record.Fields{"nation": num(t, "4")}, "+4930123456", ""},
		{record.Fields{"nation": record.Nothing(), "home": text("Deutschland")}, "+4930123456", ""},
		{record.Fields{"nation": text("DE"), "home": text("FR")}, "+4930123456", ""},
		{record.Fields{}, "", NoRegion},
		{record.Fields{"nation": text("Atlantis")}, "", NoRegion},
		{record.Fields{"nation": text("US")}, "", BadPhone},
	} {
		tt.native["phone"] = text("030 123456")
		got, problems := m.Read(right, tt.native)
		problems = slices.DeleteFunc(problems, func(p Problem) bool { return p.Field == "country" })
		if got["phone"].Text() != tt.want || slices.Concat(codes(problems), []Code{""})[0] != tt.code {
			t.Errorf("%v: got %v %v", tt.native, got["phone"], problems)
		}
	}
}

func TestKeysNeedTheirNative(t *testing.T) {
	m := guests(t)
	canonical := record.Fields{"phone": text("+393331234567"), "email": text("A.B@example.com"), "given_name": text("Ann|a"), "family_name": text("Rossi")}
	want := []record.Key{{Name: "email", Text: "a.b@example.com"}, {Name: "given_name+family_name", Text: `ann\|a|rossi`}}
	if diff := cmp.Diff(want, m.Keys(right, nil, canonical)); diff != "" {
		t.Error(diff)
	}
	delete(canonical, "family_name")
	canonical["email"] = record.Nothing()
	if keys := m.Keys(right, record.Fields{"phone": text("+39 333 1234567")}, canonical); len(keys) != 1 || keys[0].Name != "phone" {
		t.Errorf("got %v", keys)
	}
}

func TestWritePhone(t *testing.T) {
	for _, tt := range []struct{ format, in, want string }{
		{"", "+390559876543", "+390559876543"},
		{FormatDigits, "+390559876543", "390559876543"},
		{FormatZeros, "+390559876543", "00390559876543"},
		{FormatInternational, "+390559876543", "+39 055 987 6543"},
		{FormatNational, "+390559876543", "055 987 6543"},
		{FormatNational, "+4930123456", "+49 30 123456"},
	} {
		m := one(t, FieldSpec{As: Phone, Region: []string{"IT"}}, SideSpec{Path: "x", Format: tt.format})
		w, problems := m.Write(right, record.Fields{"x": text(tt.in)}, nil)
		if w["x"].Text() != tt.want || len(problems) > 0 {
			t.Errorf("%s %s: got %v %v, want %s", tt.format, tt.in, w["x"], problems, tt.want)
		}
		if got := m.Normal(right, "x", text(tt.in), nil); got.Text() != tt.in {
			t.Errorf("%s %s: comes back as %v", tt.format, tt.in, got)
		}
	}
	m := one(t, FieldSpec{As: Phone, Region: []string{"IT"}}, SideSpec{Path: "x", Format: FormatDigits})
	w, _ := m.Write(right, record.Fields{"x": text("+390559876543")}, record.Fields{"x": num(t, "393331234567")})
	if !w["x"].Equal(num(t, "390559876543")) {
		t.Errorf("a number column gets %v", w["x"])
	}
}

func FuzzPhone(f *testing.F) {
	for _, s := range []string{"+39 333 1234567", "055 9876543 int. 12", "0039 (0)55", "#", "+", "tel:", "055/12/3", "٣٣٣١٢٣٤٥٦٧", "+39x1", "00"} {
		f.Add(s, "DE")
	}
	m := guests(f)
	f.Fuzz(func(t *testing.T, s, country string) {
		native := record.Fields{"phone": text(s), "country": text(country)}
		got, _ := m.Read(right, native)
		v := got["phone"]
		if !v.Observed() || v.Empty() {
			return
		}
		if e := v.Text(); len(e) < 5 || e[0] != '+' || strings.Trim(e[1:], "0123456789") != "" {
			t.Fatalf("%q read as %q", s, e)
		}
		w, problems := m.Write(right, record.Fields{"phone": v}, native)
		if len(problems) > 0 {
			t.Fatalf("%q: %v", s, problems)
		}
		again, _ := m.Read(right, native.With(w))
		if !again["phone"].Equal(v) {
			t.Fatalf("%q read as %v, written and read as %v", s, v, again["phone"])
		}
	})
}
