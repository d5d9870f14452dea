// Package migrations holds the steps by which a state file is brought up to date, by their numbers.
package migrations

import "embed"

// Files are the steps. One that was released is never edited.
//
//go:embed *.sql
var Files embed.FS
