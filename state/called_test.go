package state_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/state"
	"nightporter/sync/record"
)

// When a system called last outlives the process; what is not known of a later one
// leaves what is kept.
func TestCalled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []record.Called{
		{System: "platform", Came: noon, Refused: noon.Add(-time.Hour)},
		{System: "platform", Came: noon.Add(time.Minute)},
		{System: "pms", Refused: noon},
	} {
		s, err := state.Open(t.Context(), path, state.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.NoteCalled(t.Context(), c); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := state.Open(t.Context(), path, state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Called(t.Context())
	want := map[record.System]record.Called{
		"platform": {System: "platform", Came: noon.Add(time.Minute), Refused: noon.Add(-time.Hour)}, "pms": {System: "pms", Refused: noon},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(time.Time.Equal)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
