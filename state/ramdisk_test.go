package state_test

import (
	"context"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/record"
)

// What a Store committed outlives it; what was cut off, and a limit on its growth, do not.
func TestRAMDisk(t *testing.T) {
	ctx := t.Context()
	disk, err := state.NewRAMDisk(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
	}()
	open := func() *state.Store {
		t.Helper()
		s, err := state.Open(ctx, state.Memory, state.Options{Disk: disk})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	pause := func(s *state.Store, name string) error {
		return s.Pause(ctx, record.Pause{Scope: record.PauseJob, Name: name, Since: time.Unix(1, 0)})
	}
	one := open()
	if err := pause(one, "guests"); err != nil {
		t.Fatal(err)
	}
	if two, err := state.Open(ctx, state.Memory, state.Options{Disk: disk}); err == nil {
		t.Error("two Stores are open on it at once")
		_ = two.Close()
	}
	func() {
		defer func() { _ = recover() }()
		_ = one.Together(ctx, func(context.Context) error { panic("a death") })
	}()
	if err := one.LimitGrowth(ctx, 0); err != nil {
		t.Fatal(err)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	two := open()
	defer two.Close()
	ps, err := two.Paused(ctx, time.Unix(2, 0))
	if err != nil || len(ps) != 1 {
		t.Errorf("the next Store knows %d pauses, want 1, %v", len(ps), err)
	}
	for n := range 300 {
		if err := pause(two, time.Duration(n).String()+" is the name of a job that takes some room"); err != nil {
			t.Fatalf("the next Store is bound by the limit of the one before: %v", err)
		}
	}
}
