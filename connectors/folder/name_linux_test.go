package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/internal/dockit"
	"nightporter/sync/record"
)

// A folder whose name is no UTF-8 can't be looked into: it is named, the rest is read, and
// nothing counts as gone because of it.
func TestFolderOfAnotherEncoding(t *testing.T) {
	s := newShelf(t)
	s.put("menu/a.md", "x")
	s.put("z.md", "y")
	was := record.Ref{Kind: dockit.Kind, ID: dockit.Doc{Path: "menu/a.md", Digest: dockit.Digest([]byte("x"))}.ID()}
	s.put(".men\xf9/hidden.md", "x")
	if err := os.Rename(filepath.Join(s.dir, "menu"), filepath.Join(s.dir, "men\xf9")); err != nil {
		t.Fatal(err)
	}
	c := s.open(nil)
	got, flaw := s.list(c)
	if len(got) != 2 || got["z.md"] != "z||" || !strings.Contains(got["men?"], "bad: ") || !strings.Contains(got["men?"], "rename the folder") {
		t.Errorf("got %v, want z.md, and the folder refused", got)
	}
	if flaw != "men? can't be looked into" {
		t.Errorf("got flaw %q", flaw)
	}
	if _, err := c.Get(t.Context(), was, connectors.Scope{}); connectors.ClassOf(err) != connectors.Rejected {
		t.Errorf("what was in it: got %v, want no word of what became of it", err)
	}
	s.touch("z.md", s.now)
	if _, flaw := s.list(c); flaw != "men? can't be looked into; z.md is being written" {
		t.Errorf("with a file that is being written: got flaw %q", flaw)
	}
	s.touch("z.md", s.now.AddDate(0, 0, -1))
	s.shows("excluded", s.open(func(c *Config) { c.Exclude = []string{"men?/**"} }), map[string]string{"z.md": "z||"})
}

// A file whose name is no UTF-8 is shown by the name it can be told by, and is no document.
func TestFileOfAnotherEncoding(t *testing.T) {
	s := newShelf(t)
	s.put("en/a.md", "x")
	for _, name := range []string{"en/men\xf9.md", "en/.men\xf9.md", "en/men\xf9.exe", "en/old\xf9.md"} {
		s.put(name, "x")
	}
	got, flaw := s.list(s.open(func(c *Config) { c.Exclude = []string{"old*"} }))
	if len(got) != 2 || got["en/a.md"] != "a||" || !strings.Contains(got["en/men?.md"], "bad: ") || !strings.Contains(got["en/men?.md"], "rename the file") || flaw != "" {
		t.Errorf("got %q, flaw %q, want the other, and this one refused", got, flaw)
	}
}

// One that turns into such a name is not gone: it is there, and holds the same.
func TestFileThatTurnsIntoAnotherEncoding(t *testing.T) {
	s := newShelf(t)
	s.put("en/men\u00f9.md", "x")
	s.put("z.md", "y")
	was := func(text string) record.Ref {
		return record.Ref{Kind: dockit.Kind, ID: dockit.Doc{Path: "en/men\u00f9.md", Digest: dockit.Digest([]byte(text))}.ID()}
	}
	if err := os.Rename(filepath.Join(s.dir, "en/men\u00f9.md"), filepath.Join(s.dir, "en/men\xf9.md")); err != nil {
		t.Fatal(err)
	}
	c := s.open(nil)
	_, err := c.Get(t.Context(), was("x"), connectors.Scope{})
	if connectors.ClassOf(err) != connectors.Rejected || !strings.Contains(err.Error(), "en/men?.md holds the same: ") {
		t.Errorf("what holds the same: got %v, want no word of what became of it", err)
	}
	if _, err := c.Get(t.Context(), was("z"), connectors.Scope{}); connectors.ClassOf(err) != connectors.NotFound {
		t.Errorf("what nothing holds: got %v, want that it is gone", err)
	}
	s.put("en/menu.md", "x")
	if _, err := c.Get(t.Context(), was("x"), connectors.Scope{}); connectors.ClassOf(err) != connectors.Moved {
		t.Errorf("what has a name as well: got %v, want that name", err)
	}
}
