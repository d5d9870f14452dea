// Package trial measures how late a system shows what was written to it: it makes one
// record, or changes one, looks until the system's reads show that, and takes it back.
//
// It is the one thing that can't be found out by reading. Nothing is written before the
// list was read once; nothing is written twice; and what could not be taken back is named.
package trial
