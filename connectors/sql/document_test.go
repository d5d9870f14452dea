package sql

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"nightporter/connectors"
	"nightporter/connectors/internal/dockit"
	"nightporter/sync/record"
)

const menuSchema = `create table menu (id {id}, category text, dish text, price numeric(8,2), since date, vegan boolean);
insert into menu (category, dish, price, since, vegan) values ('B', 'Soup', 10, '2026-05-01', true), ('A', 'Bread', 9.5, '2026-05-02', null), ('A', 'Oil', null, '2026-05-01', true);`

func documented(h *house, d Document) *Conn {
	h.t.Helper()
	cfg := h.cfg
	cfg.Documents = []Document{d}
	c, err := Open(h.t.Context(), cfg)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { c.Close() })
	conn, ok := c.(*Conn)
	if !ok {
		h.t.Fatalf("a connector is a %T", c)
	}
	return conn
}

func textOf(t *testing.T, c *Conn) (string, record.Record, error) {
	t.Helper()
	p, err := c.Fetch(t.Context(), connectors.Query{Kind: dockit.Kind}, "")
	if err != nil {
		return "", record.Record{}, err
	}
	r, err := p.Read(p.Items[0])
	if err != nil {
		return "", r, err
	}
	f, err := c.Open(t.Context(), r.Ref, dockit.ContentPath)
	if err != nil {
		return "", r, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if got := dockit.Digest(b); err == nil && got != r.Fields["digest"].Text() {
		t.Errorf("the bytes have digest %s, and the record shows %s", got, r.Fields["digest"].Text())
	}
	return string(b), r, err
}

// The same rows give the same text on both databases, in the order that is asked for.
func TestDocumentOfRows(t *testing.T) {
	const row = "{{ range .Rows }}{{ .dish }}:{{ fixed 2 .price }}:{{ .since }};{{ end }}"
	tests := []struct {
		name string
		d    Document
		want string // or error
	}{
		{"by all columns", Document{Query: "select category, dish, price, since from menu", Template: row}, "Bread:9.50:2026-05-02;Oil::2026-05-01;Soup:10.00:2026-05-01;"},
		{"by one", Document{Query: "select dish, price, since from menu", Template: row, Order: []string{"price"}}, "Oil::2026-05-01;Bread:9.50:2026-05-02;Soup:10.00:2026-05-01;"},
		{"in groups", Document{Query: "select category, dish from menu", Template: `{{ range group "category" .Rows }}{{ .Name }}={{ len .Rows }} {{ end }}`}, "A=2 B=1 "},
		{"words", Document{Title: "T", Query: "select dish from menu where dish = 'Oil'", Template: `{{ .Title }}{{ range .Rows }}{{ upper .dish }}{{ lower .dish }}{{ replace "O" "|" .dish | cell }}{{ default "-" "" }}{{ trim " x " }}{{ end }}`}, `TOILoil\|il-x`},
		{"a column that is not there", Document{Query: "select dish from menu", Template: "{{ range .Rows }}{{ .price }}{{ end }}"}, `error: map has no entry for key "price"`},
		{"an order that is not there", Document{Query: "select dish from menu", Template: "x", Order: []string{"price"}}, "error: its query has no column price to be sorted by"},
		{"no group", Document{Query: "select dish from menu", Template: `{{ range group "price" .Rows }}{{ end }}`}, "error: there is no column price"},
		{"no number", Document{Query: "select dish from menu", Template: `{{ range .Rows }}{{ fixed 2 .dish }}{{ end }}`}, `"Bread" is no number`},
		{"too few rows", Document{Query: "select dish from menu where 1 = 2", Template: "x", MinRows: 1}, "error: its query gives 0 rows, and fewer than 1 are not believed"},
		{"few rows that are enough", Document{Query: "select dish from menu where 1 = 2", Template: "none"}, "none"},
		{"without end", Document{Query: "select dish from menu", Template: `{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}`}, "error: its template"},
	}
	both(t, menuSchema, func(t *testing.T, h *house) {
		for _, tt := range tests {
			tt.d.Name = "menu.md"
			got, _, err := textOf(t, documented(h, tt.d))
			if err != nil {
				got = "error: " + err.Error()
			}
			if got != tt.want && (err == nil || !strings.Contains(got, strings.TrimPrefix(tt.want, "error: "))) {
				t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
			}
		}
	})
}

// Nothing comes first, then numbers by what they are, then all else as it is spelt.
func TestOrderOfTexts(t *testing.T) {
	want := []string{"", "-10", "-9.5", "-0", "0", "9", "10", "10.0", "1e1", "1e300", "+Inf", "-Inf", "1a", "1e999", "Inf", "NaN", "a", "nan", "é", "\xff"}
	if got := slices.SortedFunc(slices.Values(want), compareTexts); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The order of values is a total one: however they come, they are sorted alike.
func TestOrderOfTextsIsTotal(t *testing.T) {
	odd := []string{"", "9", "10", "1a", "1e1", "10.0", "-0", "0", "NaN", "nan", "Inf", "-Inf", "1e999", "0x1p4", "1_0", " 1", "\xff"}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.SampledFrom(odd), rapid.StringMatching(`[-+]?[019]{0,2}[.e]?[019a]{0,2}`))
		a, b, c := value.Draw(t, "a"), value.Draw(t, "b"), value.Draw(t, "c")
		if ab := compareTexts(a, b); ab != -compareTexts(b, a) || (ab == 0) != (a == b) {
			t.Fatalf("%q and %q compare as %d, and as %d the other way round", a, b, ab, compareTexts(b, a))
		}
		if compareTexts(a, b) <= 0 && compareTexts(b, c) <= 0 && compareTexts(a, c) > 0 {
			t.Fatalf("%q, %q, %q: each is not after the next, and the first is after the last", a, b, c)
		}
		all := rapid.SliceOfN(value, 0, 12).Draw(t, "all")
		once := slices.SortedFunc(slices.Values(all), compareTexts)
		again := slices.SortedFunc(slices.Values(rapid.Permutation(all).Draw(t, "otherwise")), compareTexts)
		if !slices.Equal(once, again) {
			t.Fatalf("%q sorts to %q, and otherwise to %q", all, once, again)
		}
	})
}

