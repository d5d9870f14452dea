// Package files is the state file as a whole: which process holds it, its copies, and how it is put
// back or begun anew.
package files

import (
	"context"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Store is the part of the state file that this package is about.
type Store struct {
	db *sqlite.DB
}

// NewStore gives the methods of this package on an open state file.
func NewStore(db *sqlite.DB) *Store { return &Store{db: db} }

// Close closes the file and gives up the lock. A Store that is closed twice, or
// that never opened, is no error.
func (s *Store) Close() error { return s.db.Close() }

// Together makes one transaction of the writes that do makes with the context it is given: all of them are durable
// when Together returns, or none is. If one write fails they all fail, whatever do makes of the error. do must not
// read by other methods: they would not see what was written.
func (s *Store) Together(ctx context.Context, do func(context.Context) error) error {
	return s.db.Together(ctx, do)
}

// SealKey returns the key of the digests that a binding keeps its values as, nil if it keeps them plain.
func (s *Store) SealKey(b record.Binding) []byte { return s.db.SealOf(b).Key }

// Sound returns ErrCorrupt if an index was found damaged since the file was opened: then no run is begun,
// and nothing is sent.
func (s *Store) Sound() error { return s.db.Sound() }

// CheckSlice checks one more slice of the indexes of all tables that decide. It returns where the next call goes
// on, and whether this was the last slice. ErrCorrupt says that an index is damaged: from then on no run is begun
// and nothing is sent, and the next start looks at the whole file.
func (s *Store) CheckSlice(ctx context.Context, at sqlite.Slice) (next sqlite.Slice, done bool, err error) {
	return s.db.CheckSlice(ctx, at)
}

// Checkpoint moves what the write-ahead log holds into the file and empties the log. It is for a moment when
// nothing runs: if a reader is in its way, it gives up at once and returns false.
func (s *Store) Checkpoint(ctx context.Context) (bool, error) { return s.db.Checkpoint(ctx) }

// Full returns ErrFull if there is no room beside the state file for the answer to a change: then nothing is sent.
// A process that only looks gets the same answer as the one that runs jobs.
func (s *Store) Full(ctx context.Context) error { return s.db.Full(ctx) }

// LimitGrowth keeps the file from growing by more than pages from now on. That plays a disk with just so much room
// left beside the reserve. It lasts as long as the Store is open.
func (s *Store) LimitGrowth(ctx context.Context, pages int) error {
	return s.db.LimitGrowth(ctx, pages)
}
