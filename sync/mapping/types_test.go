package mapping

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/record"
)

func TestWords(t *testing.T) {
	status := []EnumRow{
		{Word: "pending", Sides: [2][]string{{"PENDING"}, {"option"}}},
		{Word: "confirmed", Sides: [2][]string{{"CONFIRMED", "APPROVED"}, {"2"}}},
		{Word: "cancelled", Sides: [2][]string{{"CANCELLED"}, {"cancelled"}}},
		{Word: "rejected", Sides: [2][]string{{"REJECTED"}, {"cancelled"}}},
		{Word: "checked_in", Sides: [2][]string{{"CONFIRMED"}, nil}},
	}
	vip := []EnumRow{{Word: "true", Sides: [2][]string{{"Sì", "S"}, nil}}, {Word: "false", Sides: [2][]string{{"No"}, nil}}}
	tongues := []EnumRow{{Word: "it", Sides: [2][]string{{"Italiano"}, nil}}}
	m := compile(t, Spec{Fields: []FieldSpec{
		{Name: "status", As: Enum, Table: status, Sides: both("status")},
		{Name: "vip", As: Bool, Table: vip, Sides: both("vip")},
		{Name: "lang", As: Language, Table: tongues, Sides: sides(SideSpec{Path: "lang"}, SideSpec{Path: "lang", Format: FormatAlpha3})},
		{Name: "land", As: Country, Sides: sides(SideSpec{Path: "land"}, SideSpec{Path: "land", Format: FormatAlpha3})},
	}})
	for _, tt := range []struct {
		side  record.Side
		field string
		in    record.Value
		want  record.Value
		wrote record.Value // the canonical value written back; Absent: as read
	}{
		{left, "status", text("approved "), text("confirmed"), text("CONFIRMED")},
		{left, "status", text("Confirmed"), text("confirmed"), text("CONFIRMED")},
		{right, "status", num(t, "2"), text("confirmed"), num(t, "2")},
		{right, "status", text("2"), text("confirmed"), text("2")},
		{right, "status", text("CANCELLED"), text("cancelled"), text("cancelled")},
		{right, "status", text("lost"), record.Value{}, record.Value{}},
		{right, "status", text("pending"), record.Value{}, record.Value{}}, // our word is not this system's
		{right, "status", record.OfList(text("option")), record.Value{}, record.Value{}},
		{left, "vip", text("si\u0300"), record.OfBool(true), text("Sì")},
		{left, "vip", text("NO"), record.OfBool(false), text("No")},
		{left, "vip", record.OfBool(true), record.OfBool(true), text("Sì")},
		{left, "vip", text("maybe"), record.Value{}, record.Value{}},
		{right, "vip", num(t, "1"), record.OfBool(true), num(t, "1")},
		{right, "vip", text("0"), record.OfBool(false), text("0")},
		{right, "vip", text("False"), record.OfBool(false), text("false")},
		{right, "vip", record.OfBool(false), record.OfBool(false), record.OfBool(false)},
		{left, "lang", text("Italiano"), text("it"), text("Italiano")},
		{left, "lang", text("en_GB"), text("en"), text("en")},
		{right, "lang", text("DEU"), text("de"), text("deu")},
		{right, "lang", text("und-IT"), record.Value{}, record.Value{}},
		{right, "lang", text("Klingonese"), record.Value{}, record.Value{}},
		{left, "land", text("ita"), text("IT"), text("IT")},
		{left, "land", text("UK"), text("GB"), text("GB")},
		{right, "land", text("Svizzera"), text("CH"), text("CHE")},
		{right, "land", text("XX"), record.Value{}, record.Value{}},
		{right, "land", text("Atlantis"), record.Value{}, record.Value{}},
	} {
		native := record.Fields{tt.field: tt.in}
		got, problems := m.Read(tt.side, native)
		if !got[tt.field].Equal(tt.want) || (len(problems) == 0) != tt.want.Observed() {
			t.Errorf("%s %s %v: got %v %v, want %v", tt.side, tt.field, tt.in, got[tt.field], problems, tt.want)
		}
		if w, problems := m.Write(tt.side, got, native); !w[tt.field].Equal(tt.wrote) || len(problems) > 0 {
			t.Errorf("%s %s %v: wrote %v %v, want %v", tt.side, tt.field, got[tt.field], w[tt.field], problems, tt.wrote)
		}
	}
	_, problems := m.Write(right, record.Fields{"status": text("checked_in")}, nil)
	if !slices.Equal(codes(problems), []Code{UnknownWord}) {
		t.Errorf("a word without one on this side: %v", problems)
	}
}

