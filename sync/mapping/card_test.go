package mapping

import (
	"slices"
	"strings"
	"testing"

	"nightporter/sync/record"
)

// No way leads a card through: neither reading nor writing, in no type that can
// hold a text.
func TestNoCardPasses(t *testing.T) {
	const card, note = "4111 1111 1111 1111", "pays with 4111 1111 1111 1111"
	m := compile(t, Spec{BlankCards: true, Fields: []FieldSpec{
		{Name: "text", Sides: both("text")},
		{Name: "name", As: Name, Sides: both("name")},
		{Name: "list", As: List, Sides: both("list")},
		{Name: "expr", Sides: sides(SideSpec{Path: "expr", Read: `value[:9] + "|" + value[9:]`, Write: `value[:9] + "|" + value[9:]`}, SideSpec{Path: "expr"})},
		{Name: "two", Sides: sides(SideSpec{Paths: []string{"a", "b"}}, SideSpec{Path: "two"})},
		{Name: "first", Sides: sides(SideSpec{Path: "pieces", Split: " "}, SideSpec{Path: "first"})},
		{Name: "second", Sides: sides(SideSpec{Path: "pieces", Split: " "}, SideSpec{Path: "second"})},
		{Name: "guest", As: Reference, Refer: "guests", Sides: sides(SideSpec{Parts: map[string]string{"name": "client"}}, SideSpec{Parts: map[string]string{"id": "guest_id"}})},
	}})
	native := record.Fields{
		"text": text(note), "name": text("A " + card), "list": record.OfList(text(note)), "expr": text("a " + card + " b"),
		"a": text("pays with 4111 1111"), "b": text("1111 1111"), "pieces": text("x " + card), "client": text(note),
	}
	got, unread := m.Read(left, native)
	canonical := record.Fields{
		"text": text(note), "name": text(note), "list": record.OfList(text(note)), "expr": text("a " + card + " b"), "two": text(note),
		"first": text("x"), "second": text(note), "guest": record.OfMap(map[string]record.Value{"name": text(note)}),
	}
	wrote, problems := m.Write(left, canonical, nil)
	if len(problems) > 0 || len(got) != 7 || !slices.Equal(codes(unread), []Code{Blanked}) { // the second of the pieces is nothing but a card
		t.Fatalf("%v %v %v", got, unread, problems)
	}
	for _, f := range []record.Fields{got, wrote} {
		b, err := f.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "1111") {
			t.Errorf("digits of a card: %s", b)
		}
	}
}

// What is kept of a record has no card in it, and what only passes as one stays.
func TestBlank(t *testing.T) {
	const card, passes = "4111 1111 1111 1111", "4111111111111111" // as an id, a moment or a number it is none
	number := func(s string) record.Value {
		v, err := record.OfNumber(s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	m := compile(t, Spec{Zone: zone(t, "Europe/Rome"), BlankCards: true, Fields: []FieldSpec{
		{Name: "text", Sides: both("text")},
		{Name: "list", As: List, Sides: both("list")},
		{Name: "phone", As: Phone, Region: []string{"IT"}, Sides: both("phone")},
		{Name: "at", As: Instant, Sides: sides(SideSpec{Path: "at", Format: FormatMillis}, SideSpec{Path: "at"})},
		{Name: "expr", As: Number, Sides: sides(SideSpec{Path: "expr", Read: `value`}, SideSpec{Path: "expr"})},
		{Name: "two", Sides: sides(SideSpec{Paths: []string{"a", "b"}}, SideSpec{Path: "two"})},
		{Name: "guest", As: Reference, Refer: "guests", Sides: sides(SideSpec{Parts: map[string]string{"id": "guest", "name": "client"}}, SideSpec{Parts: map[string]string{"id": "guest"}})},
	}})
	for _, tt := range []struct {
		path     string
		in, want record.Value
	}{
		{"text", text("pays with " + card), text("pays with " + HeldMark)},
		{"text", number(passes), text(HeldMark)},
		{"list", record.OfList(text("a"), text(card)), record.OfList(text("a"), text(HeldMark))},
		{"phone", text(card), text(HeldMark)},
		{"phone", text("+4915123456704"), text("+4915123456704")},
		{"phone", text("4915123456704"), text(HeldMark)}, // no number in Italy
		{"at", number("1774706400008"), number("1774706400008")},
		{"at", text(card), text(HeldMark)},
		{"expr", number(passes), number(passes)},
		{"guest", text(passes), text(passes)},
		{"client", text(card), text(HeldMark)},
		{"other", record.OfMap(map[string]record.Value{"deep": text(card)}), record.OfMap(map[string]record.Value{"deep": text(HeldMark)})},
	} {
		native := record.Fields{tt.path: tt.in, "a": text("no"), "b": text("card 12")}
		got := m.Blank(left, native)
		if want := native.With(record.Fields{tt.path: tt.want}); !got.Equal(want) || !native[tt.path].Equal(tt.in) {
			t.Errorf("%s %v: got %v, want %v", tt.path, tt.in, got, want)
		}
	}
	apart := m.Blank(left, record.Fields{"a": text("my 4111 1111"), "b": text("1111 1111 ok")})
	if want := (record.Fields{"a": text("my " + HeldMark + " " + HeldMark), "b": text(HeldMark + " " + HeldMark + " ok")}); !apart.Equal(want) {
		t.Errorf("a card over two fields: got %v, want %v", apart, want)
	}
	off := compile(t, Spec{Fields: []FieldSpec{{Name: "text", Sides: both("text")}}})
	if got := off.Blank(left, record.Fields{"text": text(card)}); got["text"].Text() != card {
		t.Errorf("switched off: got %v", got)
	}
}
