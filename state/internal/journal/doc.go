// Package journal keeps the changes that are sent: each as an intent before its request goes out, and then with
// what became of it. It also keeps trials, and changes that are kept back.
package journal

import "nightporter/state/internal/sqlite"

// Store is the part of the state file that this package is about.
type Store struct {
	db *sqlite.DB
}

// NewStore gives the methods of this package on an open state file.
func NewStore(db *sqlite.DB) *Store { return &Store{db: db} }
