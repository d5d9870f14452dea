package file_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"nightporter/connectors/file"
)

// What stands beside a file that is written is made anew: a link there leads to no other
// file, and a lock that is one is refused.
func TestOutside26NothingIsWrittenThroughLinks(t *testing.T) {
	const theirs = "another file\n"
	for _, tt := range []struct {
		what   string
		write  file.Write
		target string // what is behind the link; "" makes none
		fails  bool
	}{
		{"note", file.Append, theirs, false},
		{"note", file.Append, "", false},
		{"new", file.Rewrite, theirs, false},
		{"lock", file.Append, theirs, true},
		{"lock", file.Append, "", true},
		{"lock", file.Rewrite, "", true},
	} {
		t.Run(tt.what+" of "+string(tt.write)+" "+tt.target, func(t *testing.T) {
			h := newHouse(t, file.File{Name: "guests.csv", Write: tt.write}, "id,name\n1,Anna\n", nil)
			other := filepath.Join(t.TempDir(), "other")
			if tt.target != "" {
				if err := os.WriteFile(other, []byte(tt.target), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(other, filepath.Join(filepath.Dir(h.path), ".guests.csv.nightporter-"+tt.what)); err != nil {
				t.Fatal(err)
			}
			_, err := h.conn.Apply(t.Context(), create("id", "2", "name", "Bruno"))
			if (err != nil) != tt.fails {
				t.Errorf("got error %v, want one: %v", err, tt.fails)
			}
			b, err := os.ReadFile(other)
			if tt.target == "" && !errors.Is(err, os.ErrNotExist) || string(b) != tt.target {
				t.Errorf("the file behind the link: %q, %v, want %q", b, err, tt.target)
			}
		})
	}
}
