package sqlite

import (
	"context"
	"fmt"
	"os"
)

// Full returns ErrFull if there is no room beside the state file for the answer to a change: then nothing is sent.
// A process that only looks gets the same answer as the one that runs jobs.
func (s *DB) Full(ctx context.Context) error {
	if s.Path == Memory {
		return nil
	}
	s.reserve.Lock()
	defer s.reserve.Unlock()
	if info, err := os.Stat(reserveName(s.Path)); err == nil && info.Size() >= ReserveSize {
		return nil
	}
	free, known, err := s.roomLeft(ctx)
	if err != nil {
		return fmt.Errorf("look for room beside the state: %w", err)
	}
	if known && free < 2*ReserveSize {
		return fmt.Errorf("there is no room beside %s for the answer to a change, and nothing is sent: %w", s.Path, ErrFull)
	}
	return nil
}

// GiveReserve deletes the reserve, and reports whether there was one.
func (s *DB) GiveReserve() bool {
	s.reserve.Lock()
	defer s.reserve.Unlock()
	s.reserve.spent = true
	return os.Remove(reserveName(s.Path)) == nil
}
