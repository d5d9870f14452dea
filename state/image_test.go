package state_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// A Store of an image knows what the other knew, is one of its own, and can grow.
func TestImage(t *testing.T) {
	ctx := t.Context()
	one, err := state.OpenMemory(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	pause := func(s *state.Store, name string) {
		t.Helper()
		if err := s.Pause(ctx, record.Pause{Scope: record.PauseJob, Name: name, Since: time.Unix(1, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	pauses := func(s *state.Store) int {
		t.Helper()
		ps, err := s.Paused(ctx, time.Unix(2, 0))
		if err != nil {
			t.Fatal(err)
		}
		return len(ps)
	}
	pause(one, "guests")
	image, err := one.Image(ctx)
	if err != nil {
		t.Fatal(err)
	}
	two, err := state.Open(ctx, state.Memory, state.Options{Image: image})
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	if got := pauses(two); got != 1 {
		t.Errorf("the other knows %d pauses, want 1", got)
	}
	for n := range 3000 {
		pause(two, fmt.Sprintf("job %d, of a name that takes some room", n))
	}
	if got := pauses(one); got != 1 {
		t.Errorf("the first knows %d pauses, want 1", got)
	}
}

func TestImageOfFile(t *testing.T) {
	s, err := state.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Image(t.Context()); err == nil {
		t.Error("an image of a file was taken, want an error")
	}
}
