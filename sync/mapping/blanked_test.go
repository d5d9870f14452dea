package mapping

import (
	"slices"
	"testing"

	"nightporter/sync/record"
)

// A value that is nothing but a card can't be told, in whatever form it is kept. A text with other words
// can, without the card, but not where records are recognised by it.
func TestBlankedValues(t *testing.T) {
	const card = "4111111111111111"
	m := compile(t, Spec{BlankCards: true, Match: [][]string{{"key"}, {"tags"}}, Fields: []FieldSpec{
		{Name: "key", Sides: both("key")},
		{Name: "tags", As: Set, Sides: both("tags")},
		{Name: "text", Sides: both("text")},
		{Name: "list", As: List, Sides: both("list")},
		{Name: "two", Sides: sides(SideSpec{Paths: []string{"a", "b"}}, SideSpec{Path: "two"})},
		{Name: "begin", Sides: sides(SideSpec{Path: "whole", Read: `value[:2]`}, SideSpec{Path: "begin"})},
		{Name: "lines", As: List, Of: Block, Each: []FieldSpec{{Name: "sku", Sides: both("sku")}}, Sides: both("lines")},
		{Name: "guest", As: Reference, Refer: "guests", Sides: sides(SideSpec{Parts: map[string]string{"name": "client"}}, SideSpec{Parts: map[string]string{"id": "guest_id"}})},
	}})
	line := record.OfList(record.OfMap(map[string]record.Value{"sku": text(card)}))
	for name, native := range map[string]record.Fields{
		"key": {"key": text(card)}, "tags": {"tags": record.OfList(text("a"), text("b "+card))}, "text": {"text": text(card)},
		"list": {"list": record.OfList(text("a"), text(card))}, "two": {"a": text("4111 1111"), "b": text("1111 1111")},
		"begin": {"whole": text(card)}, "lines": {"lines": line}, "guest": {"client": text("B" + card)},
	} {
		for _, shown := range []record.Fields{native, m.Blank(left, native)} {
			got, problems := m.Read(left, shown)
			if got[name].Observed() || !slices.Equal(codes(problems), []Code{Blanked}) || len(m.Keys(left, shown, got)) > 0 {
				t.Errorf("%s: got %v, %v", name, got, problems)
			}
		}
	}
	for name, v := range map[string]record.Value{
		"key": text("x " + card), "text": text(card), "list": record.OfList(text(card)), "two": text(card), "lines": line,
		"guest": record.OfMap(map[string]record.Value{"name": text(card)}),
	} {
		if wrote, problems := m.Write(left, record.Fields{name: v}, nil); len(wrote) > 0 || !slices.Equal(codes(problems), []Code{Blanked}) {
			t.Errorf("%s: wrote %v, %v", name, wrote, problems)
		}
	}
	for _, stays := range []string{"*****", "******** stars", "pays with " + card, "4111 1111 1111 1111, exp 12/29", "5 stars ****", "carta:4111-1111-1111-1111"} {
		if got, problems := m.Read(left, record.Fields{"text": text(stays)}); !got["text"].Observed() || len(problems) > 0 {
			t.Errorf("%q: got %v, %v", stays, got, problems)
		}
	}
	key, _ := m.Read(left, record.Fields{"key": text("order " + card)})
	if key["key"].Observed() {
		t.Errorf("a key that was blanked is read as %v", key)
	}
	for native, want := range map[string][]string{card: {"key"}, "12": nil} {
		_, problems := m.Read(left, record.Fields{"key": text(native), "text": text(card)})
		if got := m.BlankedKeys(problems); !slices.Equal(got, want) {
			t.Errorf("of %s the keys %q are blanked, want %q", native, got, want)
		}
	}
}

// A piece of a shared text that was blanked is not written with the others.
func TestBlankedPieceStays(t *testing.T) {
	m := compile(t, Spec{BlankCards: true, Fields: []FieldSpec{
		{Name: "first", Sides: sides(SideSpec{Path: "pieces", Split: " "}, SideSpec{Path: "first"})},
		{Name: "second", Sides: sides(SideSpec{Path: "pieces", Split: " "}, SideSpec{Path: "second"})},
	}})
	now := record.Fields{"pieces": text("x 4111111111111111")}
	if wrote, problems := m.Write(left, record.Fields{"first": text("y")}, now); len(wrote) > 0 || !slices.Equal(codes(problems), []Code{Blanked}) {
		t.Errorf("wrote %v, %v", wrote, problems)
	}
	if wrote, problems := m.Write(left, record.Fields{"first": text("y"), "second": text("z")}, now); !wrote["pieces"].Equal(text("y z")) || len(problems) > 0 {
		t.Errorf("wrote %v, %v", wrote, problems)
	}
}
