// Package runs is the runs of jobs, and what they are asked for by: bindings and their configurations, requests,
// hints, the ledger of slots, and alerts.
package runs

import "nightporter/state/internal/sqlite"

// Store is the part of the state file that this package is about.
type Store struct {
	db *sqlite.DB
}

// NewStore gives the methods of this package on an open state file.
func NewStore(db *sqlite.DB) *Store { return &Store{db: db} }
