// Package scans keeps how a side is read: the scans and their cursors, what a page or a read by id showed, which
// records a complete scan did not show, and how late a system's lists are.
package scans

import "nightporter/state/internal/sqlite"

// Store is the part of the state file that this package is about.
type Store struct {
	db *sqlite.DB

	ahead stretches // entries that were read ahead for lists
}

// NewStore gives the methods of this package on an open state file.
func NewStore(db *sqlite.DB) *Store { return &Store{db: db} }
