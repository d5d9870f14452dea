//go:build unix

package folder

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe is no document, and is never waited for.
func TestPipe(t *testing.T) {
	s := newShelf(t)
	s.put("a.md", "x")
	if err := syscall.Mkfifo(filepath.Join(s.dir, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.touch("pipe.md", s.now.AddDate(-1, 0, 0))
	s.shows("all", s.open(nil), map[string]string{"a.md": "a||"})
}
