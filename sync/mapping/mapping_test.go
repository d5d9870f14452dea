package mapping

import (
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // zones on machines that have none

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/record"
)

const (
	left  = record.Left
	right = record.Right
)

func text(s string) record.Value { return record.OfText(s) }

func num(t testing.TB, s string) record.Value {
	t.Helper()
	v, err := record.OfNumber(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func both(path string) [2]SideSpec { return [2]SideSpec{{Path: path}, {Path: path}} }

func sides(l, r SideSpec) [2]SideSpec { return [2]SideSpec{l, r} }

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func compile(t testing.TB, spec Spec) *Mapping {
	t.Helper()
	if spec.Systems == [2]string{} {
		spec.Systems = [2]string{"platform", "pms"}
	}
	m, err := Compile(spec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// one is a mapping of a single field x, whose right side is at path x of the
// spec's choice and whose left side is plain.
func one(t testing.TB, f FieldSpec, right SideSpec) *Mapping {
	t.Helper()
	f.Name = "x"
	f.Sides[record.Right] = right
	if f.Sides[left].Path == "" && !f.Sides[left].None {
		f.Sides[left].None = true
	}
	return compile(t, Spec{Zone: zone(t, "Europe/Rome"), Fields: []FieldSpec{f}, BlankCards: true})
}

func codes(ps []Problem) []Code {
	var out []Code
	for _, p := range ps {
		out = append(out, p.Code)
	}
	return out
}

// guests is the mapping of the contacts of an ordinary house.
func guests(t testing.TB) *Mapping {
	t.Helper()
	return compile(t, Spec{
		Zone: zone(t, "Europe/Rome"), BlankCards: true,
		Fields: []FieldSpec{
			{Name: "given_name", As: Name, Sides: sides(SideSpec{Path: "first_name"}, SideSpec{Path: "name.given"})},
			{Name: "family_name", As: Name, Sides: sides(SideSpec{Path: "last_name"}, SideSpec{Path: "name.family"})},
			{Name: "phone", As: Phone, Region: []string{"pms.country", "IT"}, Sides: sides(SideSpec{Path: "phone_number"}, SideSpec{Path: "phone"})},
			{Name: "email", As: Email, Sides: both("email")},
			{Name: "language", As: Language, Sides: sides(SideSpec{Path: "language"}, SideSpec{Path: "lang"})},
			{Name: "notes", Sides: both("notes")},
		},
		NotAValue: map[string][]string{
			"phone": {"+39 055 123456", "0551234567"},
			"email": {"*@guest.booking.com"},
		},
		Match: [][]string{{"phone"}, {"email"}, {"given_name", "family_name"}},
	})
}

func TestReadGuest(t *testing.T) {
	m := guests(t)
	got, problems := m.Read(right, record.Fields{
		"name.given":  text("  Anna   Maria "),
		"name.family": text("Rossi\u0300"),
		"phone":       text("333 12 34 567"),
		"email":       text("Anna.Rossi@EXAMPLE.com"),
		"lang":        text("it-IT"),
		"notes":       text("a\r\nb\x00\r card 4111 1111 1111 1111, ok"),
		"country":     record.Nothing(),
	})
	want := record.Fields{
		"given_name": text("Anna Maria"), "family_name": text("Ross\u00ec"), "phone": text("+393331234567"),
		"email": text("Anna.Rossi@example.com"), "language": text("it"), "notes": text("a\nb\n card ****, ok"),
	}
	if len(problems) > 0 || !got.Equal(want) {
		t.Errorf("got %v %v\nwant %v", got, problems, want)
	}
}

func TestAbsentNullEmptyApart(t *testing.T) {
	m := guests(t)
	got, problems := m.Read(right, record.Fields{
		"name.given": record.Nothing(), "name.family": text("   "), "email": text(""), "phone": text("no"),
	})
	want := record.Fields{"given_name": record.Nothing(), "family_name": record.Nothing(), "email": record.Nothing()}
	if !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	wantProblems := []Problem{{Field: "phone", Side: right, Code: BadPhone, Text: "there is text beside the number"}}
	if diff := cmp.Diff(wantProblems, problems); diff != "" {
		t.Error(diff)
	}
}

func TestPathsInputsFields(t *testing.T) {
	m := guests(t)
	wantPaths := []string{"country", "email", "lang", "name.family", "name.given", "notes", "phone"}
	if diff := cmp.Diff(wantPaths, m.Paths(right)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"country", "phone"}, m.Inputs(right, "phone")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"phone_number"}, m.Inputs(left, "phone")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"phone"}, m.Outputs(right, "phone")); diff != "" {
		t.Error(diff)
	}
	if got := m.Inputs(left, "nobody"); got != nil {
		t.Errorf("inputs of an unknown field: %v", got)
	}
	want := Field{Name: "given_name", Type: Name, Has: [2]bool{true, true}}
	if got := m.Fields()[0]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWriteOnlyWhatIsGiven(t *testing.T) {
	m := guests(t)
	got, problems := m.Write(right, record.Fields{
		"given_name": text("Anna"), "email": record.Nothing(), "phone": record.Value{}, "other": text("x"),
	}, record.Fields{"name.family": text("Rossi")})
	want := record.Fields{"name.given": text("Anna"), "email": record.Nothing()}
	if len(problems) > 0 || !got.Equal(want) {
		t.Errorf("got %v %v, want %v", got, problems, want)
	}
}

func TestNotAValue(t *testing.T) {
	m := guests(t)
	for _, tt := range []struct{ path, in, field string }{
		{"phone", "055 123456", "phone"},
		{"phone", "+39055 123 456", "phone"},
		{"phone", "0039055123456", "phone"},
		{"phone", "055/1234567", "phone"},
		{"phone", "0000000", "phone"},
		{"phone", "111-1111", "phone"},
		{"phone", "+39 333 3333333", "phone"},
		{"phone", "333 3333333", "phone"},
		{"email", "abc.123@Guest.Booking.COM", "email"},
	} {
		native := record.Fields{tt.path: text(tt.in)}
		got, problems := m.Read(right, native)
		if got[tt.field].Observed() || len(problems) > 0 {
			t.Errorf("%s %q: got %v %v, want nothing observed and no problem", tt.path, tt.in, got, problems)
		}
		if keys := m.Keys(right, native, got); len(keys) > 0 {
			t.Errorf("%s %q: keys %v", tt.path, tt.in, keys)
		}
	}
	w, problems := m.Write(left, record.Fields{"email": text("x@guest.booking.com")}, nil)
	if len(w) > 0 || !slices.Equal(codes(problems), []Code{NotAValue}) {
		t.Errorf("a masked address was written: %v %v", w, problems)
	}
}

func TestRequiredAndTooLong(t *testing.T) {
	m := compile(t, Spec{Fields: []FieldSpec{
		{Name: "a", Required: true, Sides: both("a")},
		{Name: "b", Required: true, Sides: sides(SideSpec{Path: "b", Filler: "Guest"}, SideSpec{Path: "b"})},
		{Name: "c", MaxRunes: 3, Sides: sides(SideSpec{Path: "c"}, SideSpec{Path: "c", MaxRunes: 2})},
		{Name: "d", Sides: sides(SideSpec{Path: "d", Empty: EmptyText}, SideSpec{Path: "d"})},
	}})
	none := record.Fields{"a": record.Nothing(), "b": record.Nothing(), "c": text("ààà"), "d": record.Nothing()}
	got, problems := m.Write(left, none, nil)
	want := record.Fields{"b": text("Guest"), "c": text("ààà"), "d": text("")}
	if !got.Equal(want) || !slices.Equal(codes(problems), []Code{Required}) {
		t.Errorf("left: got %v %v", got, problems)
	}
	got, problems = m.Write(right, none, nil)
	if !got.Equal(record.Fields{"d": record.Nothing()}) || !slices.Equal(codes(problems), []Code{Required, Required, TooLong}) {
		t.Errorf("right: got %v %v", got, problems)
	}
	read, problems := m.Read(left, record.Fields{"b": text("Guest"), "c": text("àààà")})
	if !read.Equal(record.Fields{"b": record.Nothing()}) || !slices.Equal(codes(problems), []Code{TooLong}) {
		t.Errorf("read: got %v %v", read, problems)
	}
}

func TestConstDefaultNone(t *testing.T) {
	voice, it := "voice", "it"
	m := compile(t, Spec{Fields: []FieldSpec{
		{Name: "channel", Sides: sides(SideSpec{Const: &voice}, SideSpec{Path: "channel"})},
		{Name: "language", As: Language, Sides: sides(SideSpec{Path: "lang", Default: &it}, SideSpec{Path: "lang"})},
		{Name: "inner", Sides: sides(SideSpec{None: true}, SideSpec{Path: "inner"})},
	}})
	got, _ := m.Read(left, record.Fields{"lang": record.Nothing(), "inner": text("x")})
	want := record.Fields{"channel": text("voice"), "language": text("it")}
	if !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, _ := m.Read(left, nil); got["language"].Observed() {
		t.Error("a default took the place of what was not shown")
	}
	w, problems := m.Write(left, record.Fields{"channel": text("desk"), "inner": text("x")}, nil)
	if len(w) > 0 || len(problems) > 0 {
		t.Errorf("written where there is no field: %v %v", w, problems)
	}
	if m.Same("channel", text("voice"), text("desk")) {
		t.Error("a constant is the same as everything")
	}
	if !m.Same("language", text("it"), record.Nothing()) && !m.Same("language", record.Nothing(), text("it")) {
		t.Error("nothing is not the default of the side that stands for it")
	}
}

func TestSameAfterNormalising(t *testing.T) {
	table := []EnumRow{
		{Word: "cancelled", Sides: [2][]string{{"CANCELLED"}, {"cancelled"}}},
		{Word: "rejected", Sides: [2][]string{{"REJECTED"}, {"cancelled"}}},
	}
	m := compile(t, Spec{Fields: []FieldSpec{
		{Name: "status", As: Enum, Table: table, Sides: both("status")},
		{Name: "code", Sides: sides(SideSpec{Path: "code"}, SideSpec{Path: "code", Read: `lower(value)`})},
	}})
	for _, tt := range []struct {
		field, l, r string
		want        bool
	}{
		{"status", "cancelled", "cancelled", true},
		{"status", "rejected", "cancelled", true},
		{"status", "cancelled", "rejected", false},
		{"code", "ABC", "abc", true},
		{"code", "ABC", "abd", false},
		{"code", "abc", "ABC", false},
		{"nobody", "a", "b", false},
	} {
		if got := m.Same(tt.field, text(tt.l), text(tt.r)); got != tt.want {
			t.Errorf("%s: same(%s, %s) = %v", tt.field, tt.l, tt.r, got)
		}
	}
	if m.Same("status", record.Value{}, text("cancelled")) {
		t.Error("what was not shown is the same as a value")
	}
}

func TestFingerprint(t *testing.T) {
	spec := func() Spec {
		return Spec{
			Systems: [2]string{"platform", "pms"}, Zone: zone(t, "Europe/Rome"), BlankCards: true,
			NotAValue: map[string][]string{"phone": {"+39055123456"}},
			Fields: []FieldSpec{
				{Name: "phone", As: Phone, Region: []string{"pms.country", "IT"}, Sides: both("phone")},
				{Name: "a", Sides: both("a")},
			},
		}
	}
	base := compile(t, spec())
	for name, tt := range map[string]struct {
		change      func(*Spec)
		left, right bool // whether the side's fingerprint changes
	}{
		"nothing":      {func(*Spec) {}, false, false},
		"order":        {func(s *Spec) { slices.Reverse(s.Fields) }, false, false},
		"match":        {func(s *Spec) { s.Match = [][]string{{"phone"}} }, false, false},
		"write":        {func(s *Spec) { s.Fields[1].Sides[left].Write = "upper(value)" }, false, false},
		"path":         {func(s *Spec) { s.Fields[1].Sides[left].Path = "b" }, true, false},
		"type":         {func(s *Spec) { s.Fields[1].As = Name }, true, true},
		"zone":         {func(s *Spec) { s.Zone = zone(t, "Pacific/Apia") }, true, true},
		"not a value":  {func(s *Spec) { s.NotAValue["phone"] = []string{"+39055123457"} }, true, true},
		"cards":        {func(s *Spec) { s.BlankCards = false }, true, true},
		"default land": {func(s *Spec) { s.Fields[0].Region = []string{"pms.country", "DE"} }, true, true},
		"record land":  {func(s *Spec) { s.Fields[0].Region = []string{"pms.nation", "IT"} }, false, true},
	} {
		s := spec()
		tt.change(&s)
		m := compile(t, s)
		if got := m.Fingerprint(left) != base.Fingerprint(left); got != tt.left {
			t.Errorf("%s: left changes: %v", name, got)
		}
		if got := m.Fingerprint(right) != base.Fingerprint(right); got != tt.right {
			t.Errorf("%s: right changes: %v", name, got)
		}
	}
}

func TestProve(t *testing.T) {
	m := compile(t, Spec{Zone: zone(t, "Europe/Rome"), Fields: []FieldSpec{
		{Name: "fine", Sides: both("fine")},
		{Name: "upper", Sides: sides(SideSpec{Path: "upper", Read: "upper(value)"}, SideSpec{Path: "upper"})},
		{Name: "short", Sides: sides(SideSpec{Path: "short", MaxRunes: 2}, SideSpec{Path: "short"})},
		{Name: "day", As: Date, Sides: both("day")},
		{Name: "once", Sides: sides(SideSpec{Path: "once", Read: `value + "!"`}, SideSpec{None: true})},
		{Name: "view", Sides: sides(SideSpec{Read: `record["a"] + record["b"]`}, SideSpec{Path: "view"})},
	}})
	losses := m.Prove(right, record.Fields{
		"fine": text("x"), "upper": text("secret"), "short": text("secret"), "day": text("secret"), "view": text("v"),
	})
	type loss struct {
		Field    string
		From, To record.Side
		Code     Code
	}
	var got []loss
	for _, l := range losses {
		got = append(got, loss{l.Field, l.From, l.To, l.Code})
		if strings.Contains(l.Text, "secret") {
			t.Errorf("%s: the text shows the value", l.Field)
		}
	}
	want := []loss{
		{"day", right, right, BadDate},
		{"upper", right, left, Lossy},
		{"short", right, left, TooLong},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if before, after := losses[1].Values(); before.Text() != "secret" || after.Text() != "SECRET" {
		t.Errorf("values: %v %v", before, after)
	}
	own := m.Prove(left, record.Fields{"once": text("a")})
	if len(own) != 1 || own[0].Code != Lossy || own[0].To != left {
		t.Errorf("own round trip: %v", own)
	}
}
