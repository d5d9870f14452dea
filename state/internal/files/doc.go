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

// Together makes the writes that do calls with the context it is given one
// transaction: all of them are durable when Together returns, or none is. A write
// that fails ends them all, whatever do makes of its error. do must not read by
// other methods: they would not see what was written.
func (s *Store) Together(ctx context.Context, do func(context.Context) error) error {
	return s.db.Together(ctx, do)
}

// SealKey is the key by which a binding's values are kept as digests, nil where they
// are kept plain.
func (s *Store) SealKey(b record.Binding) []byte { return s.db.SealOf(b).Key }

// Sound is ErrCorrupt for a file of which an index was found damaged since it was opened:
// no run is begun on it, and nothing is sent.
func (s *Store) Sound() error { return s.db.Sound() }

// CheckSlice goes on with a check of the indexes of all tables that decide, and reports
// whether it was the last slice. ErrCorrupt says that one is damaged: from then on no run
// is begun and nothing is sent, and the next start looks at the whole file.
func (s *Store) CheckSlice(ctx context.Context, at sqlite.Slice) (next sqlite.Slice, done bool, err error) {
	return s.db.CheckSlice(ctx, at)
}

// Checkpoint moves what the write-ahead log holds into the file and empties it. It is
// for a moment when nothing runs: a reader in its way makes it give up at once, and
// false says so.
func (s *Store) Checkpoint(ctx context.Context) (bool, error) { return s.db.Checkpoint(ctx) }

// Full is ErrFull where there is no room beside the state file for the answer to a change:
// nothing is sent then. The process that runs jobs knows it, and one that only looks sees it.
func (s *Store) Full(ctx context.Context) error { return s.db.Full(ctx) }

// LimitGrowth keeps the file from growing by more than so many pages from now on,
// as a disk with so much room left, and the reserve, would. It lasts as long as the Store is open.
func (s *Store) LimitGrowth(ctx context.Context, pages int) error {
	return s.db.LimitGrowth(ctx, pages)
}
