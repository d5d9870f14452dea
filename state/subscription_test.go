package state_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/state"
	"nightporter/sync/record"
)

// A subscription outlives the process with its secrets, in a file that its owner alone
// can read, and is forgotten with them.
func TestSubscription(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	want := map[record.System]record.Subscription{
		"platform": {
			System: "platform", ID: "we_2", Since: noon, Marked: true, State: record.Differs, Why: "it is so", Checked: noon, Created: 2, Repaired: 1, Rotated: 3,
			Mended: noon, MendedOf: "it was disabled", Tried: "abc", TriedAt: noon, Address: "https://h.example.com/hooks", Moves: 2, MovesSince: noon, Unheard: true,
			Secrets: []record.Signed{{By: "we_2", Secret: "new", Since: noon}, {By: "we_1", Secret: "old", Since: noon, Until: noon.Add(time.Hour)}},
		},
		"platform_2": {System: "platform_2", State: record.NotOffered},
	}
	keep := func(do func(*state.Store) error) {
		t.Helper()
		s, err := state.Open(t.Context(), path, state.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := do(s); err != nil {
			t.Fatal(err)
		}
	}
	is := func() {
		t.Helper()
		keep(func(s *state.Store) error {
			got, err := s.Subscriptions(t.Context())
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			return err
		})
	}
	for _, sub := range want {
		keep(func(s *state.Store) error { return s.KeepSubscription(t.Context(), sub) })
	}
	is()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v: others can read it", f, info.Mode())
		}
	}
	keep(func(s *state.Store) error { return s.ForgetSubscription(t.Context(), "platform") })
	delete(want, "platform")
	is()
	copied := path + ".copy"
	keep(func(s *state.Store) error { return s.CopyTo(t.Context(), copied) })
	text, err := os.ReadFile(copied)
	if err != nil || strings.Contains(string(text), `"secret":"new"`) {
		t.Errorf("%v: a copy holds a secret that was forgotten", err)
	}
}
