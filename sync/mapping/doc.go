// Package mapping translates between native records and canonical fields, both ways. A native
// record is what one system shows, by path. A canonical field has a type, and means the same for
// both systems. The package is pure: values in, values out.
//
// One Spec describes both directions. Compile checks the whole Spec. A Mapping never changes, and
// may be used by several goroutines.
//
// Three cases are told apart everywhere. If a read did not show a path, the value there is Absent,
// and so is the canonical field that is read from it: nobody knows what it holds. If a path was
// shown and holds nothing (null, or a text of blanks), the value is Nothing: observed, and empty.
// Everything else is a value of the field's type. It has only one spelling, so that two systems
// that mean the same give equal values.
//
// A value that can't be read becomes Absent, and a Problem names the field. So a bad value never
// clears the good one on the other side. Problems contain no values, but for a time that the clock shows twice: they may be logged.
//
// The canonical spellings:
//
//	text       NFC, LF line ends, no NUL, trimmed
//	name       as text, with single spaces
//	phone      E.164
//	email      local part unchanged, domain in lower-case ASCII
//	date       YYYY-MM-DD, a civil day that is never converted through UTC
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
