package state

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// That there is no room beside the state shows to who runs jobs and to who only looks.
func TestOutside27NoRoomIsSeen(t *testing.T) {
	ctx, path, now := t.Context(), filepath.Join(t.TempDir(), "state.db"), time.UnixMilli(1_800_000_000_000)
	free := uint64(1 << 40)
	room := func(string) (uint64, bool, error) { return free, true, nil }
	s, err := Open(ctx, path, Options{Room: room})
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
	free = sqlite.ReserveSize / 2
	if err := os.Remove(path + ".reserve"); err != nil {
		t.Fatal(err)
	}
	if err := s.Full(ctx); !errors.Is(err, ErrFull) {
		t.Errorf("without the reserve: got %v, want %v", err, ErrFull)
	}
	looks, err := Open(ctx, path, Options{ReadOnly: true, SkipCheck: true, Room: room})
	if err != nil {
		t.Fatal(err)
	}
	defer looks.Close()
	if err := looks.Full(ctx); !errors.Is(err, ErrFull) {
		t.Errorf("who only looks: got %v, want %v", err, ErrFull)
	}
}

// A start on a disk that our own files have filled gives them up: the reserve goes, and the
// log is emptied into the file.
func TestOutside27OwnFilesMakeRoomForAStart(t *testing.T) {
	ctx, dir, now := t.Context(), t.TempDir(), time.UnixMilli(1_800_000_000_000)
	path := filepath.Join(dir, "state.db")
	room := func(string) (uint64, bool, error) { return 1 << 40, true, nil }
	of := filepath.Join(t.TempDir(), "state.db")
	killed, err := Open(ctx, of, Options{Room: room})
	if err != nil {
		t.Fatal(err)
	}
	defer killed.Close()
	if err := killed.Lock(ctx, "nightporter serve", now); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", "-wal", ".reserve"} { // as a kill leaves them
		b, err := os.ReadFile(of + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+end, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	size := func(end string) int64 {
		info, err := os.Stat(path + end)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	if size("-wal") == 0 || size(".reserve") == 0 {
		t.Fatalf("there is a log of %d bytes, and a reserve of %d", size("-wal"), size(".reserve"))
	}
	others := false // files of somebody else fill the disk
	full := func() error {
		if others || size(".reserve") > 0 {
			return syscall.ENOSPC
		}
		return nil
	}
	s, err := Open(ctx, path, Options{SkipCheck: true, Room: func(string) (uint64, bool, error) { return 0, true, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.db.Disk = full
	log := size("-wal")
	if err := s.Lock(ctx, "nightporter serve", now); err != nil {
		t.Fatalf("start: %v", err)
	}
	if size("-wal") >= log {
		t.Errorf("the log has %d bytes, and had %d", size("-wal"), log)
	}
	if err := s.Full(ctx); !errors.Is(err, ErrFull) {
		t.Errorf("nothing may be sent before there is room again: got %v", err)
	}
	if err := s.db.MaySend(ctx); !errors.Is(err, ErrFull) {
		t.Errorf("a change may be sent: %v", err)
	}
	other, err := Open(ctx, filepath.Join(t.TempDir(), "state.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	others, other.db.Disk = true, full
	if err := other.Lock(ctx, "nightporter serve", now); !sqlite.IsFull(err) {
		t.Errorf("a disk that others have filled: got %v", err)
	}
}

// A list is not read into the last room of a disk: it stops where it is, and goes on from
// there once there is room again.
func TestOutside27ListsLeaveRoom(t *testing.T) {
	ctx, now, free := t.Context(), time.UnixMilli(1_800_000_000_000), uint64(1<<40)
	s, err := Open(ctx, filepath.Join(t.TempDir(), "state.db"), Options{Room: func(string) (uint64, bool, error) { return free, true, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	place := record.Place{Binding: "guests", Side: record.Left}
	if err := s.Register(ctx, place.Binding, [2]record.System{"pms", "platform"}, [2]record.Kind{"guests", "contacts"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Lock(ctx, "nightporter serve", now); err != nil {
		t.Fatal(err)
	}
	l, err := s.Begin(ctx, place.Binding, false, now)
	if err != nil {
		t.Fatal(err)
	}
	scan, err := s.BeginScan(ctx, l, place, record.ScanSpec{Full: true}, now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		free uint64
		next record.Cursor
		want error
		at   record.Cursor // where the list goes on
	}{{1 << 40, "2", nil, "2"}, {sqlite.ReserveSize - 1, "3", ErrFull, "2"}, {sqlite.ReserveSize, "3", nil, "3"}} {
		free = x.free
		_, err := s.SeePage(ctx, l, place, record.PageSeen{Scan: scan.ID, Next: x.next, Rows: 1, At: now})
		if !errors.Is(err, x.want) {
			t.Errorf("with %d bytes: got %v, want %v", x.free, err, x.want)
		}
		if scan, err = s.BeginScan(ctx, l, place, record.ScanSpec{Full: true}, now, time.Hour); err != nil || scan.Cursor != x.at {
			t.Errorf("with %d bytes the list goes on at %q, want %q: %v", x.free, scan.Cursor, x.at, err)
		}
	}
	free = 0
	if err := s.db.MayRead(); !errors.Is(err, ErrFull) {
		t.Errorf("a full disk: got %v", err)
	}
	if err := s.LimitGrowth(ctx, 4); err != nil {
		t.Fatal(err)
	}
	if err := s.db.MayRead(); err != nil {
		t.Errorf("where the size of the file is limited: %v", err)
	}
}
