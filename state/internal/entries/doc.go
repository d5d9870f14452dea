// Package entries keeps what is known of each record. It has the entry as its row holds it, and the rules by which
// a read, or the answer to a change, becomes part of the entry.
package entries

import "nightporter/state/internal/sqlite"

// Store is the part of the state file that this package is about.
type Store struct {
	db *sqlite.DB
}

// NewStore gives the methods of this package on an open state file.
func NewStore(db *sqlite.DB) *Store { return &Store{db: db} }
