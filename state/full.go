package state

import (
	"context"
	"fmt"
	"os"
)

// Full is ErrFull where there is no room beside the state file for the answer to a change:
// nothing is sent then. Who runs jobs knows it, and who only looks sees it.
func (s *Store) Full(ctx context.Context) error {
	if s.path == Memory {
		return nil
	}
	s.reserve.Lock()
	defer s.reserve.Unlock()
	if info, err := os.Stat(reserveName(s.path)); err == nil && info.Size() >= reserveSize {
		return nil
	}
	free, known, err := s.roomLeft(ctx)
	if err != nil {
		return fmt.Errorf("look for room beside the state: %w", err)
	}
	if known && free < 2*reserveSize {
		return fmt.Errorf("there is no room beside %s for the answer to a change, and nothing is sent: %w", s.path, ErrFull)
	}
	return nil
}

// giveRoom gives up what this program itself keeps on a full disk: the reserve, and the log
// of the file as far as it can be copied into it. It reports whether there was any.
func (s *Store) giveRoom(ctx context.Context) bool {
	had := s.giveReserve()
	emptied, err := s.Checkpoint(ctx)
	return had || emptied && err == nil
}

// giveReserve gives the reserve up, and reports whether there was one.
func (s *Store) giveReserve() bool {
	s.reserve.Lock()
	defer s.reserve.Unlock()
	s.reserve.spent = true
	return os.Remove(reserveName(s.path)) == nil
}