func TestCountryNamesAreUnique(t *testing.T) {
	names := map[string]string{}
	eachCountryName(func(name, code string) {
		if other := names[name]; other != "" && other != code {
			t.Errorf("%s is %s and %s", name, other, code)
		}
		names[name] = code
	})
	if len(names) < 500 {
		t.Errorf("only %d names", len(names))
	}
}

func TestMoney(t *testing.T) {
	m := compile(t, Spec{Fields: []FieldSpec{
		{Name: "total", As: Money, Sides: sides(SideSpec{Path: "total", Currency: "cur"}, SideSpec{Path: "cents", Unit: UnitMinor, Currency: "cur"})},
		{Name: "paid", As: Money, Sides: sides(SideSpec{Path: "paid", Currency: "cur"}, SideSpec{Path: "paid", Currency: "EUR", Format: FormatNumber})},
	}})
	for _, tt := range []struct {
		side     record.Side
		amount   record.Value
		currency string
		want     string // amount and currency
		wrote    record.Value
		code     Code
	}{
		{left, text("12.5"), "EUR", "12.50 EUR", text("12.50"), ""},
		{left, num(t, "12.50"), "eur", "12.50 EUR", num(t, "12.5"), ""},
		{left, text("12.5000"), "EUR", "12.50 EUR", text("12.50"), ""},
		{left, text("12.505"), "EUR", "", record.Value{}, BadMoney},
		{left, text("1200"), "JPY", "1200 JPY", text("1200"), ""},
		{left, text("12.5"), "JPY", "", record.Value{}, BadMoney},
		{left, text("-0.005"), "KWD", "-0.005 KWD", text("-0.005"), ""},
		{left, text("12,50"), "EUR", "", record.Value{}, BadMoney},
		{left, text("12.50"), "XYZ", "", record.Value{}, BadMoney},
		{left, text("12.50"), "", "", record.Value{}, BadMoney},
		{left, record.OfBool(true), "EUR", "", record.Value{}, BadMoney},
		{right, num(t, "1250"), "EUR", "12.50 EUR", num(t, "1250"), ""},
		{right, num(t, "5"), "EUR", "0.05 EUR", num(t, "5"), ""},
		{right, num(t, "-5"), "KWD", "-0.005 KWD", num(t, "-5"), ""},
		{right, num(t, "1200"), "JPY", "1200 JPY", num(t, "1200"), ""},
		{right, num(t, "0"), "HUF", "0.00 HUF", num(t, "0"), ""},
		{right, num(t, "12.5"), "EUR", "", record.Value{}, BadMoney},
	} {
		path := map[record.Side]string{left: "total", right: "cents"}[tt.side]
		native := record.Fields{path: tt.amount, "cur": text(tt.currency)}
		got, problems := m.Read(tt.side, native)
		shown := ""
		if v := got["total"].Map(); v != nil {
			shown = v["amount"].Text() + " " + v["currency"].Text()
		}
		if shown != tt.want || slices.Concat(codes(problems), []Code{""})[0] != tt.code {
			t.Errorf("%s %v %s: got %q %v, want %q", tt.side, tt.amount, tt.currency, shown, problems, tt.want)
		}
		delete(got, "paid")
		if w, problems := m.Write(tt.side, got, native); !w[path].Equal(tt.wrote) || len(problems) > 0 {
			t.Errorf("%s %s: wrote %v %v, want %v", tt.side, shown, w[path], problems, tt.wrote)
		}
	}
	if got, _ := m.Read(left, record.Fields{"total": text("1")}); got["total"].Observed() {
		t.Error("an amount whose currency was not shown was read")
	}
	w, problems := m.Write(right, record.Fields{"paid": moneyOf("1.00", "USD")}, nil)
	if len(w) > 0 || !slices.Equal(codes(problems), []Code{BadMoney}) {
		t.Errorf("another currency: %v %v", w, problems)
	}
	w, _ = m.Write(left, record.Fields{"paid": record.Nothing()}, record.Fields{"cur": text("EUR")})
	if !w.Equal(record.Fields{"paid": record.Nothing()}) {
		t.Errorf("clearing an amount writes %v", w)
	}
}

