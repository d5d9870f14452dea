package sql

import (
	"io"
	"strings"
	"testing"

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
