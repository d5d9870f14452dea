package state_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/state"
	"nightporter/sync/record"
)

// Quotas that are not believed are kept as they were noted last.
func TestOutside19DoubtsAreKept(t *testing.T) {
	s, err := state.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, want := range [][]record.QuotaDoubt{
		nil,
		{{System: "crm", Quota: "x-ratelimit", Until: noon, Next: noon.Add(-time.Hour)}, {System: "platform", Belied: true}},
		{{System: "platform", Belied: true}},
		nil,
	} {
		if err := s.KeepDoubts(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		got, err := s.Doubts(t.Context())
		if diff := cmp.Diff(want, got, cmp.Comparer(time.Time.Equal)); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}
