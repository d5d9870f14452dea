package sql

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mattn/go-sqlite3"

	"nightporter/connectors"
)

// classify goes by the result code. What a trigger or a check says may quote a
// row, so only SQLite's own words are passed on.
func (sqlite) classify(err error) fault {
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return fault{class: connectors.Transient, text: err.Error(), lost: true}
	}
	f := sqliteClass(e)
	f.text = fmt.Sprintf("%s, SQLite error %d", sqliteSays(e), e.ExtendedCode)
	f.named = sqliteColumns(e)
	return f
}

func sqliteClass(e sqlite3.Error) fault {
	switch e.Code {
	case sqlite3.ErrConstraint:
		unique := e.ExtendedCode == sqlite3.ErrConstraintUnique || e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey ||
			e.ExtendedCode == sqlite3.ErrConstraintRowID
		return fault{class: connectors.Rejected, unique: unique}
	case sqlite3.ErrMismatch, sqlite3.ErrTooBig, sqlite3.ErrRange:
		return fault{class: connectors.Rejected, value: true}
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrAuth:
		return fault{class: connectors.Forbidden, hint: "the file and its folder must be writable for this user"}
	case sqlite3.ErrCantOpen:
		return fault{class: connectors.Transient, hint: "is the file there, and may this user read it?"}
	case sqlite3.ErrIoErr:
		return fault{class: connectors.Transient, lost: true}
	case sqlite3.ErrError:
		return fault{class: connectors.Malformed, schema: true, hint: "`check --online` compares the tables with the configuration"}
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrFormat:
		return fault{class: connectors.Malformed, hint: "the file is damaged, or no SQLite database: look whether the address names the right file; if it does, put back a copy of the database"}
	case sqlite3.ErrFull:
		return fault{class: connectors.Transient, hint: "make room on the disk"}
	}
	return fault{class: connectors.Transient}
}

// sqliteColumns is the columns that an error names, as TABLE.COLUMN each.
func sqliteColumns(e sqlite3.Error) (names []string) {
	switch e.ExtendedCode {
	case sqlite3.ErrConstraintUnique, sqlite3.ErrConstraintPrimaryKey, sqlite3.ErrConstraintRowID, sqlite3.ErrConstraintNotNull:
	default:
		return nil
	}
	_, after, _ := strings.Cut(e.Error(), "constraint failed: ")
	for name := range strings.SplitSeq(after, ", ") {
		if _, column, ok := strings.Cut(name, "."); ok {
			names = append(names, column)
		}
	}
	return names
}

// sqliteSays is what can be said of an error without a row's values. SQLite names
// the columns of a unique key or a missing value; a check is named by its
// condition, and a trigger says what its author liked.
func sqliteSays(e sqlite3.Error) string {
	if e.Code != sqlite3.ErrConstraint {
		return e.Error()
	}
	_, after, _ := strings.Cut(e.Error(), "constraint failed: ")
	switch e.ExtendedCode {
	case sqlite3.ErrConstraintUnique, sqlite3.ErrConstraintPrimaryKey, sqlite3.ErrConstraintRowID:
		return named("a value that must be unique is there already", "column", after)
	case sqlite3.ErrConstraintNotNull:
		return named("a value is missing", "column", after)
	case sqlite3.ErrConstraintForeignKey:
		return "a record that it refers to is missing, or still refers to it"
	case sqlite3.ErrConstraintCheck:
		return named("a check of the table says no", "constraint", after)
	case sqlite3.ErrConstraintTrigger:
		return "the database's own rules say no"
	}
	return "the database says no"
}