func TestNumber(t *testing.T) {
	m := one(t, FieldSpec{As: Number}, SideSpec{Path: "x"})
	for _, tt := range []struct {
		in, want record.Value
	}{
		{text(" 1.50 "), num(t, "1.5")},
		{num(t, "1e3"), num(t, "1000")},
		{text("1,5"), record.Value{}},
		{record.OfBool(true), record.Value{}},
		{text("NaN"), record.Value{}},
	} {
		if got, _ := m.Read(right, record.Fields{"x": tt.in}); !got["x"].Equal(tt.want) {
			t.Errorf("%v: got %v", tt.in, got["x"])
		}
	}
	if w, _ := m.Write(right, record.Fields{"x": num(t, "1.5")}, record.Fields{"x": text("2")}); !w["x"].Equal(text("1.5")) {
		t.Errorf("a text column gets %v", w["x"])
	}
}

func TestLists(t *testing.T) {
	m := compile(t, Spec{
		NotAValue: map[string][]string{"email": {"*@guest.booking.com"}},
		Fields: []FieldSpec{
			{Name: "phones", As: List, Of: Phone, Region: []string{"pms.country", "IT"}, Sides: sides(SideSpec{Path: "phones"}, SideSpec{Path: "tel", Split: ";"})},
			{Name: "mails", As: List, Of: Email, Sides: sides(SideSpec{Path: "mails", Element: "value"}, SideSpec{Path: "mails"})},
			{Name: "emails", As: Set, Of: Email, Sides: sides(SideSpec{Path: "emails", Element: "value"}, SideSpec{Path: "emails"})},
		},
		Match: [][]string{{"phones"}},
	})
	native := record.Fields{"tel": text("333 1234567; +49 30 123456;"), "country": text("FR")}
	got, problems := m.Read(right, native)
	want := record.OfList(text("+393331234567"), text("+4930123456"))
	if !got["phones"].Equal(want) || len(problems) > 0 {
		t.Fatalf("got %v %v", got["phones"], problems)
	}
	if diff := cmp.Diff([]record.Key{{Name: "phones", Text: "+4930123456"}}, m.Keys(right, native, got)); diff != "" {
		t.Errorf("keys: %s", diff)
	}
	w, _ := m.Write(right, record.Fields{"phones": record.OfList(text("+4930123456"), text("+390559876543"))}, native)
	if w["tel"].Text() != "+49 30 123456;+390559876543" {
		t.Errorf("wrote %v", w["tel"])
	}
	got, problems = m.Read(right, record.Fields{"tel": text("333 1234567; nobody")})
	if got["phones"].Observed() || !slices.Equal(codes(problems), []Code{BadPhone}) {
		t.Errorf("a list with an element that can't be read: %v %v", got, problems)
	}

	entry := func(value, kind string) record.Value {
		return record.OfMap(map[string]record.Value{"value": text(value), "type": text(kind)})
	}
	native = record.Fields{"emails": record.OfList(entry("z@Example.com", "home"), entry("m@guest.booking.com", "ota"), entry("a@example.com", "work"), entry("a@example.com", "home"))}
	got, _ = m.Read(left, native)
	if want := record.OfList(text("a@example.com"), text("z@example.com")); !got["emails"].Equal(want) {
		t.Fatalf("got %v", got["emails"])
	}
	w, _ = m.Write(left, record.Fields{"emails": record.OfList(text("b@example.com"), text("z@example.com"))}, native)
	wantList := record.OfList(record.OfMap(map[string]record.Value{"value": text("b@example.com")}), entry("z@Example.com", "home"), entry("m@guest.booking.com", "ota"))
	if !w["emails"].Equal(wantList) {
		t.Errorf("wrote %v", w["emails"])
	}
	native = record.Fields{"mails": record.OfList(entry("a@example.com", "work"), entry("a@example.com", "home"))}
	w, _ = m.Write(left, record.Fields{"mails": record.OfList(text("a@example.com"), text("a@example.com"))}, native)
	if !w["mails"].Equal(native["mails"]) {
		t.Errorf("an element stands for two: wrote %v", w["mails"])
	}
	w, _ = m.Write(left, record.Fields{"emails": record.Nothing()}, nil)
	if !w["emails"].Equal(record.OfList()) {
		t.Errorf("a cleared list is written as %v", w["emails"])
	}
	if got, _ := m.Read(left, record.Fields{"emails": record.OfList()}); !got["emails"].Equal(record.Nothing()) {
		t.Errorf("an empty list is read as %v", got["emails"])
	}
}

