// Package mapping translates between what a system shows and what all systems
// mean: a native record, path by path, and canonical fields with a type. It is
// pure: values in, values out.
//
// Both directions stand in one Spec, which Compile checks whole. A Mapping is
// immutable and may be used by several goroutines.
//
// Three things are kept apart everywhere. A path that a read did not show is
// Absent, and so is the canonical field read from it: nobody knows. A path that
// was shown and holds nothing (null, or a text of blanks) is Nothing: observed,
// and empty. Everything else is a value of the field's type, in one spelling only,
// so that two systems that mean the same give equal values.
//
// What can't be read is Absent and named by a Problem: a bad value never clears
// the good one on the other side. Problems carry no values: they may be logged.
//
// The canonical spellings:
//
//	text       NFC, LF line ends, no NUL, trimmed
//	name       as text, with single spaces
//	phone      E.164
//	email      local part as it stands, domain in lower-case ASCII
//	date       YYYY-MM-DD, a civil day that never goes through UTC
//	instant    RFC 3339 in UTC with milliseconds
//	money      a map of amount (decimal text, the currency's digits) and currency
//	number     a decimal number
//	bool       a truth value
//	language   ISO 639, the base of a BCP 47 tag
//	country    ISO 3166-1 alpha-2
//	enum       a word of the field's table
//	list, set  elements of another type; a set is sorted and has no doubles
//	reference  a map of the parts by which a record names another one
package mapping
