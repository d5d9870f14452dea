// Package links keeps which record of one side belongs to which record of the other: how links are made, settled
// and ended, and which entries wait for a link.
package links

import "nightporter/state/internal/sqlite"

// Store is the part of the state file that this package is about.
type Store struct {
	db *sqlite.DB
}

// NewStore gives the methods of this package on an open state file.
func NewStore(db *sqlite.DB) *Store { return &Store{db: db} }
