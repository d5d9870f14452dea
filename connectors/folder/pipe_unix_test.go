//go:build unix

package folder

import (
	"path/filepath"
	"syscall"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/internal/dockit"
	"nightporter/sync/record"
)

// A pipe is no document, and is never waited for.
func TestPipe(t *testing.T) {
	s := newShelf(t)
	s.put("a.md", "x")
	if err := syscall.Mkfifo(filepath.Join(s.dir, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.touch("pipe.md", s.now.AddDate(-1, 0, 0))
	c := s.open(nil)
	s.shows("all", c, map[string]string{"a.md": "a||"})
	_, err := c.Open(t.Context(), record.Ref{Kind: dockit.Kind, ID: "pipe.md@0123456789abcdef"}, dockit.ContentPath)
	if connectors.ClassOf(err) != connectors.NotFound {
		t.Errorf("opened as a document: got %v, want not found", err)
	}
}
