// Package questions keeps what persons are asked, and what they said: conflicts, sets of changes that a guard
// holds, halts, findings, pauses and standing decisions.
package questions

import "nightporter/state/internal/sqlite"

// Store is the part of the state file that this package is about.
type Store struct {
	db *sqlite.DB
}

// NewStore gives the methods of this package on an open state file.
func NewStore(db *sqlite.DB) *Store { return &Store{db: db} }
