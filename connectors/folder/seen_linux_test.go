package folder

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/internal/dockit"
)

// A file is read again when anything of it has changed, and otherwise only where what was
// read of it may have been changed since without a trace.
func TestFilesAreReadWhenTheyChange(t *testing.T) {
	s := newShelf(t)
	var read []string
	c := s.open(func(cfg *Config) { cfg.read = func(name string) { read = append(read, name) } })
	look := func(what string, want ...string) map[string]string {
		t.Helper()
		read = nil
		page, err := c.Fetch(t.Context(), connectors.Query{Kind: dockit.Kind}, "")
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(read)
		if !slices.Equal(read, want) {
			t.Errorf("%s: read %q, want %q", what, read, want)
		}
		got := map[string]string{}
		for _, it := range page.Items {
			rec, err := page.Read(it)
			if err != nil {
				t.Fatal(err)
			}
			got[rec.Fields["path"].Text()] = rec.Fields["digest"].Text()
		}
		return got
	}
	s.put("a.md", "---\ndraft: true\n---\nx")
	s.put("b.txt", "one")
	look("first", "a.md", "b.txt")
	s.now = s.now.Add(time.Second)
	look("too soon to tell", "a.md", "b.txt")
	s.now = s.now.Add(2 * time.Second)
	look("once more", "a.md", "b.txt")
	look("as they were")

	s.put("b.txt", "two")
	if got := look("another text of the same length", "b.txt"); got["b.txt"] != dockit.Digest([]byte("two")) {
		t.Errorf("b.txt has the digest %s, want that of its new text", got["b.txt"])
	}
	s.now = s.now.Add(3 * time.Second)
	look("it is read until it is told from the one before", "b.txt")
	look("and then not")

	if err := os.Rename(filepath.Join(s.dir, "b.txt"), filepath.Join(s.dir, "c.txt")); err != nil {
		t.Fatal(err)
	}
	look("another name", "c.txt")
	s.now = s.now.Add(3 * time.Second)
	look("another name, later", "c.txt")
	s.now = s.now.Add(seenFor + time.Second)
	look("a day later", "a.md", "c.txt")
}
