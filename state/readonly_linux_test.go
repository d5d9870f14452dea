package state_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"nightporter/state"
)

// A file that may only be read is refused at once, not at the first write: SQLite
// opens it without a word. Root may write everything, so the test goes on as
// somebody else, on a thread that ends with it.
func TestFileThatMayNotBeWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	open(t, path, state.Options{}).Close()
	for name, mode := range map[string]os.FileMode{path: 0o444, filepath.Dir(dir): 0o755} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if os.Geteuid() == 0 {
			if err := syscall.Setfsuid(65534); err != nil {
				t.Error(err)
				return
			}
		}
		s, err := state.Open(t.Context(), path, state.Options{})
		if err == nil {
			s.Close()
		}
		readOnly(t, err)
		s, err = state.Open(t.Context(), filepath.Join(dir, "new.db"), state.Options{})
		if err == nil {
			s.Close()
		}
		if os.Geteuid() == 0 { // the folder is root's
			readOnly(t, err)
		}
	}()
	<-done
}
