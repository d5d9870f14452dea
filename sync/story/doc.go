// Package story turns what the journal holds of one record into words: one plain sentence about how
// the record stands, and then the events that happened to it, in their order. It is pure: it reads
// nothing itself and knows no system. Where it is not given a fact, it says that this is not known.
//
// `nightporter explain --json` prints the types with JSON names. New names may be added, but the
// meaning of a name never changes.
package story
