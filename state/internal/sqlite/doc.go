// Package sqlite is the state file as an SQLite database: how it is opened, checked and brought up to date, its
// transactions, the leases that they check, and how values stand in its columns. Of the tables it knows only those
// that it needs for that.
package sqlite
