package mapping

import (
	"testing"

	"nightporter/sync/record"
)

// A text that may have been made from one with a blanked card is found wherever it would replace one that holds the
// card: in a list, within an object, with asterisks that were spoilt. The same text is no other one, and a text
// without asterisks was entered by somebody who saw that something stood there.
func TestOverCard(t *testing.T) {
	inMap := func(s string) record.Value { return record.OfMap(map[string]record.Value{"note": text(s)}) }
	const heldNote = "card " + HeldMark + " ok"
	for name, tt := range map[string]struct {
		written, current record.Value
		want             string
	}{
		"edited":            {text("card **** ok!"), text(heldNote), "x"},
		"spoilt":            {text("card *** ok"), text(heldNote), "x"},
		"the same":          {text("card **** ok"), text(heldNote), ""},
		"taken out":         {text("paid"), text(heldNote), ""},
		"typed asterisks":   {text("**** hotel!"), text("**** hotel"), ""},
		"no text there":     {text("card ****"), record.Value{}, ""},
		"a list":            {record.OfList(text("card **** ok"), text("late")), record.OfList(text(heldNote)), "x"},
		"the same list":     {record.OfList(text("card **** ok")), record.OfList(text(heldNote)), ""},
		"an object":         {inMap("card **** ok, late"), inMap(heldNote), "x"},
		"an object, no row": {inMap("late"), inMap(heldNote), ""},
	} {
		if got := OverCard(record.Fields{"x": tt.written}, record.Fields{"x": tt.current}); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// The mark of what a system holds is kept beside the record alone: no canonical value has it, and nothing that is
// written, not even what stands beside an element or a piece that is written.
func TestHeldMarkIsKeptAlone(t *testing.T) {
	m := compile(t, Spec{BlankCards: true, Fields: []FieldSpec{
		{Name: "text", Sides: both("text")},
		{Name: "list", As: List, Sides: both("list")},
		{Name: "expr", Sides: sides(SideSpec{Path: "expr", Read: `value`, Write: `value + record["beside"][:0]`}, SideSpec{Path: "expr"})},
	}})
	const card = "pays with 4111 1111 1111 1111"
	kept := m.Blank(left, record.Fields{"text": text(card), "list": record.OfList(text(card)), "expr": text(card), "beside": text(card)})
	for _, p := range kept.Names() {
		if !HoldsCard(kept[p]) {
			t.Errorf("%s: it is not known that %v holds a card", p, kept[p])
		}
	}
	read, problems := m.Read(left, kept)
	wrote, unwritten := m.Write(left, record.Fields{"text": text("pays"), "list": record.OfList(text("pays with ****"), text("a")), "expr": text("a")}, kept)
	if len(problems)+len(unwritten) > 0 || len(read) != 3 || len(wrote) != 3 {
		t.Fatalf("%v %v %v %v", read, problems, wrote, unwritten)
	}
	for name, f := range map[string]record.Fields{"read": read, "written": wrote, "usual": {"text": m.Normal(left, "text", text("pays"), kept)}} {
		for p, v := range f {
			if HoldsCard(v) {
				t.Errorf("%s: %s is %v with the mark", name, p, v)
			}
		}
	}
	if losses := m.Prove(left, kept); len(losses) > 0 {
		t.Errorf("asterisks count as lost: %+v", losses)
	}
}
