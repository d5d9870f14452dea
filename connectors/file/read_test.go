package file_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"nightporter/connectors"
	"nightporter/connectors/file"
	"nightporter/sync/record"
)

// folder is a folder with these files, and a connector to one kind of it.
func folder(t testing.TB, f file.File, files map[string]string) *file.Conn {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.Key) == 0 {
		f.Key = []string{"telefono"}
	}
	c, err := file.Open(file.Config{Folder: dir, Files: map[record.Kind]file.File{"guests": f}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// listed is what a list shows: by id the fields as text, or why a row can't be read.
func listed(t testing.TB, c *file.Conn, names ...string) (map[string]string, string, error) {
	t.Helper()
	p, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests", Fields: names}, "")
	if err != nil {
		return nil, "", err
	}
	out := map[string]string{}
	for _, it := range p.Items {
		id := it.ID
		if strings.Contains(" "+id, " row ") {
			id = id[:strings.LastIndexByte(id, ' ')] // the digest behind it says nothing
		}
		r, err := p.Read(it)
		if err != nil {
			out[id] = err.Error()
			continue
		}
		var parts []string
		for _, name := range r.Fields.Names() {
			parts = append(parts, name+"="+r.Fields[name].Text())
		}
		out[id] = strings.Join(parts, " ")
	}
	return out, p.Flaw, nil
}

func cp1252(t testing.TB, text string) string {
	t.Helper()
	b, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const header = "nome,cognome,telefono\n"

func TestRead(t *testing.T) {
	anna := map[string]string{"+390550001": "nome=Anna cognome=Rossi telefono=+390550001"}
	anna["+390550001"] = "cognome=Rossi nome=Anna telefono=+390550001"
	for _, tt := range []struct {
		name string
		text string
		f    file.File
		want map[string]string
		flaw string
	}{
		{"plain", header + "Anna,Rossi,+390550001\n", file.File{}, anna, ""},
		{"BOM", "\ufeff" + header + "Anna,Rossi,+390550001\n", file.File{}, anna, ""},
		{"CRLF", "nome,cognome,telefono\r\nAnna,Rossi,+390550001\r\n", file.File{}, anna, ""},
		{"semicolons", "nome;cognome;telefono\nAnna;Rossi;+390550001\n", file.File{}, anna, ""},
		{"tabs", "nome\tcognome\ttelefono\nAnna\tRossi\t+390550001\n", file.File{}, anna, ""},
		{"said by the file", "sep=;\r\nnome;cognome;telefono\r\nAnna;Rossi;+390550001\r\n", file.File{}, anna, ""},
		{"said by the settings", "nome;cognome;telefono\nAnna;Rossi;+390550001\n", file.File{Separator: ';'}, anna, ""},
		{
			"a separator in quotes of the header", "\"nome\",\"cognome\",\"telefono\",\"a;b;c;d;e\"\nAnna,Rossi,+390550001,x\n",
			file.File{},
			map[string]string{"+390550001": "a;b;c;d;e=x cognome=Rossi nome=Anna telefono=+390550001"},
			"",
		},
		{"blanks around names", " nome , cognome,telefono \nAnna,Rossi,+390550001\n", file.File{}, anna, ""},
		{"cells to spare at the end", "nome,cognome,telefono\nAnna,Rossi,+390550001,,\n", file.File{}, anna, ""},
		{"rows of nothing", header + "\n,,\nAnna,Rossi,+390550001\n , ,\n\n", file.File{}, anna, ""},
		{"no end, and it may be so", header + "Anna,Rossi,+390550001", file.File{OpenEnd: true}, anna, ""},
		{"an apostrophe before a phone", header + "Anna,Rossi,'+390550001\n", file.File{}, anna, ""},
		{"lines in quotes", header + "Anna,\"Ros\r\nsi\n\",1\n", file.File{}, map[string]string{"1": "cognome=Ros\r\nsi\n nome=Anna telefono=1"}, ""},
		{
			"what looks like numbers stays text", "nome,telefono\n1.50,0012\n1e3,2026-01-02\n",
			file.File{},
			map[string]string{"0012": "nome=1.50 telefono=0012", "2026-01-02": "nome=1e3 telefono=2026-01-02"},
			"",
		},
		{"Windows-1252", cp1252(t, header+"Zoë,Müller€,1\n"), file.File{Encoding: file.Windows1252}, map[string]string{"1": "cognome=Müller€ nome=Zoë telefono=1"}, ""},
		{"Windows-1252, and yet UTF-8 by its mark", "\ufeff" + header + "Zoë,Müller,1\n", file.File{Encoding: file.Windows1252}, map[string]string{"1": "cognome=Müller nome=Zoë telefono=1"}, ""},
		{"a key of two columns", "nome,cognome,telefono\nA,\"b,c\",1\n", file.File{Key: []string{"nome", "cognome"}}, map[string]string{"A,b%2Cc": "cognome=b,c nome=A telefono=1"}, ""},
		{"the other language's names", "first_name,last_name,phone\nAnna,Rossi,1\n", file.File{}, map[string]string{"1": "first_name=Anna last_name=Rossi phone=1"}, ""},
		{
			"a row without a key", header + "Anna,Rossi,1\nBruno,Bianchi,\n",
			file.File{},
			map[string]string{"1": "cognome=Rossi nome=Anna telefono=1", "row without a key": "fetch guests: guests.csv, line 3: nothing in telefono, which tells rows apart"},
			"guests.csv, line 3: nothing in telefono, which tells rows apart",
		},
		{
			"a key twice", header + "Anna,Rossi,1\nBruno,Bianchi,1\nCarla,Verdi,2\n",
			file.File{},
			map[string]string{"1": "fetch guests: guests.csv, line 2: its key stands in line 3, too", "2": "cognome=Verdi nome=Carla telefono=2"},
			"",
		},
		{
			"too many cells", header + "Anna,Rossi, née Verdi,1\nBruno,Bianchi,2\n",
			file.File{},
			map[string]string{
				"2":              "cognome=Bianchi nome=Bruno telefono=2",
				"unreadable row": "fetch guests: guests.csv, line 2: 4 cells under a header of 3: a separator may stand in a value without quotes",
			},
			"guests.csv, line 2: 4 cells under a header of 3: a separator may stand in a value without quotes",
		},
		{
			"too few cells, after lines in quotes", header + "\"A\nB\",Rossi,1\nBruno,2\n",
			file.File{},
			map[string]string{
				"1":              "cognome=Rossi nome=A\nB telefono=1",
				"unreadable row": "fetch guests: guests.csv, line 4: 2 cells under a header of 3: a separator may stand in a value without quotes",
			},
			"guests.csv, line 4: 2 cells under a header of 3: a separator may stand in a value without quotes",
		},
		{
			"nothing in a part of the key", header + "Anna,,1\n",
			file.File{Key: []string{"nome", "cognome"}},
			map[string]string{"row without a key": "fetch guests: guests.csv, line 2: nothing in nome, cognome, which tells rows apart"},
			"guests.csv, line 2: nothing in nome, cognome, which tells rows apart",
		},
		{
			"lines are counted from the first", "sep=,\n" + header + "Anna,Rossi\n",
			file.File{},
			map[string]string{"unreadable row": "fetch guests: guests.csv, line 3: 2 cells under a header of 3: a separator may stand in a value without quotes"},
			"guests.csv, line 3: 2 cells under a header of 3: a separator may stand in a value without quotes",
		},
		{
			"a quote ends too early in the last line", header + "\"Anna\"a,Rossi,1\n",
			file.File{},
			map[string]string{"unreadable row": "fetch guests: guests.csv, line 2: a quote stands where none may"},
			"guests.csv, line 2: a quote stands where none may",
		},
		{
			"an odd quote in the midst", header + "\"An\"na\",Rossi,1\nBruno,Bianchi,2\n",
			file.File{},
			map[string]string{"2": "cognome=Bianchi nome=Bruno telefono=2", "unreadable row": "fetch guests: guests.csv, line 2: a quote stands where none may"},
			"guests.csv, line 2: a quote stands where none may",
		},
		{
			"a stray quote", header + "An\"na,Rossi,1\nBruno,Bianchi,2\n",
			file.File{},
			map[string]string{"2": "cognome=Bianchi nome=Bruno telefono=2", "unreadable row": "fetch guests: guests.csv, line 2: a quote stands where none may"},
			"guests.csv, line 2: a quote stands where none may",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.f.Name = "guests.csv"
			got, flaw, err := listed(t, folder(t, tt.f, map[string]string{"guests.csv": tt.text}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || flaw != tt.flaw {
				t.Errorf("rows (-want +got):\n%s\nflaw %q, want %q", diff, flaw, tt.flaw)
			}
		})
	}
}

func TestReadJSONLines(t *testing.T) {
	f := file.File{Name: "calls.jsonl", Key: []string{"call.id"}}
	got, flaw, err := listed(t, folder(t, f, map[string]string{
		"calls.jsonl": `{"call":{"id":7},"cost":1.50,"at":"2026-01-02T03:04:05Z"}` + "\n\n[1]\n{\n" + `{"cost":2}` + "\n",
	}), "cost", "at")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"7":                 "at=2026-01-02T03:04:05Z cost=1.5",
		"unreadable row":    "",
		"row without a key": "fetch guests: calls.jsonl, line 5: nothing in call.id, which tells rows apart",
	}
	want["unreadable row"] = got["unreadable row"] // there are two
	if diff := cmp.Diff(want, got); diff != "" || flaw != "calls.jsonl, line 3: it is no object, and 2 more rows like it" {
		t.Errorf("rows (-want +got):\n%s\nflaw %q", diff, flaw)
	}
}

// What is not taken for whole is an error, and says what to do.
func TestNotWhole(t *testing.T) {
	one := header + "Anna,Rossi,1\n"
	for _, tt := range []struct {
		name  string
		f     file.File
		files map[string]string
		class connectors.ErrorClass
		want  string
	}{
		{"missing", file.File{}, nil, connectors.Transient, "no such file or directory (a file that is missing is never taken for an empty list)"},
		{"empty", file.File{MayBeEmpty: true}, map[string]string{"guests.csv": ""}, connectors.Transient, "guests.csv: it is empty"},
		{"a mark alone", file.File{MayBeEmpty: true}, map[string]string{"guests.csv": "\ufeff"}, connectors.Transient, "guests.csv: it is empty"},
		{"a header alone", file.File{}, map[string]string{"guests.csv": header}, connectors.Transient, "it has no rows: if that may be, say may_be_empty: true"},
		{"blank lines alone", file.File{MayBeEmpty: true}, map[string]string{"guests.csv": "\n\n"}, connectors.Malformed, "it has no header line"},
		{"cut off in a line", file.File{}, map[string]string{"guests.csv": one + "Bruno,Bia"}, connectors.Transient, "its last line has no end"},
		{"cut off in quotes", file.File{}, map[string]string{"guests.csv": one + "Bruno,\"Bia\n"}, connectors.Malformed, "a quote that is opened in line 3 is never closed"},
		{"no key column", file.File{}, map[string]string{"guests.csv": "nome,tel\nAnna,1\n"}, connectors.Malformed, `there is no column "telefono"; there are: nome, tel`},
		{"the key twice", file.File{}, map[string]string{"guests.csv": "Telefono,nome,telefono\n1,Anna,2\n"}, connectors.Malformed, `column "telefono" stands in the header 2 times (column 1, column 3)`},
		{"UTF-8 where Windows-1252 is said", file.File{Encoding: file.Windows1252}, map[string]string{"guests.csv": one + "Zoë,x,2\n"}, connectors.Malformed, "line 3 is UTF-8, and so is all of it, but encoding says windows-1252"},
		{"not UTF-8", file.File{}, map[string]string{"guests.csv": cp1252(t, one+"Zoë,x,2\n")}, connectors.Malformed, "line 3 is not UTF-8: if a program for Windows writes it, say encoding: windows-1252"},
		{"UTF-16", file.File{}, map[string]string{"guests.csv": "\xff\xfen\x00"}, connectors.Malformed, "it is UTF-16: have it written as UTF-8"},
		{"nobody can tell the separator", file.File{}, map[string]string{"guests.csv": "nome;telefono,x\nA;1,x\n"}, connectors.Malformed, "say separator"},
		{"no header", file.File{}, map[string]string{"guests.csv": "Anna,Rossi,+39055000111\nBruno,Bianchi,+39055000222\n"}, connectors.Malformed, "guests.csv: its first line looks like a row: the names of the columns belong there"},
		{"too many rows", file.File{MaxRows: 1}, map[string]string{"guests.csv": one + "Bruno,Bianchi,2\n"}, connectors.Malformed, "guests.csv: it has more than the 1 rows of max_rows"},
		{"too large", file.File{MaxBytes: 1 << 20}, map[string]string{"guests.csv": one + strings.Repeat("x", 1<<20)}, connectors.Malformed, "bytes are more than the 1 MB of max_mb"},
		{"not done", file.File{Done: ".done"}, map[string]string{"guests.csv": one}, connectors.Transient, "guests.csv: its .done file is not there yet"},
		{"changed just now", file.File{Unchanged: time.Hour}, map[string]string{"guests.csv": one}, connectors.Transient, "is read when it has stood for 1h0m0s"},
		{"none goes by the pattern", file.File{Name: "guests-*.csv"}, map[string]string{"guests.csv": one}, connectors.Transient, "guests-*.csv: there is no such file"},
		{"all unfinished", file.File{Name: "guests-*"}, map[string]string{"guests-1.csv.part": one, ".guests-2.csv": one}, connectors.Transient, "guests-*: there is no such file"},
		{"files of ours", file.File{Name: "*"}, map[string]string{".guests.csv.nightporter-new": one}, connectors.Transient, "*: there is no such file"},
		{"none is done", file.File{Name: "guests-*", Done: ".ok"}, map[string]string{"guests-1.csv": one}, connectors.Transient, "none of 1 files has its .ok file yet"},
		{"JSON, empty", file.File{Name: "guests.jsonl"}, map[string]string{"guests.jsonl": ""}, connectors.Transient, "guests.jsonl: it is empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.f.Name == "" {
				tt.f.Name = "guests.csv"
			}
			tt.f.Format = file.CSV
			if strings.HasSuffix(tt.f.Name, "l") {
				tt.f.Format = file.JSONL
			}
			got, _, err := listed(t, folder(t, tt.f, tt.files))
			if err == nil {
				t.Fatalf("got a list %v, want an error", got)
			}
			if connectors.ClassOf(err) != tt.class || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %s: %v\nwant %s: %s", connectors.ClassOf(err), err, tt.class, tt.want)
			}
		})
	}
}

