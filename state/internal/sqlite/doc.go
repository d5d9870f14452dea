// Package sqlite is the state file as an SQLite database: how it is opened, checked and brought up to
// date, its transactions, the leases that they check, and how values stand in its columns. It knows
// no table of the others but those that it needs for that.
package sqlite
