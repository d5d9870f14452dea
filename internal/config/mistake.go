package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Mistake is one thing that is wrong, and where. It never holds a secret.
type Mistake struct {
	// File and Line are where it stands; Line is 0 for the file as a whole.
	File string
	Line int
	// Env is the environment variable that it came from, empty if the file.
	Env string
	// Key is the path of the key, such as jobs.guests.fields; may be empty.
	Key string
	// Text says what is wrong and what to do.
	Text string
	// Err is the cause, where there is one.
	Err error
}

// String is the mistake in one line: config.yaml:37: jobs.guests.feilds: unknown key.
func (m Mistake) String() string {
	where := m.File
	switch {
	case m.Env != "":
		where = m.Env
	case m.Line > 0:
		where = fmt.Sprintf("%s:%d", m.File, m.Line)
	}
	if m.Key == "" {
		return where + ": " + m.Text
	}
	return where + ": " + m.Key + ": " + m.Text
}

// Errors are all mistakes of a configuration at once, in the order of the file.
type Errors struct { //nolint:errname // it is many errors, and config.Errors says so
	List []Mistake
}

// Error has each mistake on a line of its own.
func (e *Errors) Error() string {
	lines := make([]string, len(e.List))
	for i, m := range e.List {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the causes that are known.
func (e *Errors) Unwrap() []error {
	var errs []error
	for _, m := range e.List {
		if m.Err != nil {
			errs = append(errs, m.Err)
		}
	}
	return errs
}

// sortMistakes puts the file's before the environment's, and both in order; keys of one
// line go by the alphabet, so that the order is always the same.
func sortMistakes(list []Mistake) {
	slices.SortStableFunc(list, func(a, b Mistake) int {
		return cmp.Or(strings.Compare(a.Env, b.Env), cmp.Compare(a.Line, b.Line), strings.Compare(a.Key, b.Key))
	})
}
