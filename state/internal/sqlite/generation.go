package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"

	"nightporter/state/internal/disk"
)

// A state file that somebody put back to an older copy looks like any other. So a file of its own beside it says
// how far the state had come: such a copy does not bring that file back. It holds a number, the generation, that
// grows when a run begins and when it ends.

// GenerationName is the name of the file beside the state that says how far the state had come.
func GenerationName(path string) string { return path + ".generation" }

// Generation returns how far a state file has come.
func Generation(ctx context.Context, q Querier) (int64, error) {
	var last int64
	err := q.QueryRowContext(ctx, `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'run'), 0)`).Scan(&last)
	if err != nil {
		return 0, err
	}
	var open bool
	err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM run WHERE id = ?1 AND ended IS NULL)`, last).Scan(&open)
	return GenerationOf(last, !open), err
}

// GenerationOf returns how far a state file has come when a run has begun, or has ended.
func GenerationOf(run int64, ended bool) int64 {
	n := 2 * run
	if ended && run > 0 {
		n++
	}
	return n
}

// readGeneration returns how far the state at path is known to have come, 0 if nobody knows.
func readGeneration(path string) (int64, error) {
	b, err := os.ReadFile(GenerationName(path))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read how far the state had come: %w", err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return 0, nil //nolint:nilerr // a file that was cut off by a power loss says nothing
	}
	return n, nil
}

// mirror is what this process has written to the file beside the state. Runs of several jobs end in any order, and
// the number must not go back.
type mirror struct {
	sync.Mutex
	written int64
}

// WriteGeneration writes to the file beside the state how far the state has come. It is called after that is
// durable in the state itself: the file may be behind, but is never ahead.
func (s *DB) WriteGeneration(n int64) error {
	if s.Path == Memory || s.Term.Load() == 0 { // a process that does not run jobs writes nothing that could be lost
		return nil
	}
	s.mirror.Lock()
	defer s.mirror.Unlock()
	if n <= s.mirror.written {
		return nil
	}
	name := GenerationName(s.Path)
	err := disk.WriteNew(name+disk.Partial, []byte(strconv.FormatInt(n, 10)+"\n"))
	if err == nil {
		err = os.Rename(name+disk.Partial, name)
	}
	if err != nil {
		return fmt.Errorf("note how far the state has come: %w", err)
	}
	s.mirror.written = n
	return nil
}

// PutBack reports whether the state is an older copy of the one that was there last. Either the term of its holder
// tells, or how far the state had come.
func (s *DB) PutBack(ctx context.Context, tx *sql.Tx, termBefore, term int64) (bool, error) {
	if termBefore > term {
		return true, nil
	}
	was, err := readGeneration(s.Path)
	if err != nil {
		return false, err
	}
	now, err := Generation(ctx, tx)
	return was > now, err
}

// NoteEnd notes that a run has ended, unless a later one has begun.
func (s *DB) NoteEnd(ctx context.Context, run int64) error {
	if s.Path == Memory || s.Term.Load() == 0 {
		return nil
	}
	n, err := Generation(ctx, s.Reader)
	if err != nil {
		return s.Explain("read how far the state has come", err)
	}
	return s.WriteGeneration(max(n, GenerationOf(run, false)))
}