// Of several files the newest by name counts, or all, the newest row for each key.
func TestSeveral(t *testing.T) {
	files := map[string]string{
		"g-01.csv":      "telefono,nome\n1,Anna\n2,Bruno\n",
		"g-02.csv":      "nome,telefono\nCarla,2\nDario,3\n",
		"g-03.csv.part": "nome,telefono\nX,9\n",
	}
	for several, want := range map[file.Several]map[string]string{
		file.Newest: {"2": "nome=Carla telefono=2", "3": "nome=Dario telefono=3"},
		file.All:    {"1": "nome=Anna telefono=1", "2": "nome=Carla telefono=2", "3": "nome=Dario telefono=3"},
	} {
		got, _, err := listed(t, folder(t, file.File{Name: "g-*", Format: file.CSV, Several: several}, files))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", several, err, diff)
		}
	}
}

// A done file that is older than its file belongs to the night before.
func TestDone(t *testing.T) {
	c := folder(t, file.File{Name: "g.csv", Done: ".done"}, map[string]string{"g.csv": header + "A,B,1\n", "g.csv.done": ""})
	if _, _, err := listed(t, c); err != nil {
		t.Fatal(err)
	}
	d, _ := c.Grants(t.Context(), "guests", nil, nil, nil)
	dir := strings.TrimPrefix(d[0], "read g.csv in ")
	before := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "g.csv.done"), before, before); err != nil {
		t.Fatal(err)
	}
	if _, _, err := listed(t, c); err == nil || !strings.Contains(err.Error(), "may be written anew") {
		t.Errorf("got %v, want that the done file is too old", err)
	}
}

