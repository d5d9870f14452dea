package state

import (
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// That there is no room beside the state shows to who runs jobs and to who only looks.
func TestOutside27NoRoomIsSeen(t *testing.T) {
	ctx, path, now := t.Context(), filepath.Join(t.TempDir(), "state.db"), time.UnixMilli(1_800_000_000_000)
	free := uint64(1 << 40)
	room := func(string) (uint64, bool, error) { return free, true, nil }
	s, err := Open(ctx, path, Options{room: room})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Lock(ctx, "nightporter serve", now); err != nil {
		t.Fatal(err)
	}
	if err := s.Full(ctx); err != nil {
		t.Fatalf("with room: %v", err)
	}
	free = reserveSize / 2
	if _, err := s.spend(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Full(ctx); !errors.Is(err, ErrFull) {
		t.Errorf("without the reserve: got %v, want %v", err, ErrFull)
	}
	looks, err := Open(ctx, path, Options{ReadOnly: true, SkipCheck: true, room: room})
	if err != nil {
		t.Fatal(err)
	}
	defer looks.Close()
	if err := looks.Full(ctx); !errors.Is(err, ErrFull) {
		t.Errorf("who only looks: got %v, want %v", err, ErrFull)
	}
}
