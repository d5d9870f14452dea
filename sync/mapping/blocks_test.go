package mapping

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"nightporter/sync/record"
)

// jsonValue is a native value as JSON has it.
func jsonValue(t testing.TB, text string) record.Value {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var a any
	if err := dec.Decode(&a); err != nil {
		t.Fatal(err)
	}
	v, err := record.FromJSON(a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// lines is the lines of an order: with strings on the left, and on the right with cents in a
// text.
func lines(t testing.TB, key ...string) *Mapping {
	t.Helper()
	return compile(t, Spec{BlankCards: true, Fields: []FieldSpec{
		{Name: "total", As: Money, Sides: sides(SideSpec{Path: "total", Currency: "currency"}, SideSpec{Path: "total", Currency: "EUR"})},
		{Name: "lines", As: List, Key: key, Sides: sides(SideSpec{Path: "items"}, SideSpec{Path: "lines", Format: FormatJSON}), Each: []FieldSpec{
			{Name: "sku", Sides: both("sku")},
			{Name: "name", Sides: sides(SideSpec{Path: "name"}, SideSpec{Path: "text"})},
			{Name: "quantity", As: Number, Sides: sides(SideSpec{Path: "quantity", Format: FormatText}, SideSpec{Path: "qty"})},
			{Name: "price", As: Money, Sides: sides(SideSpec{Path: "unit_price", Currency: "currency"}, SideSpec{Path: "price", Currency: "EUR", Unit: UnitMinor})},
		}},
	}})
}

const (
	leftLines  = `[{"sku":"B","name":"Oil","quantity":"2","unit_price":"12.5","tax":"22"},{"sku":"A","name":"Wine","quantity":"1.0","unit_price":"8.00"}]`
	rightLines = `[{"sku":"A","text":"Wine","qty":1,"price":800},{"sku":"B","text":"Oil","qty":2,"price":1250,"shelf":7}]`
)

// Amounts are compared as decimals, and where elements have a key their order is of no
// account.
func TestBlocksAreTheSameHoweverTheyAreSpelt(t *testing.T) {
	m := lines(t, "sku")
	left, problems := m.Read(record.Left, record.Fields{"items": jsonValue(t, leftLines), "currency": record.OfText("EUR"), "total": record.OfText("33.00")})
	right, more := m.Read(record.Right, record.Fields{"lines": record.OfText(rightLines), "total": record.OfText("33")})
	if len(problems)+len(more) > 0 {
		t.Fatalf("problems: %v %v", problems, more)
	}
	if !left["lines"].Equal(right["lines"]) || len(left["lines"].List()) != 2 {
		t.Errorf("left %s, right %s, want the same two lines", left["lines"], right["lines"])
	}
	if price := left["lines"].List()[1].Map()["price"].Map()["amount"].Text(); price != "12.50" {
		t.Errorf("the price is %q, want 12.50", price)
	}
	if m.Same("lines", left["lines"], record.OfList(left["lines"].List()[0])) {
		t.Error("two lines are the same as one of them")
	}
}

// Without a key the order counts.
func TestBlocksInOrder(t *testing.T) {
	m := lines(t)
	left, _ := m.Read(record.Left, record.Fields{"items": jsonValue(t, leftLines), "currency": record.OfText("EUR")})
	right, _ := m.Read(record.Right, record.Fields{"lines": record.OfText(rightLines)})
	if left["lines"].Equal(right["lines"]) {
		t.Error("lines in another order are the same, though nothing tells them from each other")
	}
}

// What a side keeps beside the entries of an element stays there, and an element of which
// nothing changed stays as it is spelt.
func TestBlocksWritten(t *testing.T) {
	m := lines(t, "sku")
	now := record.Fields{"items": jsonValue(t, leftLines), "currency": record.OfText("EUR")}
	want, _ := m.Read(record.Right, record.Fields{"lines": record.OfText(`[{"sku":"B","text":"Oil","qty":3,"price":1199},{"sku":"A","text":"Wine","qty":1,"price":800},{"sku":"C","qty":1,"price":5}]`)})
	got, problems := m.Write(record.Left, record.Fields{"lines": want["lines"]}, now)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	shows := jsonValue(t, `[{"sku":"A","name":"Wine","quantity":"1.0","unit_price":"8.00"},
		{"sku":"B","name":"Oil","quantity":"3","unit_price":"11.99","tax":"22"},{"sku":"C","quantity":"1","unit_price":"0.05"}]`)
	if !got["items"].Equal(shows) {
		t.Errorf("got %s, want %s", got["items"].Encode(), shows.Encode())
	}
	back, _ := m.Write(record.Right, record.Fields{"lines": want["lines"]}, record.Fields{"lines": record.OfText(rightLines)})
	const text = `[{"price":800,"qty":1,"sku":"A","text":"Wine"},{"price":1199,"qty":3,"shelf":7,"sku":"B","text":"Oil"},{"price":5,"qty":1,"sku":"C"}]`
	if back["lines"].Text() != text {
		t.Errorf("got %s, want %s", back["lines"].Text(), text)
	}
}

func TestBlocksThatCantBeRead(t *testing.T) {
	m := lines(t, "sku")
	for name, tt := range map[string]struct{ items, want string }{
		"a float that is no price":  {`[{"sku":"A","unit_price":"8.001"}]`, "price of an element: an amount with more digits"},
		"no key":                    {`[{"name":"Wine"}]`, "an element without its sku"},
		"no list":                   {`{"sku":"A"}`, "a list is expected here"},
		"no blocks":                 {`["A"]`, "a list of blocks is expected"},
		"a quantity that is a word": {`[{"sku":"A","quantity":"two"}]`, "quantity of an element: not a decimal number"},
	} {
		got, problems := m.Read(record.Left, record.Fields{"items": jsonValue(t, tt.items), "currency": record.OfText("EUR")})
		if got["lines"].Observed() || len(problems) != 1 || !strings.Contains(problems[0].Text, tt.want) {
			t.Errorf("%s: %v, problems %v, want %q", name, got, problems, tt.want)
		}
	}
	for _, text := range []string{"no JSON", `[] []`, `{}`} {
		if _, problems := m.Read(record.Right, record.Fields{"lines": record.OfText(text)}); len(problems) != 1 {
			t.Errorf("%s: problems %v, want one", text, problems)
		}
	}
	if got, problems := m.Read(record.Right, record.Fields{"lines": record.OfText("[]")}); !got["lines"].Empty() || len(problems) > 0 {
		t.Errorf("no lines: %v, problems %v", got, problems)
	}
}

// Cards are blanked in the texts of lines too, and in what is kept of the record.
func TestBlocksHaveNoCards(t *testing.T) {
	m := lines(t, "sku")
	native := record.Fields{"items": jsonValue(t, `[{"sku":"A","name":"paid by 4111 1111 1111 1111"}]`), "currency": record.OfText("EUR")}
	got, _ := m.Read(record.Left, native)
	if kept := m.Blank(record.Left, native); strings.Contains(got["lines"].Encode()+kept["items"].Encode(), "4111") {
		t.Errorf("a card is left: %s, kept %s", got["lines"].Encode(), kept["items"].Encode())
	}
}

// What is written is read again as it was.
func TestBlocksComeBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := lines(t, "sku")
		n := rapid.IntRange(1, 5).Draw(rt, "n")
		var natives []string
		for range n {
			natives = append(natives, rapid.SampledFrom([]string{
				`{"sku":"A","text":"x","qty":1.50,"price":1}`, `{"sku":"B","qty":2,"price":100}`, `{"sku":"A","price":0}`, `{"sku":"C"}`,
			}).Draw(rt, "line"))
		}
		was, problems := m.Read(record.Right, record.Fields{"lines": record.OfText("[" + strings.Join(natives, ",") + "]")})
		if len(problems) > 0 || len(was["lines"].List()) != n {
			rt.Fatalf("%v, problems %v: want %d lines", was, problems, n)
		}
		native := record.Fields{"items": jsonValue(t, leftLines), "currency": record.OfText("EUR")}
		out, problems := m.Write(record.Left, record.Fields{"lines": was["lines"]}, native)
		if len(problems) > 0 {
			rt.Fatal(problems)
		}
		is, _ := m.Read(record.Left, native.With(out))
		if !is["lines"].Equal(was["lines"]) {
			rt.Errorf("wrote %s, read %s", was["lines"].Encode(), is["lines"].Encode())
		}
	})
}

