package sql

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"nightporter/connectors/internal/dbkit"
	"nightporter/connectors/internal/dockit"
)

// Document is one that is made of the rows of a query by a template: the same rows give
// the same bytes, whatever the time and the order in which they are stored.
type Document struct {
	Name     string // as a file: prices.md
	Title    string
	Language string
	Tags     []string
	Query    string
	Template string   // the text of a Go template over Rows
	Order    []string // columns that rows are sorted by; empty: all, from left to right
	MinRows  int      // fewer are not believed

	compiled *template.Template
}

// mostRows and mostText bound a document.
const (
	mostRows = 20_000
	mostText = 16 << 20
)

// readyDocuments compiles documents, or says why they can't be used.
func readyDocuments(all []Document) ([]Document, error) {
	out := slices.Clone(all)
	for i := range out {
		d := &out[i]
		n, err := dbkit.ParseNamed(d.Query)
		switch {
		case dockit.MediaOf(d.Name) == "":
			return nil, fmt.Errorf("document %q: the name must end in .md, .txt or .csv", d.Name)
		case strings.TrimSpace(d.Query) == "":
			return nil, fmt.Errorf("document %s: no query", d.Name)
		case err != nil:
			return nil, fmt.Errorf("document %s: read the query: %w", d.Name, err)
		case len(n.Names()) > 0:
			return nil, fmt.Errorf("document %s: the query can't have parameters, as :%s", d.Name, n.Names()[0])
		}
		d.compiled, err = template.New(d.Name).Option("missingkey=error").Funcs(words()).Parse(d.Template)
		if err != nil {
			return nil, fmt.Errorf("document %s: read the template: %w", d.Name, err)
		}
	}
	return out, nil
}

// words is what a template can do with values. None of it depends on the time.
func words() template.FuncMap {
	return template.FuncMap{
		"upper": strings.ToUpper, "lower": strings.ToLower, "trim": strings.TrimSpace,
		"replace": func(old, by, s string) string { return strings.ReplaceAll(s, old, by) },
		"default": func(otherwise, s string) string {
			if s == "" {
				return otherwise
			}
			return s
		},
		"cell":  strings.NewReplacer("|", `\|`, "\r\n", " ", "\n", " ").Replace,
		"group": group, "fixed": fixed,
	}
}

// fixed is a number with so many decimals; an empty one stays empty.
func fixed(decimals int, s string) (string, error) {
	if s == "" {
		return "", nil
	}
	n, ok := new(big.Rat).SetString(s)
	if !ok || strings.Contains(s, "/") {
		return "", fmt.Errorf("%q is no number", s)
	}
	return n.FloatString(decimals), nil
}

// grouped is the rows that have the same value in a column.
type grouped struct {
	Name string
	Rows []map[string]string
}

// group parts rows by the values of a column, in the order in which those first appear.
func group(column string, rows []map[string]string) ([]grouped, error) {
	var out []grouped
	at := map[string]int{}
	for _, r := range rows {
		name, ok := r[column]
		if !ok {
			return nil, fmt.Errorf("there is no column %s", column)
		}
		i, known := at[name]
		if !known {
			i, at[name] = len(out), len(out)
			out = append(out, grouped{Name: name})
		}
		out[i].Rows = append(out[i].Rows, r)
	}
	return out, nil
}

// render makes the text of a document of its rows.
func (d *Document) render(columns []string, rows []map[string]string) ([]byte, error) {
	if len(rows) < d.MinRows {
		return nil, fmt.Errorf("its query gives %d rows, and fewer than %d are not believed", len(rows), d.MinRows)
	}
	by := d.Order
	if len(by) == 0 {
		by = columns
	}
	for _, name := range by {
		if !slices.Contains(columns, name) {
			return nil, fmt.Errorf("its query has no column %s to be sorted by", name)
		}
	}
	slices.SortStableFunc(rows, func(a, b map[string]string) int {
		for _, name := range slices.Concat(by, columns) {
			if n := compareTexts(a[name], b[name]); n != 0 {
				return n
			}
		}
		return 0
	})
	b := &bounded{most: mostText}
	err := d.compiled.Execute(b, struct {
		Title string
		Rows  []map[string]string
	}{d.Title, rows})
	if err != nil {
		return nil, fmt.Errorf("its template: %w", err)
	}
	return b.text, nil
}

// compareTexts is a total order of texts, so that rows are sorted alike however they come:
// nothing, then numbers by what they are, then all else. What is alike in that is compared
// as it is spelt.
func compareTexts(a, b string) int {
	classA, x := placeOf(a)
	classB, y := placeOf(b)
	return cmp.Or(cmp.Compare(classA, classB), cmp.Compare(x, y), strings.Compare(a, b))
}

// The classes of texts, in their order.
const (
	isNothing = iota
	isNumber
	isOther
)

// placeOf is the class of a text, and what it is as a number. What is none on the line of
// numbers (NaN, Inf) is a text.
func placeOf(s string) (class int, number float64) {
	if s == "" {
		return isNothing, 0
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return isOther, 0
	}
	return isNumber, n
}

// bounded is a text that may not grow beyond a size.
type bounded struct {
	text []byte
	most int
}

// Write adds to the text.
func (b *bounded) Write(p []byte) (int, error) {
	if len(b.text)+len(p) > b.most {
		return 0, errors.New("it gives too long a text")
	}
	b.text = append(b.text, p...)
	return len(p), nil
}
