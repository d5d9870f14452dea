package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"nightporter/state/internal/disk"
	"nightporter/sync/record"
)

// If a disk fills up while a change is under way, what the system answered would be lost. So a process that runs
// jobs keeps some room beside the state file, and gives it up for that one answer. From then on nothing is sent
// until there is room for the reserve again.

// ReserveSize is the room that is kept: enough for the answer to a change, its journal
// and the end of its run.
const ReserveSize = 1 << 20

// reserveName is the name of the file that keeps the room.
func reserveName(path string) string { return path + ".reserve" }

// reserve is the room beside a state file.
type reserve struct {
	sync.Mutex
	spent bool // it was given up, or there was no room for it: nothing may be sent
	grown int  // pages that the file may have, if LimitGrowth plays a full disk; 0: no such limit
}

// FillReserve makes the reserve, if it is not there. If there is no room for it, nothing is sent.
func (s *DB) FillReserve(ctx context.Context) error {
	s.reserve.Lock()
	defer s.reserve.Unlock()
	return s.hoardLocked(ctx)
}

func (s *DB) hoardLocked(ctx context.Context) error {
	if s.Path == Memory {
		return nil
	}
	name := reserveName(s.Path)
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() >= ReserveSize {
		s.reserve.spent = false
		return nil
	}
	free, known, err := s.roomLeft(ctx)
	if err != nil {
		return fmt.Errorf("look for room beside the state: %w", err)
	}
	if known && free < 2*ReserveSize {
		s.reserve.spent = true
		return nil
	}
	if err := disk.WriteNew(name, make([]byte, ReserveSize)); err != nil {
		s.reserve.spent = true
		return errors.Join(disk.Remove(name), ignoreFull(err))
	}
	s.reserve.spent = false
	return nil
}

// ignoreFull returns err, but nil if it is that of a full disk.
func ignoreFull(err error) error {
	if IsFull(err) {
		return nil
	}
	return fmt.Errorf("keep room beside the state: %w", err)
}

// IsFull reports whether err is that of a full disk.
func IsFull(err error) bool {
	return errors.Is(err, ErrFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(hintFor(err), ErrFull)
}

// roomLeft is how many bytes may still be written beside the state file.
func (s *DB) roomLeft(ctx context.Context) (free uint64, known bool, err error) {
	if s.reserve.grown == 0 {
		return s.RoomIn(filepath.Dir(s.Path))
	}
	var pages, size uint64
	err = s.Reader.QueryRowContext(ctx, `SELECT c.page_count, z.page_size FROM pragma_page_count c, pragma_page_size z`).Scan(&pages, &size)
	if most := uint64(s.reserve.grown); err == nil && pages < most { //nolint:gosec // a number of pages is above zero
		free = (most - pages) * size
	}
	return free, true, err
}

// spend gives the reserve up. It returns false if there is none any more.
func (s *DB) spend(ctx context.Context) (bool, error) {
	s.reserve.Lock()
	defer s.reserve.Unlock()
	s.reserve.spent = true
	err := os.Remove(reserveName(s.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && s.reserve.grown > 0 { // LimitGrowth plays the full disk: its limit gets the room of the reserve as well
		var size int
		if err = s.Writer.QueryRowContext(ctx, `PRAGMA page_size`).Scan(&size); err == nil {
			s.reserve.grown += ReserveSize / size
			_, err = s.Writer.ExecContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d`, s.reserve.grown))
		}
	}
	return err == nil, err
}

// MaySend returns ErrFull if there is no room for the answer to another change.
func (s *DB) MaySend(ctx context.Context) error {
	s.reserve.Lock()
	defer s.reserve.Unlock()
	if !s.reserve.spent || s.Path == Memory || s.Term.Load() == 0 {
		return nil
	}
	if err := s.hoardLocked(ctx); err != nil {
		return err
	}
	if s.reserve.spent {
		return fmt.Errorf("there is no room beside %s for the answer to another change: %w", s.Path, ErrFull)
	}
	return nil
}

// MayRead returns ErrFull if a list would be read into the last room of the disk. That room is left to others, and
// to what must be written. The list goes on from there once there is room. If LimitGrowth plays the disk, SQLite
// says when it is full.
func (s *DB) MayRead() error {
	s.reserve.Lock()
	defer s.reserve.Unlock()
	if s.Path == Memory || s.reserve.grown > 0 {
		return nil
	}
	free, known, err := s.RoomIn(filepath.Dir(s.Path))
	if err != nil || !known || free >= ReserveSize { // if nobody knows the room, SQLite says when the disk is full
		return nil
	}
	return fmt.Errorf("there is no room beside %s to read on: %w", s.Path, ErrFull)
}

// LeaseReserved is Lease for what must not be lost, above all the answer to a change: on a full disk it
// takes the reserve.
func (s *DB) LeaseReserved(ctx context.Context, l record.Lease, name string, do func(context.Context, *sql.Tx) error) error {
	err := s.Lease(ctx, l, name, do)
	if !IsFull(err) || s.Path == Memory || s.Term.Load() == 0 {
		return err
	}
	had, spent := s.spend(context.WithoutCancel(ctx))
	if !had || spent != nil {
		return errors.Join(err, spent)
	}
	return s.Lease(ctx, l, name, do)
}