func TestPieces(t *testing.T) {
	m := compile(t, Spec{Fields: []FieldSpec{
		{Name: "given", As: Name, Sides: sides(SideSpec{Path: "full", Split: " "}, SideSpec{Path: "given"})},
		{Name: "family", As: Name, Sides: sides(SideSpec{Path: "full", Split: " "}, SideSpec{Path: "family"})},
		{Name: "address", Sides: sides(SideSpec{Path: "address"}, SideSpec{Paths: []string{"street", "city"}, Split: ", "})},
	}})
	got, _ := m.Read(left, record.Fields{"full": text("Anna  Maria Rossi")})
	if want := (record.Fields{"given": text("Anna Maria"), "family": text("Rossi")}); !got.Equal(want) {
		t.Errorf("got %v", got)
	}
	got, _ = m.Read(left, record.Fields{"full": text("Madonna")})
	if want := (record.Fields{"given": text("Madonna"), "family": record.Nothing()}); !got.Equal(want) {
		t.Errorf("one word: got %v", got)
	}
	got, _ = m.Read(left, record.Fields{"full": record.Nothing()})
	if want := (record.Fields{"given": record.Nothing(), "family": record.Nothing()}); !got.Equal(want) {
		t.Errorf("nothing: got %v", got)
	}
	now := record.Fields{"full": text("Anna Rossi")}
	for _, tt := range []struct {
		write record.Fields
		want  record.Value
	}{
		{record.Fields{"family": text("Verdi")}, text("Anna Verdi")},
		{record.Fields{"given": text("Anna Maria")}, text("Anna Maria Rossi")},
		{record.Fields{"given": text("Eva"), "family": text("Verdi")}, text("Eva Verdi")},
		{record.Fields{"family": record.Nothing()}, text("Anna")},
		{record.Fields{"given": record.Nothing(), "family": record.Nothing()}, record.Nothing()},
	} {
		if w, problems := m.Write(left, tt.write, now); !w["full"].Equal(tt.want) || len(w) != 1 || len(problems) > 0 {
			t.Errorf("%v: wrote %v %v, want %v", tt.write, w, problems, tt.want)
		}
	}
	if w, _ := m.Write(left, record.Fields{"given": text("Eva"), "family": text("Verdi")}, nil); w["full"].Text() != "Eva Verdi" {
		t.Errorf("for a new record: %v", w)
	}
	if v := m.Normal(left, "family", text("De Luca"), nil); v.Text() != "De Luca" {
		t.Errorf("without the other pieces it comes back as %v", v)
	}
	if v := m.Normal(left, "family", text("De Luca"), now); v.Text() != "Luca" {
		t.Errorf("with the other pieces it comes back as %v", v)
	}
	if !m.Same("family", text("De Luca"), text("De Luca")) || m.Same("family", text("De Luca"), text("Luca")) {
		t.Error("pieces without their partner are compared as they are")
	}

	for _, tt := range []struct{ street, city, want string }{
		{"Via Roma 1", "Firenze", "Via Roma 1, Firenze"},
		{"", "Firenze", ", Firenze"},
		{"Via Roma 1", "", "Via Roma 1"},
		{"Via Roma 1, int. 2", "Firenze", "Via Roma 1, int. 2, Firenze"},
	} {
		native := record.Fields{"street": text(tt.street), "city": text(tt.city)}
		got, _ := m.Read(right, native)
		if got["address"].Text() != tt.want {
			t.Errorf("got %v, want %s", got["address"], tt.want)
		}
		w, _ := m.Write(right, got, nil)
		if w["street"].Text() != tt.street || w["city"].Text() != tt.city {
			t.Errorf("%s: wrote %v", tt.want, w)
		}
	}
	for street, want := range map[string]string{",": ", Prato", "a,,b,": "a,,b, Prato", " , x": "x, Prato"} {
		got, _ := m.Read(right, record.Fields{"street": text(street), "city": text("Prato")})
		if back := m.Normal(right, "address", got["address"], nil); got["address"].Text() != want || !back.Equal(got["address"]) {
			t.Errorf("%q: got %v, comes back as %v, want %s", street, got["address"], back, want)
		}
	}
	if got, _ := m.Read(right, record.Fields{"street": text("x")}); got["address"].Observed() {
		t.Error("a text of which a piece was not shown was read")
	}
}