// The same rows give the same text in whatever order they are stored, also where numbers
// and texts stand in one column.
func TestDocumentOfMixedRows(t *testing.T) {
	d := Document{Name: "rooms.md", Query: "select room from rooms", Template: "{{ range .Rows }}{{ .room }} {{ end }}"}
	both(t, "create table rooms (room text)", func(t *testing.T, h *house) {
		for _, rows := range []string{"('9'), ('10'), ('1a'), (null)", "('1a'), (null), ('9'), ('10')", "('10'), ('1a'), ('9'), (null)"} {
			h.exec("delete from rooms")
			h.exec("insert into rooms values " + rows)
			if got, _, err := textOf(t, documented(h, d)); err != nil || got != " 9 10 1a " {
				t.Errorf("%s: got %q, %v", rows, got, err)
			}
		}
	})
}

// A number is shown in the digits that tell it from others of its type. SQLite keeps every
// one in eight bytes, whatever the column is called.
func TestDocumentOfShortNumbers(t *testing.T) {
	d := Document{
		Name: "rates.md", Query: "select short, long from rates", Order: []string{"long"},
		Template: "{{ range .Rows }}{{ .short }} {{ .long }};{{ end }}",
	}
	both(t, "create table rates (short float4, long float8); insert into rates values (12.1, 12.1), (0.25, 0.25), (null, 7), (33554432, 33554432)", func(t *testing.T, h *house) {
		if got, _, err := textOf(t, documented(h, d)); err != nil || got != "0.25 0.25; 7;12.1 12.1;33554432 33554432;" {
			t.Errorf("got %q, %v", got, err)
		}
	})
	exact := newHouse(t, "sqlite", "create table rates (short float4, long float8); insert into rates values (12.123456789, 1)")
	if got, _, err := textOf(t, documented(exact, d)); err != nil || got != "12.123456789 1;" {
		t.Errorf("eight bytes: got %q, %v", got, err)
	}
}

