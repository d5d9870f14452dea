package file_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/connectortest"
	"nightporter/connectors/file"
	"nightporter/sync/record"
)

// desk is a person with the file open in another program.
type desk struct {
	path    string
	f       file.File
	cfg     file.Config
	columns []string
	writes  atomic.Int64
}

var columns = []string{"id", "name", "phone", "email", "notes", "ref"}

func newDesk(t testing.TB, f file.File) *desk {
	t.Helper()
	d := &desk{f: f, columns: columns}
	folder := t.TempDir()
	d.path = filepath.Join(folder, f.Name)
	d.cfg = file.Config{Folder: folder, PageSize: 7, Files: map[record.Kind]file.File{"guests": f}}.WithSteps(d.step)
	d.store(t, nil)
	return d
}

// step counts what changes the file.
func (d *desk) step(name string) error {
	if name == "append" || name == "rename" {
		d.writes.Add(1)
	}
	return nil
}

func (d *desk) isJSON() bool { return strings.HasSuffix(d.f.Name, "jsonl") }

func (d *desk) comma() rune {
	if d.f.Separator != 0 {
		return d.f.Separator
	}
	return ','
}

// line is a record as the desk's program writes it.
func (d *desk) line(f record.Fields) string {
	if d.isJSON() {
		m := map[string]any{}
		for _, c := range d.columns {
			switch v := f[c]; {
			case v.Type() == record.Null:
				m[c] = nil
			case v.Observed():
				m[c] = v.Text()
			}
		}
		b, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		return string(b) + "\n"
	}
	var cells []string
	for _, c := range d.columns {
		cells = append(cells, f[c].Text())
	}
	return d.csv(cells)
}

func (d *desk) csv(cells []string) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = d.comma()
	if err := w.Write(cells); err != nil {
		panic(err)
	}
	w.Flush()
	return b.String()
}

// rows are all records of the file.
func (d *desk) rows(t testing.TB) []record.Fields {
	t.Helper()
	b, err := os.ReadFile(d.path)
	if err != nil {
		t.Fatal(err)
	}
	var out []record.Fields
	if d.isJSON() {
		for line := range strings.Lines(string(b)) {
			var m map[string]any
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			f := record.Fields{}
			for k, v := range m {
				if f[k], err = record.FromJSON(v); err != nil {
					t.Fatal(err)
				}
			}
			out = append(out, f)
		}
		return out
	}
	r := csv.NewReader(bytes.NewReader(b))
	r.Comma = d.comma()
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		f := record.Fields{}
		for i, c := range cells {
			f[d.columns[i]] = record.OfText(c)
		}
		out = append(out, f)
	}
	return out
}

func (d *desk) store(t testing.TB, rows []record.Fields) {
	t.Helper()
	var b strings.Builder
	if !d.isJSON() {
		b.WriteString(d.csv(d.columns))
	}
	for _, f := range rows {
		b.WriteString(d.line(f))
	}
	d.write(t, b.String())
}

func (d *desk) write(t testing.TB, text string) {
	t.Helper()
	if err := os.WriteFile(d.path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) text(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(d.path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (d *desk) put(t testing.TB, f record.Fields) string {
	t.Helper()
	d.write(t, d.text(t)+d.line(f))
	return f["id"].Text()
}

func (d *desk) edit(t testing.TB, id string, with record.Fields) {
	t.Helper()
	rows := d.rows(t)
	for i, f := range rows {
		if f["id"].Text() == id {
			rows[i] = f.With(with)
		}
	}
	d.store(t, rows)
}

func (d *desk) remove(t testing.TB, id string) {
	t.Helper()
	d.store(t, slices.DeleteFunc(d.rows(t), func(f record.Fields) bool { return f["id"].Text() == id }))
}

func (d *desk) open(t testing.TB) *file.Conn {
	t.Helper()
	c, err := file.Open(d.cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sample(i int) record.Fields {
	return record.Fields{
		"id":    record.OfText(fmt.Sprintf("G%d", i)),
		"name":  record.OfText(fmt.Sprintf("Guest No. %d", i)),
		"phone": record.OfText(fmt.Sprintf("+39055500%04d", i)),
		"email": record.OfText(fmt.Sprintf("guest%d@example.test", i)),
	}
}

func (d *desk) subject() connectortest.Subject {
	return connectortest.Subject{
		Kind: "guests",
		Open: func(t testing.TB) connectors.Connector { return d.open(t) },
		Put:  d.put, Edit: d.edit, Remove: d.remove,
		Sample: sample, Text: "notes",
		Mutations: func() int { return int(d.writes.Load()) },
	}
}

func TestConformance(t *testing.T) {
	csv := file.File{Name: "guests.csv", Key: []string{"id"}, MayBeEmpty: true}
	for name, change := range map[string]func(f *file.File){
		"read only":      func(*file.File) {},
		"append":         func(f *file.File) { f.Write = file.Append },
		"rewrite":        func(f *file.File) { f.Write = file.Rewrite },
		"semicolons":     func(f *file.File) { f.Write, f.Separator = file.Rewrite, ';' },
		"our mark":       func(f *file.File) { f.Write, f.OurMark = file.Rewrite, "ref" },
		"append, marked": func(f *file.File) { f.Write, f.OurMark = file.Append, "ref" },
		"as typed":       func(f *file.File) { f.Write, f.AsTyped = file.Rewrite, true },
		"mapped columns": func(f *file.File) {
			f.Write, f.Fields = file.Rewrite, []string{"id", "name", "notes", "phone", "email"}
		},
		"json lines":   func(f *file.File) { f.Name, f.Write = "guests.jsonl", file.Rewrite },
		"json, append": func(f *file.File) { f.Name, f.Write, f.OurMark = "guests.jsonl", file.Append, "ref" },
	} {
		t.Run(name, func(t *testing.T) {
			f := csv
			change(&f)
			connectortest.Run(t, func(t testing.TB) connectortest.Subject { return newDesk(t, f).subject() })
		})
	}
}

// A file that is only read gives its rows ids itself.
func TestConformanceOfIDs(t *testing.T) {
	for _, name := range []string{"guests.csv", "guests.jsonl"} {
		t.Run(name, func(t *testing.T) {
			connectortest.Run(t, func(t testing.TB) connectortest.Subject {
				d := newDesk(t, file.File{Name: name, Key: []string{"id"}, MayBeEmpty: true})
				s := d.subject()
				as := func(t testing.TB, id string, f record.Fields) string {
					return d.put(t, f.With(record.Fields{"id": record.OfText(id)}))
				}
				n := 0
				s.Sample = func(i int) record.Fields {
					f := sample(i)
					delete(f, "id")
					return f
				}
				s.Put = func(t testing.TB, f record.Fields) string {
					n++
					return as(t, fmt.Sprintf("desk %d", n), f)
				}
				s.PutAs = func(t testing.TB, id string, f record.Fields) bool { return as(t, id, f) == id }
				return s
			})
		})
	}
}