// A piece that can't be written stops neither the others nor is it told twice.
func TestPieceProblem(t *testing.T) {
	m := compile(t, Spec{Fields: []FieldSpec{
		{Name: "given", As: Name, MaxRunes: 3, Sides: sides(SideSpec{Path: "full", Split: " "}, SideSpec{Path: "given"})},
		{Name: "family", As: Name, Required: true, Sides: sides(SideSpec{Path: "full", Split: " "}, SideSpec{Path: "family"})},
	}})
	now := record.Fields{"full": text("Anna Rossi")}
	w, problems := m.Write(left, record.Fields{"given": text("Eva"), "family": record.Nothing()}, now)
	if w["full"].Text() != "Eva Rossi" || !slices.Equal(codes(problems), []Code{Required}) {
		t.Errorf("got %v %v", w, problems)
	}
	w, problems = m.Write(left, record.Fields{"given": text("Giuseppina"), "family": record.Nothing()}, now)
	if len(w) > 0 || !slices.Equal(codes(problems), []Code{TooLong, Required}) {
		t.Errorf("got %v %v", w, problems)
	}
}

func TestReference(t *testing.T) {
	m := compile(t, Spec{
		NotAValue: map[string][]string{"phone": {"+39055123456"}},
		Fields: []FieldSpec{
			{
				Name: "guest", As: Reference, Refer: "guests", Region: []string{"platform.land", "IT"},
				Sides: sides(SideSpec{Parts: map[string]string{"phone": "client_phone", "name": "client_name"}}, SideSpec{Parts: map[string]string{"id": "guest_id"}}),
			},
			{Name: "arrival", As: Date, Sides: both("arrival")},
		},
		Match: [][]string{{"guest", "arrival"}},
	})
	for _, tt := range []struct {
		native record.Fields
		want   record.Value
		code   Code
	}{
		{record.Fields{"client_phone": text("333 1234567"), "client_name": text(" Anna  Rossi")}, record.OfMap(map[string]record.Value{"phone": text("+393331234567"), "name": text("Anna Rossi")}), ""},
		{record.Fields{"client_phone": text("333 1234567"), "land": text("FR")}, record.OfMap(map[string]record.Value{"phone_unsure": text("+393331234567")}), ""},
		{record.Fields{"client_phone": text("nobody"), "client_name": text("Anna")}, record.OfMap(map[string]record.Value{"name": text("Anna")}), BadPhone},
		{record.Fields{"client_phone": text("nobody"), "client_name": record.Nothing()}, record.Value{}, BadPhone},
		{record.Fields{"client_phone": text("055 123456"), "client_name": record.Nothing()}, record.Value{}, ""},
		{record.Fields{"client_phone": record.Nothing(), "client_name": text(" ")}, record.Nothing(), ""},
		{record.Fields{"client_name": record.Nothing()}, record.Value{}, ""},
		{record.Fields{}, record.Value{}, ""},
	} {
		got, problems := m.Read(left, tt.native)
		if !got["guest"].Equal(tt.want) || slices.Concat(codes(problems), []Code{""})[0] != tt.code {
			t.Errorf("%v: got %v %v, want %v", tt.native, got["guest"], problems, tt.want)
		}
	}
	got, _ := m.Read(right, record.Fields{"guest_id": num(t, "12")})
	if !got["guest"].Equal(record.OfMap(map[string]record.Value{"id": text("12")})) {
		t.Errorf("got %v", got["guest"])
	}
	for part, want := range map[string]string{"phone": "client_phone", "id": "", "email": ""} {
		if got := m.PartPath(left, "guest", part); got != want {
			t.Errorf("the left shows the %s at %q, want %q", part, got, want)
		}
	}
	if got := m.PartPath(left, "nobody", "phone"); got != "" {
		t.Errorf("a field that there is not is shown at %q", got)
	}
	w, _ := m.Write(right, got, record.Fields{"guest_id": num(t, "7")})
	if !w["guest_id"].Equal(num(t, "12")) {
		t.Errorf("a number column gets %v", w["guest_id"])
	}
	// Another guest, who has no phone: the first one's goes.
	w, problems := m.Write(left, record.Fields{"guest": record.OfMap(map[string]record.Value{"name": text("Occupied")})},
		record.Fields{"client_phone": text("+393331234567"), "client_name": text("Anna")})
	if want := (record.Fields{"client_phone": record.Nothing(), "client_name": text("Occupied")}); !w.Equal(want) || len(problems) > 0 {
		t.Errorf("wrote %v %v", w, problems)
	}
	if _, problems := m.Write(left, record.Fields{"guest": text("entity")}, nil); !slices.Equal(codes(problems), []Code{BadShape}) {
		t.Errorf("an entity was written: %v", problems)
	}
	if v := m.Normal(left, "guest", text("entity"), nil); v.Text() != "entity" {
		t.Errorf("a resolved reference comes back as %v", v)
	}
	canonical := record.Fields{"guest": text("01ENTITY"), "arrival": text("2026-03-28")}
	if diff := cmp.Diff([]record.Key{{Name: "guest+arrival", Text: "01ENTITY|2026-03-28"}}, m.Keys(left, nil, canonical)); diff != "" {
		t.Error(diff)
	}
	canonical["guest"] = record.OfMap(map[string]record.Value{"id": text("12")})
	if keys := m.Keys(left, nil, canonical); len(keys) > 0 {
		t.Errorf("an unresolved reference is a key: %v", keys)
	}
}

