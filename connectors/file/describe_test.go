package file_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/connectors/file"
	"nightporter/sync/record"
)

// The names of the platform's own import stand for each other, whatever their case.
func TestAlike(t *testing.T) {
	c := folder(t, file.File{Name: "g.csv", Key: []string{"phone"}}, map[string]string{"g.csv": "Nome,COGNOME,Telefono,email,Lingua,Note\nAnna,Rossi,1,a@b.example,it,x\n"})
	got, _, err := listed(t, c, "first_name", "last_name", "phone", "email", "language", "notes")
	want := map[string]string{"1": "email=a@b.example first_name=Anna language=it last_name=Rossi notes=x phone=1"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, _, err = listed(t, c, "first_name", "city"); connectors.ClassOf(err) != connectors.Malformed || !strings.Contains(err.Error(), `there is no column "city"`) {
		t.Errorf("a column that is not there: %v", err)
	}
	d, err := c.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Nome", "first_name", "phone", "language", "notes"} {
		if _, ok := d.Kinds["guests"].Fields[name]; !ok {
			t.Errorf("%s is not described", name)
		}
	}
	_, err = c.Get(t.Context(), record.Ref{Kind: "guests", ID: "1"}, connectors.Scope{})
	if err != nil {
		t.Errorf("get: %v", err)
	}
	shows, err := c.Shows(t.Context(), "guests")
	if want := "g.csv: utf-8, separated by comma, columns Nome, COGNOME, Telefono, email, Lingua, Note"; shows != want || err != nil {
		t.Errorf("shows %q, %v, want %q", shows, err, want)
	}
}

// The key goes by the name under which the jobs know its column.
func TestKeyUnderAnotherName(t *testing.T) {
	f := file.File{Name: "g.csv", Key: []string{"telefono"}, Write: file.Rewrite, Fields: []string{"first_name", "phone"}}
	for name, files := range map[string]map[string]string{"read": {"g.csv": header}, "not there": nil} {
		d, err := folder(t, f, files).Describe(t.Context())
		k := d.Kinds["guests"]
		if diff := cmp.Diff([][]string{{"phone"}}, k.Unique); diff != "" || err != nil {
			t.Errorf("%s: %v, unique (-want +got):\n%s", name, err, diff)
		}
		if diff := cmp.Diff([]string{"phone"}, k.Required); diff != "" {
			t.Errorf("%s: required (-want +got):\n%s", name, diff)
		}
	}
	c := folder(t, f, map[string]string{"g.csv": header})
	r, err := c.Apply(t.Context(), record.Change{Op: record.Create, Ref: record.Ref{Kind: "guests"}, Fields: record.Fields{
		"first_name": record.OfText("Anna"), "phone": record.OfText("+39055"),
	}})
	if err != nil || r.Ref.ID != "+39055" {
		t.Errorf("create: %v, %v", r.Ref, err)
	}
}

// A description outlives a file that is missing for a moment, or broken for a night.
func TestDescribeWithoutAFile(t *testing.T) {
	d, err := folder(t, file.File{Name: "g.csv"}, nil).Describe(t.Context())
	if k, ok := d.Kinds["guests"]; err != nil || !ok || k.Fields != nil {
		t.Errorf("without a file: %+v, %v", k, err)
	}
	d, err = folder(t, file.File{Name: "g.csv"}, map[string]string{"g.csv": "a,b\n1,2\n"}).Describe(t.Context())
	if k, ok := d.Kinds["guests"]; err != nil || !ok || k.Fields != nil {
		t.Errorf("without the key's column: %+v, %v", k, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	ok := file.File{Name: "g.csv", Key: []string{"id"}}
	for want, change := range map[string]func(*file.File){
		"no name":                    func(f *file.File) { f.Name = "" },
		"without a path":             func(f *file.File) { f.Name = "../g.csv" },
		"csv or jsonl":               func(f *file.File) { f.Name = "g.xls" },
		"JSON lines are UTF-8":       func(f *file.File) { f.Name, f.Encoding = "g.jsonl", file.Windows1252 },
		"no key":                     func(f *file.File) { f.Key = nil },
		"a pattern of names is only": func(f *file.File) { f.Name, f.Write = "g-*.csv", file.Append },
		"read the name":              func(f *file.File) { f.Name = "g[.csv" },
		"part of a digest":           func(f *file.File) { f.Digest, f.OurMark = true, "id" },
	} {
		f := ok
		change(&f)
		_, err := file.Open(file.Config{Folder: "x", Files: map[record.Kind]file.File{"g": f}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A digest of a key is another id than the key.
func TestWhatIDsAreMadeOf(t *testing.T) {
	for want, f := range map[connectors.IDs]file.File{
		{Of: "house, id", In: "file g.csv"}:         {Name: "g.csv", Key: []string{"house", "id"}},
		{Of: "a digest of phone", In: "file g.csv"}: {Name: "g.csv", Key: []string{"phone"}, Digest: true},
	} {
		if d, err := folder(t, f, nil).Describe(t.Context()); err != nil || d.Kinds["guests"].IDs != want {
			t.Errorf("got %+v, %v, want %+v", d.Kinds["guests"].IDs, err, want)
		}
	}
}

// Cells that are read as typed are read in another way.
func TestReadingOfCells(t *testing.T) {
	reading := func(f file.File) string {
		c := folder(t, f, map[string]string{f.Name: "phone,note\n1,'=x\n"})
		d, err := c.Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return d.Kinds["guests"].Reading("note")
	}
	was := reading(file.File{Name: "g.csv", Key: []string{"phone"}})
	if reading(file.File{Name: "g.csv", Key: []string{"phone"}, AsTyped: true}) == was {
		t.Error("cells as typed are the same reading")
	}
	if reading(file.File{Name: "g.csv", Key: []string{"phone"}, Encoding: file.Windows1252, Separator: ','}) != was {
		t.Error("an encoding is another reading")
	}
}
