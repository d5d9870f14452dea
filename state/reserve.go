package state

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

	"nightporter/sync/record"
)

// A disk that fills up while a change is under way would lose what the system answered.
// So whoever runs jobs keeps some room beside the state file: it is given up for that
// one answer. From then on nothing is sent before there is room for the reserve again.

// reserveSize is the room that is kept: enough for the answer to a change, its journal
// and the end of its run.
const reserveSize = 1 << 20

// reserveName is the file that keeps the room.
func reserveName(path string) string { return path + ".reserve" }

// reserve is the room beside a state file.
type reserve struct {
	sync.Mutex
	spent bool // it was given up, or there was no room for it: nothing may be sent
	grown int  // pages that the file may have, where LimitGrowth plays a full disk; 0: no such limit
}

// hoard makes the reserve, unless it is there. Without room for it nothing is sent.
func (s *Store) hoard(ctx context.Context) error {
	s.reserve.Lock()
	defer s.reserve.Unlock()
	return s.hoardLocked(ctx)
}

func (s *Store) hoardLocked(ctx context.Context) error {
	if s.path == Memory {
		return nil
	}
	name := reserveName(s.path)
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() >= reserveSize {
		s.reserve.spent = false
		return nil
	}
	free, known, err := s.roomLeft(ctx)
	if err != nil {
		return fmt.Errorf("look for room beside the state: %w", err)
	}
	if known && free < 2*reserveSize {
		s.reserve.spent = true
		return nil
	}
	if err := writeNew(name, make([]byte, reserveSize)); err != nil {
		s.reserve.spent = true
		return errors.Join(remove(name), ignoreFull(err))
	}
	s.reserve.spent = false
	return nil
}

// ignoreFull is an error that is not of a full disk.
func ignoreFull(err error) error {
	if isFull(err) {
		return nil
	}
	return fmt.Errorf("keep room beside the state: %w", err)
}

func isFull(err error) bool {
	return errors.Is(err, ErrFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(hintFor(err), ErrFull)
}

// roomLeft is how many bytes may still be written beside the state file.
func (s *Store) roomLeft(ctx context.Context) (free uint64, known bool, err error) {
	if s.reserve.grown == 0 {
		return s.room(filepath.Dir(s.path))
	}
	var pages, size uint64
	err = s.reader.QueryRowContext(ctx, `SELECT c.page_count, z.page_size FROM pragma_page_count c, pragma_page_size z`).Scan(&pages, &size)
	if most := uint64(s.reserve.grown); err == nil && pages < most { //nolint:gosec // a number of pages is above zero
		free = (most - pages) * size
	}
	return free, true, err
}

// spend gives the reserve up. It reports false where there is none any more.
func (s *Store) spend(ctx context.Context) (bool, error) {
	s.reserve.Lock()
	defer s.reserve.Unlock()
	s.reserve.spent = true
	err := os.Remove(reserveName(s.path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && s.reserve.grown > 0 { // what a full disk is played with gets the room as well
		var size int
		if err = s.writer.QueryRowContext(ctx, `PRAGMA page_size`).Scan(&size); err == nil {
			s.reserve.grown += reserveSize / size
			_, err = s.writer.ExecContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d`, s.reserve.grown))
		}
	}
	return err == nil, err
}

// maySend reports, with ErrFull, that there is no room for the answer to another change.
func (s *Store) maySend(ctx context.Context) error {
	s.reserve.Lock()
	defer s.reserve.Unlock()
	if !s.reserve.spent || s.path == Memory || s.term.Load() == 0 {
		return nil
	}
	if err := s.hoardLocked(ctx); err != nil {
		return err
	}
	if s.reserve.spent {
		return fmt.Errorf("there is no room beside %s for the answer to another change: %w", s.path, ErrFull)
	}
	return nil
}

// mayRead reports, with ErrFull, that a list would be read into the last room of the disk,
// which is left to others and to what must be written. The list goes on from there once
// there is room. Where LimitGrowth plays the disk it says itself when it is full.
func (s *Store) mayRead() error {
	s.reserve.Lock()
	defer s.reserve.Unlock()
	if s.path == Memory || s.reserve.grown > 0 {
		return nil
	}
	free, known, err := s.room(filepath.Dir(s.path))
	if err != nil || !known || free >= reserveSize { // where nobody knows, SQLite says when it is full
		return nil
	}
	return fmt.Errorf("there is no room beside %s to read on: %w", s.path, ErrFull)
}

// keep is lease for what must not be lost, the answer to a change above all: on a full
// disk it takes the reserve.
func (s *Store) keep(ctx context.Context, l record.Lease, name string, do func(context.Context, *sql.Tx) error) error {
	err := s.lease(ctx, l, name, do)
	if !isFull(err) || s.path == Memory || s.term.Load() == 0 {
		return err
	}
	had, spent := s.spend(context.WithoutCancel(ctx))
	if !had || spent != nil {
		return errors.Join(err, spent)
	}
	return s.lease(ctx, l, name, do)
}