func TestExpressions(t *testing.T) {
	m := compile(t, Spec{Zone: zone(t, "Europe/Rome"), Fields: []FieldSpec{
		{Name: "room", Sides: sides(
			SideSpec{Path: "room", Read: `trimPrefix(value, "R-")`, Write: `"R-" + value`},
			SideSpec{Path: "room"},
		)},
		{Name: "nights", As: Number, Sides: sides(SideSpec{Read: `record["stay.nights"] * 2`}, SideSpec{Path: "n"})},
		{Name: "at", As: Instant, Sides: sides(
			SideSpec{Paths: []string{"day", "hour"}, Read: `instant(record["day"] + " " + record["hour"])`, Write: `{"day": local(value)[:10], "hour": local(value)[11:]}`},
			SideSpec{Path: "at"},
		)},
		{Name: "odd", Sides: sides(SideSpec{Path: "odd", Read: `value.x.y`}, SideSpec{Path: "odd"})},
	}})
	if diff := cmp.Diff([]string{"day", "hour", "odd", "room", "stay.nights"}, m.Paths(left)); diff != "" {
		t.Error(diff)
	}
	native := record.Fields{"room": text("R-12"), "stay.nights": num(t, "3"), "day": text("2026-03-28"), "hour": text("15:00"), "odd": record.Nothing()}
	got, problems := m.Read(left, native)
	want := record.Fields{"room": text("12"), "nights": num(t, "6"), "at": text("2026-03-28T14:00:00.000Z")}
	if !got.Equal(want) || !slices.Equal(codes(problems), []Code{BadExpression}) {
		t.Errorf("got %v %v", got, problems)
	}
	w, problems := m.Write(left, want, native)
	if want := (record.Fields{"room": text("R-12"), "day": text("2026-03-28"), "hour": text("15:00:00")}); !w.Equal(want) || !slices.Equal(codes(problems), []Code{NotWritable}) {
		t.Errorf("wrote %v %v", w, problems)
	}
	if got, problems := m.Read(left, record.Fields{"day": text("2026-03-28")}); len(got)+len(problems) > 0 {
		t.Errorf("an expression ran without all it reads: %v %v", got, problems)
	}
	big := record.Fields{"room": text(string(make([]byte, 64*1024+1)) + "x")}
	if _, problems := m.Read(left, big); !slices.Equal(codes(problems), []Code{TooLong}) {
		t.Errorf("a huge text: %v", problems)
	}
}
