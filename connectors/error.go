package connectors

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"nightporter/sync/record"
)

// ErrorClass says how the engine reacts to an error. There is one switch on it.
type ErrorClass string

// The classes of errors.
const (
	Transient    ErrorClass = "transient"    // it may go by itself: the run ends, the next goes on
	Throttled    ErrorClass = "throttled"    // wait RetryAfter, never less
	Stale        ErrorClass = "stale"        // the record changed since it was read: decide again
	Rejected     ErrorClass = "rejected"     // the system says no to these values
	Refused      ErrorClass = "refused"      // the condition of acceptance found no row: nothing was written
	Unauthorized ErrorClass = "unauthorized" // the key is not known: end the run, say so
	Forbidden    ErrorClass = "forbidden"    // the key may not: this direction turns read-only
	NotFound     ErrorClass = "not_found"    // there is no such record
	OutOfScope   ErrorClass = "out_of_scope" // the record is there, outside of window or filter
	Moved        ErrorClass = "moved"        // the record is now another one
	Exists       ErrorClass = "exists"       // a create met a record that is the same: look it up, adopt it
	Ambiguous    ErrorClass = "ambiguous"    // nobody knows whether it was applied
	Unsupported  ErrorClass = "unsupported"  // the connector can't: take the slower way
	Malformed    ErrorClass = "malformed"    // the answer is not what the system's kind says
)

// Error is every error that a connector returns, wrapped or not. Its text holds no
// secret and no guest's data.
type Error struct {
	Class      ErrorClass
	Op         string     // "fetch contacts", "create reservation"
	Host       string     // what was asked: a host, a database's address; it tells the troubles of one system from another's
	Ref        record.Ref // the record concerned, or for Moved the new one
	Newer      bool       // for Moved: the new one is a version that took the place of this one, and a record of its own
	Status     int        // an HTTP status, 0 where there is none
	RetryAfter time.Duration
	Done       bool     // of a create: its system says that it is done, and does not show what it made: some never do
	Hint       string   // what the reader can do about it
	Fields     []string // native fields that a refusal names; nil: it names none
	Err        error
}

// Error is the operation, the record, the cause and the hint.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Ref.ID != "" {
		b.WriteString(" " + e.Ref.ID)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	} else {
		fmt.Fprintf(&b, ": %s", e.Class)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, " (%s)", e.Hint)
	}
	return b.String()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// ClassOf is the class of err, Transient for an error that has none and "" for nil.
func ClassOf(err error) ErrorClass {
	if err == nil {
		return ""
	}
	if e, ok := asError(err); ok {
		return e.Class
	}
	return Transient
}

// SaidDone reports whether an error is of a create that its system says is done: see Error.Done.
func SaidDone(err error) bool {
	e, ok := asError(err)
	return ok && e.Done
}

func asError(err error) (*Error, bool) { return errors.AsType[*Error](err) }

// Wrong is an Error of a class with a formatted cause.
func Wrong(class ErrorClass, op, format string, args ...any) *Error {
	return &Error{Class: class, Op: op, Err: fmt.Errorf(format, args...)}
}
