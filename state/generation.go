package state

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
)

// A state file that somebody put back to an older copy looks like any other. So how far
// it had come stands in a file of its own beside it, which such a copy does not bring
// back: a number that grows with the begin and with the end of each run.

// generationName is the file beside the state that says how far it had come.
func generationName(path string) string { return path + ".generation" }

// generation is how far a state file has come.
func generation(ctx context.Context, q querier) (int64, error) {
	var last int64
	err := q.QueryRowContext(ctx, `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'run'), 0)`).Scan(&last)
	if err != nil {
		return 0, err
	}
	var open bool
	err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM run WHERE id = ?1 AND ended IS NULL)`, last).Scan(&open)
	return generationOf(last, !open), err
}

func generationOf(run int64, ended bool) int64 {
	n := 2 * run
	if ended && run > 0 {
		n++
	}
	return n
}

// readGeneration is how far the state at path is known to have come, 0 where nobody
// knows.
func readGeneration(path string) (int64, error) {
	b, err := os.ReadFile(generationName(path))
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

// mirror is what this process has written to the file beside the state: runs of several
// jobs end in any order.
type mirror struct {
	sync.Mutex
	written int64
}

// writeGeneration notes how far the state has come, after that is durable in the state
// itself: the file beside it may be behind, and is never ahead.
func (s *Store) writeGeneration(n int64) error {
	if s.path == Memory || s.term.Load() == 0 { // who does not run jobs writes nothing that could be lost
		return nil
	}
	s.mirror.Lock()
	defer s.mirror.Unlock()
	if n <= s.mirror.written {
		return nil
	}
	name := generationName(s.path)
	err := writeNew(name+partial, []byte(strconv.FormatInt(n, 10)+"\n"))
	if err == nil {
		err = os.Rename(name+partial, name)
	}
	if err != nil {
		return fmt.Errorf("note how far the state has come: %w", err)
	}
	s.mirror.written = n
	return nil
}

// putBack reports whether the state is an older copy than the one that was there last:
// by the term of its holder, or by how far it had come.
func (s *Store) putBack(ctx context.Context, tx *sql.Tx, termBefore, term int64) (bool, error) {
	if termBefore > term {
		return true, nil
	}
	was, err := readGeneration(s.path)
	if err != nil {
		return false, err
	}
	now, err := generation(ctx, tx)
	return was > now, err
}

// noteEnd notes that a run has ended, unless a later one has begun.
func (s *Store) noteEnd(ctx context.Context, run int64) error {
	if s.path == Memory || s.term.Load() == 0 {
		return nil
	}
	n, err := generation(ctx, s.reader)
	if err != nil {
		return s.explain("read how far the state has come", err)
	}
	return s.writeGeneration(max(n, generationOf(run, false)))
}
