// Package migrations holds the numbered steps that bring a state file up to date.
package migrations

import "embed"

// Files are the steps. A step that was released is never edited.
//
//go:embed *.sql
var Files embed.FS
