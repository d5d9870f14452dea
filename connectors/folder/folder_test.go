package folder

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors"
	"nightporter/connectors/internal/dockit"
	"nightporter/sync/record"
)

// shelf is a folder in a test.
type shelf struct {
	t   *testing.T
	dir string
	now time.Time
}

func newShelf(t *testing.T) *shelf {
	return &shelf{t: t, dir: t.TempDir(), now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
}

// put writes a file as of an hour ago.
func (s *shelf) put(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		s.t.Fatal(err)
	}
	s.touch(name, s.now.Add(-time.Hour))
}

func (s *shelf) touch(name string, at time.Time) {
	s.t.Helper()
	if err := os.Chtimes(filepath.Join(s.dir, name), at, at); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) open(edit func(*Config)) *Conn {
	s.t.Helper()
	cfg := Config{Folder: s.dir, Unchanged: 2 * time.Second, now: func() time.Time { return s.now }}
	if edit != nil {
		edit(&cfg)
	}
	c, err := Open(cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// list is the documents by path, each "title language tags", and what can't be read.
func (s *shelf) list(c *Conn) (docs map[string]string, flaw string) {
	s.t.Helper()
	p, err := c.Fetch(s.t.Context(), connectors.Query{Kind: dockit.Kind}, "")
	if err != nil {
		s.t.Fatal(err)
	}
	docs = map[string]string{}
	for _, it := range p.Items {
		r, err := p.Read(it)
		if err != nil {
			docs[it.ID] = "bad: " + err.Error()
			continue
		}
		var tags []string
		for _, v := range r.Fields["tags"].List() {
			tags = append(tags, v.Text())
		}
		docs[r.Fields["path"].Text()] = strings.Join([]string{r.Fields["title"].Text(), r.Fields["language"].Text(), strings.Join(tags, ",")}, "|")
	}
	return docs, p.Flaw
}

func (s *shelf) shows(what string, c *Conn, want map[string]string) {
	s.t.Helper()
	got, flaw := s.list(c)
	if diff := cmp.Diff(want, got); diff != "" || flaw != "" {
		s.t.Errorf("%s (-want +got), flaw %q:\n%s", what, flaw, diff)
	}
}

func TestWhatIsADocument(t *testing.T) {
	s := newShelf(t)
	for _, name := range []string{"a.md", "B.PDF", "c.docx", "d.txt", "e.csv", "f.xlsx", "en/g.doc", "en/deep/h.md", "a@b.md"} {
		s.put(name, "x")
	}
	for _, name := range []string{".hidden.md", ".git/x.md", "~$c.docx", "d.txt~", "x.tmp", "y.md.part", "z.exe", "noext"} {
		s.put(name, "x")
	}
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"out.md": outside, "up.md": "../" + filepath.Base(filepath.Dir(outside)) + "/secret.md", "in.md": "a.md", "lost.md": "nowhere.md", "folder.md": "en",
	} {
		if err := os.Symlink(to, filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s.shows("all", s.open(nil), map[string]string{
		"a.md": "a||", "B.PDF": "B||", "c.docx": "c||", "d.txt": "d||", "e.csv": "e||", "f.xlsx": "f||", "en/g.doc": "g||", "en/deep/h.md": "h||",
		"a@b.md": "a@b||", "in.md": "in||",
	})
	s.shows("some", s.open(func(c *Config) {
		c.Include, c.Exclude = []string{"*.md", "en/*"}, []string{"**/deep/**", "in.md"}
		c.Language, c.Tags = "it", []string{"house"}
		c.ByPath = []Rule{{Match: "en/**", Language: "en", Tags: []string{"guests", "house"}}}
	}), map[string]string{"a.md": "a|it|house", "a@b.md": "a@b|it|house", "en/g.doc": "g|en|guests,house"})
}

func TestWhatADocumentSaysOfItself(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":                             {"# Hours\n", "x|it|"},
		"all":                                 {"---\ntitle: Opening hours\nlanguage: de\ntags: [b, a, b]\n---\ntext", "Opening hours|de|a,b"},
		"tags as a text":                      {"---\ntags: desk, hours\nlang: fr\n---\n", "x|fr|desk,hours"},
		"other keys":                          {"---\nauthor: me\n---\n", "x|it|"},
		"lines of Windows":                    {"\uFEFF---\r\ntitle: Hours\r\n---\r\ntext", "Hours|it|"},
		"a rule":                              {"---\ntext without an end", "x|it|"},
		"nothing else in it":                  {"---\ntitle: Hours\n---", "Hours|it|"},
		"a draft":                             {"---\ndraft: true\n---\n", ""},
		"a draft, with blanks behind its end": {"---\ndraft: true\n--- \ntext", ""},
		"a draft, with blanks behind its beginning": {"--- \t\ndraft: true\n---\ntext", ""},
		"a draft, below empty lines":                {"\uFEFF\n  \r\n---\ndraft: true\n---\ntext", ""},
		"a draft, ended by points":                  {"---\ndraft: true\n... \ntext", ""},
		"a draft and no more":                       {"---\ndraft: true\n---  ", ""},
		"points, and then a rule":                   {"---\ntitle: Hours\n...\ntext\n---\ndraft: true\n", "Hours|it|"},
		"dashes and points in a text":               {"---\ntitle: a --- b ...\nauthor: |\n  ...\n---\n", "a --- b ...|it|"},
		"nothing between":                           {"---\n---\ntext", "x|it|"},
		"blank lines and a rule":                    {"\n\n---\n\nThe text: it has no end", "x|it|"},
		"a longer rule":                             {"----\ndraft: true\n----\n", "x|it|"},
		"dashes in the middle":                      {"text\n---\ndraft: true\n---\n", "x|it|"},
		"only blanks":                               {" \n\t\n", "x|it|"},
		"not YAML":                                  {"---\ntitle: [\n---\n", "bad"},
		"a wrong type":                              {"---\ntitle: [a]\n---\n", "bad"},
	} {
		s := newShelf(t)
		s.put("x.md", tt.text)
		got, _ := s.list(s.open(func(c *Config) { c.Language = "it" }))
		if g := got["x.md"]; g != tt.want && (tt.want != "bad" || !strings.Contains(g, "lines of dashes")) {
			t.Errorf("%s: got %q, want %q", name, g, tt.want)
		}
	}
}

// What begins like what a document says of itself, and never ends, may be a draft.
func TestWhatADocumentSaysWithoutAnEnd(t *testing.T) {
	for _, text := range []string{
		"---\ndraft: true\ntext", "---\ndraft:\n", "\n--- \n\n  # not yet\n  draft: true\n\ntext", "---\n\"draft\": true\n", "---\n{draft: true}\n",
		"---\r\nlast-edit: 2026\r\n", "---\ndraft: true\n----\n", "---\nauthor: |\n" + strings.Repeat("  long\n", headMost/7) + "draft: true\n---\n",
	} {
		s := newShelf(t)
		s.put("x.md", text)
		got, _ := s.list(s.open(nil))
		if g := got["x.md"]; !strings.Contains(g, "bad: ") || !strings.Contains(g, "no second such line") {
			t.Errorf("%.60q: got %q, want it refused", text, g)
		}
	}
	for _, text := range []string{"---", "---\n", "---\n# Hours\nFrom 7", "---\nhttps://x.example\n", "---\nThe bar: from 7\n"} {
		s := newShelf(t)
		s.put("x.md", text)
		s.shows(text, s.open(nil), map[string]string{"x.md": "x||"})
	}
}

// A file that is being written is said to be there, and not shown.
func TestBeingWritten(t *testing.T) {
	s := newShelf(t)
	s.put("a.md", "x")
	s.put("b.md", "y")
	for _, age := range []time.Duration{0, time.Second, -time.Second} {
		s.touch("b.md", s.now.Add(-age))
		docs, flaw := s.list(s.open(nil))
		if flaw != "b.md is being written" || len(docs) != 1 {
			t.Errorf("changed %s ago: got %v, flaw %q", age, docs, flaw)
		}
	}
	for _, age := range []time.Duration{2 * time.Second, -time.Hour} {
		s.touch("b.md", s.now.Add(-age))
		if docs, flaw := s.list(s.open(nil)); flaw != "" || len(docs) != 2 {
			t.Errorf("changed %s ago: got %v, flaw %q, want both", age, docs, flaw)
		}
	}
}

func TestWhatCantBeRead(t *testing.T) {
	s := newShelf(t)
	s.put("a.md", "x")
	s.put("large.md", strings.Repeat("x", 101))
	got, _ := s.list(s.open(func(c *Config) { c.MaxBytes = 100 }))
	if want := "it has 101 bytes, and 100 at most are read"; !strings.Contains(got["large.md"], want) || len(got) != 2 {
		t.Errorf("got %v, want %q", got, want)
	}
	c := s.open(func(c *Config) { c.Folder = filepath.Join(s.dir, "away") })
	_, err := c.Fetch(t.Context(), connectors.Query{Kind: dockit.Kind}, "")
	if connectors.ClassOf(err) != connectors.Transient || !strings.Contains(err.Error(), "mounted") {
		t.Errorf("a folder that is not there: got %v", err)
	}
	_, err = c.Get(t.Context(), record.Ref{Kind: dockit.Kind, ID: "a.md@0123456789abcdef"}, connectors.Scope{})
	if connectors.ClassOf(err) != connectors.Transient {
		t.Errorf("a document of a folder that is not there: got %v, want no word of it", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if _, err := s.open(nil).Fetch(ctx, connectors.Query{Kind: dockit.Kind}, ""); !errors.Is(err, stop) {
		t.Errorf("told to stop: got %v", err)
	}
	closed := s.open(nil)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := closed.Fetch(t.Context(), connectors.Query{Kind: dockit.Kind}, ""); err == nil {
		t.Error("a closed folder shows something")
	}
}

// What is empty was cut and not written yet, or by mistake: what stood there before stays.
func TestEmptyFile(t *testing.T) {
	s := newShelf(t)
	s.put("prices.csv", "soup,10")
	c := s.open(nil)
	before := record.Ref{Kind: dockit.Kind, ID: dockit.Doc{Path: "prices.csv", Digest: dockit.Digest([]byte("soup,10"))}.ID()}
	s.put("prices.csv", "")
	if got, flaw := s.list(c); len(got) != 1 || !strings.Contains(got["prices.csv"], "bad: ") || !strings.Contains(got["prices.csv"], "it is empty: ") || flaw != "" {
		t.Errorf("got %v, flaw %q, want it refused", got, flaw)
	}
	if _, err := c.Get(t.Context(), before, connectors.Scope{}); connectors.ClassOf(err) != connectors.Rejected {
		t.Errorf("the version before: got %v, want no word of what became of it", err)
	}
	s.touch("prices.csv", s.now.Add(-time.Second))
	if got, flaw := s.list(c); len(got) != 0 || flaw != "prices.csv is being written" {
		t.Errorf("emptied just now: got %v, flaw %q, want it to be waited for", got, flaw)
	}
}

// An id names a version for good: it is that one, or what became of it is said.
func TestGet(t *testing.T) {
	s := newShelf(t)
	s.put("a.md", "one")
	s.put("b.md", "two")
	c := s.open(nil)
	id := func(name, text string) string {
		return dockit.Doc{Path: name, Digest: dockit.Digest([]byte(text))}.ID()
	}
	ask := func(name, text string) (string, bool, connectors.ErrorClass) {
		r, err := c.Get(t.Context(), record.Ref{Kind: dockit.Kind, ID: id(name, text)}, connectors.Scope{})
		if e, ok := errors.AsType[*connectors.Error](err); ok {
			return e.Ref.ID, e.Newer, e.Class
		}
		return r.Ref.ID, false, ""
	}
	type answer struct {
		ID    string
		Newer bool
		Class connectors.ErrorClass
	}
	is := func(what, name, text string, want answer) {
		t.Helper()
		gotID, newer, class := ask(name, text)
		if got := (answer{gotID, newer, class}); got != want {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
	}
	is("as it is", "a.md", "one", answer{ID: id("a.md", "one")})
	s.put("a.md", "three")
	is("changed", "a.md", "one", answer{id("a.md", "three"), true, connectors.Moved})
	if err := os.Remove(filepath.Join(s.dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	is("removed", "b.md", "two", answer{id("b.md", "two"), false, connectors.NotFound})
	s.put("c.md", "two")
	is("renamed", "b.md", "two", answer{id("c.md", "two"), false, connectors.Moved})
	s.put("d.md", "two")
	is("removed, and two hold the same", "b.md", "two", answer{id("c.md", "two"), false, connectors.Moved})
	s.put("sub/b.md", "two")
	is("and a third, of its name", "b.md", "two", answer{id("sub/b.md", "two"), false, connectors.Moved})
	s.touch("a.md", s.now)
	is("being written", "a.md", "one", answer{id("a.md", "one"), false, connectors.Rejected})
	s.put("a.md", "---\ntitle: [\n---\n")
	is("unreadable", "a.md", "one", answer{id("a.md", "one"), false, connectors.Rejected})
	for _, odd := range []string{"", "a.md", "@0123456789abcdef", "a.md@", "a.md@0123"} {
		if _, err := c.Get(t.Context(), record.Ref{Kind: dockit.Kind, ID: odd}, connectors.Scope{}); connectors.ClassOf(err) != connectors.NotFound {
			t.Errorf("%q: got %v, want not found", odd, err)
		}
	}
}

func TestOpenGivesBytes(t *testing.T) {
	s := newShelf(t)
	s.put("sub/a.md", "one")
	c := s.open(nil)
	p, err := c.Fetch(t.Context(), connectors.Query{Kind: dockit.Kind}, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Read(p.Items[0])
	if err != nil {
		t.Fatal(err)
	}
	want := record.Body{Digest: dockit.Digest([]byte("one")), Size: 3, Media: "text/markdown"}
	if b, ok := r.Fields[dockit.ContentPath].Body(); !ok || b != want {
		t.Errorf("the content is %+v, want %+v", b, want)
	}
	f, err := c.Open(t.Context(), r.Ref, dockit.ContentPath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := io.ReadAll(f); err != nil || string(b) != "one" {
		t.Errorf("got %q, %v", b, err)
	}
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := errors.Join(os.WriteFile(outside, []byte("secret"), 0o600), os.Symlink(outside, filepath.Join(s.dir, "out.md"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".hidden.md", ".git/x.md", "z.exe", "drafts/b.md", "folder.md/x.txt"} {
		s.put(name, "no document")
	}
	c = s.open(func(c *Config) { c.Exclude = []string{"drafts/**"} })
	for _, bad := range []record.Ref{
		{Kind: dockit.Kind, ID: "../a.md@0123456789abcdef"},
		{Kind: dockit.Kind, ID: "/etc/passwd@0123456789abcdef"},
		{Kind: "guests", ID: r.Ref.ID},
		{Kind: dockit.Kind, ID: ".hidden.md@0123456789abcdef"},
		{Kind: dockit.Kind, ID: ".git/x.md@0123456789abcdef"},
		{Kind: dockit.Kind, ID: "z.exe@0123456789abcdef"},
		{Kind: dockit.Kind, ID: "drafts/b.md@0123456789abcdef"},
		{Kind: dockit.Kind, ID: "out.md@0123456789abcdef"},
		{Kind: dockit.Kind, ID: "folder.md@0123456789abcdef"},
		{Kind: dockit.Kind, ID: "sub/gone.md@0123456789abcdef"},
		{Kind: dockit.Kind, ID: "away/a.md@0123456789abcdef"},
	} {
		f, err := c.Open(t.Context(), bad, dockit.ContentPath)
		if err == nil {
			f.Close()
		}
		if connectors.ClassOf(err) != connectors.NotFound {
			t.Errorf("%s: got %v, want not found", bad, err)
		}
	}
	c = s.open(func(c *Config) { c.Folder = filepath.Join(s.dir, "away") })
	if _, err := c.Open(t.Context(), r.Ref, dockit.ContentPath); connectors.ClassOf(err) != connectors.Transient || !strings.Contains(err.Error(), "mounted") {
		t.Errorf("of a folder that is not there: got %v, want no word of it", err)
	}
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"*.md", "a.md", true},
		{"*.md", "x/a.md", true},
		{"*.md", "a.txt", false},
		{"x/*.md", "x/a.md", true},
		{"x/*.md", "x/y/a.md", false},
		{"x/**", "x/y/a.md", true},
		{"x/**", "xy/a.md", false},
		{"**/x/*.md", "x/a.md", true},
		{"**/x/*.md", "a/b/x/a.md", true},
		{"**", "a.md", true},
		{"**/a.md", "a.md", true},
		{"x/**/a.md", "x/a.md", true},
		{"x/**/a.md", "x/y/z/b.md", false},
		{"[ab].md", "b.md", true},
	} {
		if got := fits(tt.pattern, tt.name); got != tt.want {
			t.Errorf("%s fits %s: %t", tt.name, tt.pattern, got)
		}
	}
	for _, bad := range []string{"", "/a", `a\b`, "[a"} {
		if CheckPattern(bad) == nil {
			t.Errorf("%q is taken for a pattern", bad)
		}
	}
}

// The same folder gives the same bytes, in the same order.
func TestListIsStable(t *testing.T) {
	s := newShelf(t)
	s.put("b.md", "---\ntags: [y, x]\n---\n")
	s.put("a/a.md", "x")
	c := s.open(nil)
	raws := func() []string {
		p, err := c.Fetch(t.Context(), connectors.Query{Kind: dockit.Kind}, "")
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, it := range p.Items {
			out = append(out, it.ID+" "+string(it.Raw))
		}
		return out
	}
	first := raws()
	s.touch("b.md", s.now.Add(-2*time.Hour)) // the time is no part of a document
	if again := raws(); !slices.Equal(first, again) || len(first) != 2 {
		t.Errorf("got %q, then %q", first, again)
	}
}
