package state_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"nightporter/state"
	"nightporter/sync/record"
)

// The reserve is made by who runs jobs. Where it was given up and there is no room for
// it, no change is sent; with room again it is there again.
func TestF07_Reserve(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "state.db")
	s, _ := paired(t, path)
	if _, err := os.Stat(path + ".reserve"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("before anybody runs jobs: got %v", err)
	}
	if err := s.Lock(ctx, "nightporter serve", noon); err != nil {
		t.Fatal(err)
	}
	reserved := func() bool {
		info, err := os.Stat(path + ".reserve")
		return err == nil && info.Size() == 1<<20
	}
	if !reserved() {
		t.Fatal("there is no reserve")
	}
	l, err := s.Begin(ctx, "guests", false, noon)
	if err != nil {
		t.Fatal(err)
	}
	pair, _, err := s.Pair(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	intent := func(n int) record.Intent {
		return record.Intent{
			ID: fmt.Sprint("change-", n), Place: guests, Link: pair.Link, Entity: pair.Entity, Made: noon,
			Change: record.Change{Op: record.Update, Ref: pair.Sides[0].Ref, Fields: record.Fields{"name": record.OfText("x")}},
		}
	}
	if err := s.OpenIntent(ctx, l, intent(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.LimitGrowth(ctx, 0); err != nil {
		t.Fatal(err)
	}
	s.Fill(t)
	if err := s.See(ctx, l, guests, "m", seen("big", 40_000)); !errors.Is(err, state.ErrFull) {
		t.Fatalf("got %v, want that the disk is full", err)
	}
	if !reserved() {
		t.Error("the reserve was given up for something else than an answer")
	}
	long := make([]byte, 20_000)
	for i := range long {
		long[i] = 'x'
	}
	if err := s.FailIntent(ctx, l, "change-1", record.Cancelled, "", string(long), noon); err != nil {
		t.Errorf("the answer was not recorded: %v", err)
	}
	if reserved() {
		t.Error("the reserve is still there")
	}
	if err := s.OpenIntent(ctx, l, intent(2)); !errors.Is(err, state.ErrFull) {
		t.Errorf("another change: got %v, want %v", err, state.ErrFull)
	}
	if err := s.LimitGrowth(ctx, 10_000); err != nil {
		t.Fatal(err)
	}
	if err := s.OpenIntent(ctx, l, intent(3)); err != nil || !reserved() {
		t.Errorf("with room again: got %v, reserve %v", err, reserved())
	}
}