// A time with its zone is shown on the house's clock, and not on that of the machine, which
// is one of the two at most; one without as it is stored, and a day as the day that it is.
func TestDocumentOfTimes(t *testing.T) {
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	d := Document{Name: "times.md", Query: "select day, told, stored from times", Template: "{{ range .Rows }}{{ .day }}|{{ .told }}|{{ .stored }};{{ end }}"}
	both(t, `create table times (day date, told {ts}, stored timestamp);
		insert into times values ('2026-05-01', '2026-05-01 22:30:00+00:00', '2026-05-01 22:30:00'), ('2026-12-01', '2026-12-01 22:30:00+00:00', '2026-12-01 22:30:00')`, func(t *testing.T, h *house) {
		for _, tt := range []struct {
			zone           *time.Location
			summer, winter string
		}{
			{rome, "2026-05-02 00:30", "2026-12-01 23:30"},
			{nil, "2026-05-01 22:30", "2026-12-01 22:30"},
		} {
			if h.driver == "sqlite" { // its driver doesn't tell whether there was a zone
				tt.summer, tt.winter = "2026-05-01 22:30", "2026-12-01 22:30"
			}
			want := "2026-05-01|" + tt.summer + "|2026-05-01 22:30;2026-12-01|" + tt.winter + "|2026-12-01 22:30;"
			h.cfg.TimeZone = tt.zone
			if got, _, err := textOf(t, documented(h, d)); err != nil || got != want {
				t.Errorf("on the clock of %v: got %q, %v, want %q", tt.zone, got, err, want)
			}
		}
	})
}

// What was edited is another version, and what was edited back is the first one.
func TestVersionsOfADocument(t *testing.T) {
	both(t, menuSchema, func(t *testing.T, h *house) {
		c := documented(h, Document{Name: "menu.md", Query: "select dish, price from menu", Template: "{{ range .Rows }}{{ .dish }} {{ .price }};{{ end }}", MinRows: 1})
		_, first, err := textOf(t, c)
		if err != nil {
			t.Fatal(err)
		}
		h.exec("update menu set since = null") // which is not shown
		if _, again, err := textOf(t, c); err != nil || again.Ref != first.Ref {
			t.Errorf("got %v, %v, want %v", again.Ref, err, first.Ref)
		}
		h.exec("update menu set price = 11 where dish = 'Soup'")
		_, second, err := textOf(t, c)
		if err != nil || second.Ref == first.Ref {
			t.Fatalf("got %v, %v, want another version than %v", second.Ref, err, first.Ref)
		}
		_, err = c.Get(t.Context(), first.Ref, connectors.Scope{})
		if e := new(connectors.Error); !as(err, &e) || e.Class != connectors.Moved || !e.Newer || e.Ref != second.Ref {
			t.Errorf("the first version: got %v, want the second in its place", err)
		}
		h.exec("delete from menu")
		if _, err = c.Get(t.Context(), second.Ref, connectors.Scope{}); connectors.ClassOf(err) != connectors.Rejected {
			t.Errorf("without rows: got %v, want no word of what became of it", err)
		}
		if _, err = c.Open(t.Context(), second.Ref, dockit.ContentPath); connectors.ClassOf(err) != connectors.Rejected {
			t.Errorf("without rows: opened, %v", err)
		}
	})
}

func as(err error, e **connectors.Error) bool {
	found, ok := err.(*connectors.Error) //nolint:errorlint // it is never wrapped here
	*e = found
	return ok
}

func TestDocumentsThatAreWrong(t *testing.T) {
	for say, d := range map[string]Document{
		"the name must end in":          {Name: "menu.html", Query: "select 1", Template: "x"},
		"no query":                      {Name: "menu.md", Template: "x"},
		"can't have parameters, as :id": {Name: "menu.md", Query: "select :id", Template: "x"},
		"read the template":             {Name: "menu.md", Query: "select 1", Template: "{{ .x"},
		`function "now" not defined`:    {Name: "menu.md", Query: "select 1", Template: "{{ now }}"},
	} {
		_, err := Open(t.Context(), Config{Driver: "sqlite", Address: "x.db", Documents: []Document{d}})
		if err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("got %v, want %q", err, say)
		}
	}
}
