// Package story turns what the journal holds of one record into words: one plain
// sentence about how it stands, and then what happened to it, in its order. It is
// pure: it looks nothing up and knows no system, and what it is not given it says
// that it does not know.
//
// The types with JSON names are what `nightporter explain --json` prints. Names are
// added and never change their meaning.
package story
