// Package journal is the changes that were sent: each is an intent before its request goes out, and what became
// of it after that. What was tried and what is kept back is among them.
package journal

import "nightporter/state/internal/sqlite"

// Store is the part of the state file that this package is about.
type Store struct {
	db *sqlite.DB
}

// NewStore gives the methods of this package on an open state file.
func NewStore(db *sqlite.DB) *Store { return &Store{db: db} }
