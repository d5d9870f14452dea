package sqlite

import (
	"path/filepath"
	"testing"
)

// What is committed survives the loss of power: each connection that writes forces it to
// the disk.
func TestSync(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var level int
	if err := s.Writer.QueryRowContext(t.Context(), `PRAGMA synchronous`).Scan(&level); err != nil || level < fullSync {
		t.Errorf("synchronous is %d (%v), want %d: full", level, err, fullSync)
	}
}
