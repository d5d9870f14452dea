// Package systems is what is known of the systems themselves: which of them only fail, when they called us, and
// our subscriptions to their webhooks.
package systems

import "nightporter/state/internal/sqlite"

// Store is the part of the state file that this package is about.
type Store struct {
	db *sqlite.DB
}

// NewStore gives the methods of this package on an open state file.
func NewStore(db *sqlite.DB) *Store { return &Store{db: db} }