// An export that stopped coming is an error, and no list.
func TestStale(t *testing.T) {
	for _, tt := range []struct {
		name string
		age  map[string]time.Duration
		f    file.File
		want string
	}{
		{"one", map[string]time.Duration{"guests.csv": 31 * time.Hour}, file.File{Name: "guests.csv"}, "guests.csv: its export seems to have stopped coming: it was written last 31h0m0s ago, and stale_after is 30h0m0s"},
		{"one that comes", map[string]time.Duration{"guests.csv": 29 * time.Hour}, file.File{Name: "guests.csv"}, ""},
		{"the newest by name", map[string]time.Duration{"guests-1.csv": time.Hour, "guests-2.csv": 31 * time.Hour}, file.File{Name: "guests-*.csv"}, "guests-2.csv: its export"},
		{"one of all", map[string]time.Duration{"guests-1.csv": time.Hour, "guests-2.csv": 31 * time.Hour}, file.File{Name: "guests-*.csv", Several: file.All}, ""},
		{"a clock that is ahead", map[string]time.Duration{"guests.csv": -time.Hour}, file.File{Name: "guests.csv"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{}
			for name := range tt.age {
				files[name] = header + "A,B,1\n"
			}
			tt.f.StaleAfter = 30 * time.Hour
			c := folder(t, tt.f, files)
			d, _ := c.Grants(t.Context(), "guests", nil, nil, nil)
			_, dir, _ := strings.Cut(d[0], " in ")
			for name, age := range tt.age {
				at := time.Now().Add(-age)
				if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
					t.Fatal(err)
				}
			}
			_, _, err := listed(t, c)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("got %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || connectors.ClassOf(err) != connectors.Transient):
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// A row that nobody can read may be any: nobody is said to be missing.
func TestNobodyIsMissingBesideWhatCantBeRead(t *testing.T) {
	c := folder(t, file.File{Name: "g.csv"}, map[string]string{"g.csv": header + "Anna,Rossi,1\nBruno,Bian,chi,2\n"})
	_, err := c.Get(t.Context(), record.Ref{Kind: "guests", ID: "2"}, connectors.Scope{})
	if connectors.ClassOf(err) != connectors.Rejected {
		t.Errorf("get: got %v, want rejected", err)
	}
	_, err = c.Find(t.Context(), "guests", record.Fields{"nome": record.OfText("Bruno")}, connectors.Scope{})
	if connectors.ClassOf(err) != connectors.Unsupported {
		t.Errorf("find: got %v, want unsupported", err)
	}
	found, err := c.Find(t.Context(), "guests", record.Fields{"nome": record.OfText("Anna")}, connectors.Scope{})
	if err != nil || len(found) != 1 {
		t.Errorf("find who is there: %v, %v", found, err)
	}
	c = folder(t, file.File{Name: "g.csv"}, map[string]string{"g.csv": header + "Anna,Rossi,1\nBruno,Bianchi,\n"})
	if _, err = c.Find(t.Context(), "guests", record.Fields{"nome": record.OfText("Bruno")}, connectors.Scope{}); connectors.ClassOf(err) != connectors.Unsupported {
		t.Errorf("find a row without a key: got %v, want unsupported", err)
	}
	if found, err = c.Find(t.Context(), "guests", record.Fields{"nome": record.OfText("Carla")}, connectors.Scope{}); err != nil || found != nil {
		t.Errorf("find nobody: %v, %v", found, err)
	}
}

// A header that is wrong for a night says nothing about any one record.
func TestGetFromABrokenFile(t *testing.T) {
	c := folder(t, file.File{Name: "g.csv", Fields: []string{"nome"}}, map[string]string{"g.csv": "telefono,vorname\n1,Anna\n"})
	_, err := c.Get(t.Context(), record.Ref{Kind: "guests", ID: "1"}, connectors.Scope{})
	if connectors.ClassOf(err) != connectors.Transient {
		t.Errorf("get: %v, want transient", err)
	}
	_, err = c.Find(t.Context(), "guests", record.Fields{"telefono": record.OfText("1")}, connectors.Scope{})
	if connectors.ClassOf(err) != connectors.Transient {
		t.Errorf("find: %v, want transient", err)
	}
}

// A digest tells rows without a key of their own.
func TestDigest(t *testing.T) {
	c := folder(t, file.File{Name: "g.csv", Key: []string{"nome", "cognome"}, Digest: true}, map[string]string{"g.csv": header + "Anna,Rossi,1\nAn,naRossi,2\n,Verdi,3\n,,4\n"})
	p, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests"}, "")
	if err != nil || len(p.Items) != 4 {
		t.Fatalf("%v, %d rows, want 4", err, len(p.Items))
	}
	readable := 0
	for _, it := range p.Items {
		if _, err := p.Read(it); err == nil {
			readable++
		}
	}
	if readable != 3 {
		t.Errorf("%d rows have an id, want 3", readable)
	}
}