// A word that a side shows and does not take is read, and another of its row is written.
func TestWordsThatAreOnlyRead(t *testing.T) {
	m := compile(t, Spec{Fields: []FieldSpec{{
		Name: "status", As: Enum, Sides: sides(SideSpec{Path: "status", Words: []string{"confirmed", "completed"}}, SideSpec{Path: "status"}),
		Table: []EnumRow{
			{Word: "confirmed", Sides: [2][]string{{"paid", "confirmed"}, {"C"}}},
			{Word: "preparing", Sides: [2][]string{{"in preparation"}, {"P"}}},
		},
	}}})
	if got, _ := m.Read(record.Left, record.Fields{"status": record.OfText("In preparation")}); got["status"].Text() != "preparing" {
		t.Errorf("read %v, want preparing", got)
	}
	if got, _ := m.Write(record.Left, record.Fields{"status": record.OfText("confirmed")}, nil); got["status"].Text() != "confirmed" {
		t.Errorf("wrote %v, want the word that may be written", got)
	}
	got, problems := m.Write(record.Left, record.Fields{"status": record.OfText("preparing")}, nil)
	if len(got) > 0 || len(problems) != 1 || problems[0].Code != OnlyRead || !strings.Contains(problems[0].Text, "confirmed, completed") {
		t.Errorf("wrote %v, problems %v, want none and the words that may be written", got, problems)
	}
}

