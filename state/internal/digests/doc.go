// Package digests keeps the values of bindings as keyed digests, where they are not to be kept plain.
package digests

import "nightporter/state/internal/sqlite"

// Store is the part of the state file that this package is about.
type Store struct {
	db *sqlite.DB
}

// NewStore gives the methods of this package on an open state file.
func NewStore(db *sqlite.DB) *Store { return &Store{db: db} }
