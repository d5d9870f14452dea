package file_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/file"
	"nightporter/sync/record"
)

// FuzzCSV reads any bytes as a file: it never panics, loses no row in silence, shows
// the same twice, and a change of one row leaves all others as they are.
func FuzzCSV(f *testing.F) {
	for _, text := range []string{
		"id,nome\n1,Anna\n2,Bruno\n", "\ufeffid;nome\r\n1;\"A\r\nB\"\r\n2;x\r\n", "sep=;\nid;a\n1;2\n", "id,nome\n1,\"a\n2,b\"c\n3,d\n",
		"id,nome\n\n\r\n1,\"a\"\"\"\n,,\n", "id,id,nome\n1,2,3\n", "id\n\x00\n'=1\n", "id,nome\n1,a,b\n2\n", "id|nome\n1|\"\xff\"\n", "id,nome\n1,a\r\r\n2,\"\r\"\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		path := filepath.Join(dir, "g.csv")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := file.Open(file.Config{Folder: dir, Files: map[record.Kind]file.File{
			"guests": {Name: "g.csv", Key: []string{"id"}, Write: file.Rewrite, OpenEnd: true, MaxBytes: 1 << 20},
		}, PageSize: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		q := connectors.Query{Kind: "guests"}
		p, err := c.Fetch(t.Context(), q, "")
		if err != nil {
			return
		}
		good := map[string]record.Fields{}
		for _, it := range p.Items {
			if r, err := p.Read(it); err == nil {
				good[it.ID] = r.Fields
			} else if p.Flaw == "" && !strings.Contains(err.Error(), "its key stands in line") {
				t.Errorf("a row can't be read and the list has no flaw: %v", err)
			}
		}
		if n, sure := rowsOf(b); sure && p.Flaw == "" && len(p.Items) > n {
			t.Errorf("%d rows of %d", len(p.Items), n)
		}
		for id, was := range good {
			fields := record.Fields{}
			for _, name := range was.Names() {
				if !strings.EqualFold(name, "id") {
					fields[name] = record.OfText("=new\r\n\"x\"")
				}
			}
			if len(fields) == 0 {
				return
			}
			if _, err := c.Apply(t.Context(), record.Change{Op: record.Update, Ref: record.Ref{Kind: "guests", ID: id}, Fields: fields}); err != nil {
				t.Fatalf("update %q: %v", id, err)
			}
			p, err := c.Fetch(t.Context(), q, "")
			if err != nil {
				t.Fatalf("read after an update: %v", err)
			}
			for _, it := range p.Items {
				want := good[it.ID]
				if it.ID == id {
					want = want.With(fields)
				}
				if r, err := p.Read(it); (err == nil) != (want != nil) || err == nil && !r.Fields.Equal(want) {
					t.Errorf("row %q: %v, %v, want %v", it.ID, r.Fields, err, want)
				}
			}
			return
		}
	})
}

// rowsOf is how many rows a plain reader finds at most, where it finds any.
func rowsOf(b []byte) (int, bool) {
	if strings.HasPrefix(strings.ToLower(string(b)), "sep=") {
		return 0, false
	}
	most := -1
	for _, comma := range ",;\t|" {
		r := csv.NewReader(strings.NewReader(string(b)))
		r.Comma, r.FieldsPerRecord = comma, -1
		all, err := r.ReadAll()
		if err != nil {
			return 0, false
		}
		most = max(most, len(all)-1)
	}
	return most, true
}