func TestBlocksSpec(t *testing.T) {
	entry := []FieldSpec{{Name: "sku", Sides: both("sku")}}
	v := "v"
	for name, tt := range map[string]struct {
		f    FieldSpec
		want string
	}{
		"no entries":    {FieldSpec{As: List, Of: Block, Sides: both("x")}, "needs its entries"},
		"of a text":     {FieldSpec{As: List, Of: Text, Each: entry, Sides: both("x")}, "only a list of blocks"},
		"a set":         {FieldSpec{As: Set, Each: entry, Sides: both("x")}, "blocks make a list and no set"},
		"key":           {FieldSpec{As: List, Each: entry, Key: []string{"skku"}, Sides: both("x")}, `no entry "skku"; did you mean "sku"?`},
		"split":         {FieldSpec{As: List, Each: entry, Sides: sides(SideSpec{Path: "x", Split: ","}, SideSpec{Path: "x"})}, "has one path"},
		"twice":         {FieldSpec{As: List, Each: append(entry, entry...), Sides: both("x")}, "there twice"},
		"type":          {FieldSpec{As: List, Each: []FieldSpec{{Name: "a", As: "texxt", Sides: both("a")}}, Sides: both("x")}, `did you mean "text"?`},
		"a list in it":  {FieldSpec{As: List, Each: []FieldSpec{{Name: "a", As: List, Sides: both("a")}}, Sides: both("x")}, "can't be of type"},
		"constant list": {FieldSpec{As: List, Each: entry, Sides: sides(SideSpec{Const: &v}, SideSpec{Path: "x"})}, ""},
		"words":         {FieldSpec{Sides: sides(SideSpec{Path: "x", Words: []string{"a"}}, SideSpec{Path: "x"})}, "are for an enum"},
	} {
		tt.f.Name = "lines"
		_, err := Compile(Spec{Systems: [2]string{"platform", "pms"}, Fields: []FieldSpec{tt.f}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	_, err := Compile(Spec{Systems: [2]string{"platform", "pms"}, Match: [][]string{{"lines"}}, Fields: []FieldSpec{{Name: "lines", As: List, Each: entry, Sides: both("x")}}})
	if err == nil || !strings.Contains(err.Error(), "lines is a list of blocks") {
		t.Errorf("matched by lines: %v", err)
	}
}

// How an entry is read is part of how the record is.
func TestBlocksInTheFingerprint(t *testing.T) {
	of := func(path string, key ...string) *Mapping {
		return compile(t, Spec{Fields: []FieldSpec{{Name: "lines", As: List, Key: key, Sides: both("lines"), Each: []FieldSpec{{Name: "sku", Sides: both(path)}}}}})
	}
	was := of("sku", "sku").Fingerprint(record.Left)
	if of("code", "sku").Fingerprint(record.Left) == was || of("sku").Fingerprint(record.Left) == was {
		t.Error("another entry, or no key, is read by the same fingerprint")
	}
}
