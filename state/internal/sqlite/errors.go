package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sqlite3 "github.com/mattn/go-sqlite3"

	"nightporter/sync/record"
)

// Garbled returns ErrCorrupt, with what in the state file can't be read. It returns nil for a nil error.
func Garbled(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w (%s: %w)", ErrCorrupt, what, err)
}

// These errors say what is wrong with the state file or with a call. Each message says what to do next;
// errors.Is tells them apart.
var (
	ErrNewer    = errors.New("the state file was written by a newer version of nightporter: install that version, or restore the copy made before the upgrade")
	ErrCorrupt  = errors.New("the state file is damaged: keep it, and put the newest backup that is whole in its place with nightporter restore --force; where there is none, nightporter rebuild --force begins a new one from what the systems show")
	ErrReadOnly = errors.New("the state file can't be written: check its owner, its permissions and those of its folder, and that the disk is not mounted read-only")
	ErrFull     = errors.New("the disk is full: free some space and start again, nothing is lost")
	ErrForeign  = errors.New("this is not a nightporter state file: choose another path for the state, the file was left as it is; if it was the state and its beginning is damaged, nightporter restore --force puts a backup in its place, and nightporter rebuild --force begins a new one")
	ErrReplaced = errors.New("the state file was replaced since it was opened, as restore does: start again")
	ErrBusy     = errors.New("the state file is locked by another program: try again, and close what holds it open")
	ErrDriver   = errors.New("the SQLite in this program is too old or set up differently than asked: build it again with the pinned driver and without the tag libsqlite3")

	ErrNoRoom   = errors.New("there is no room for a copy of the state: free some space, or name a place on another disk")
	ErrHasLinks = errors.New("restoring would forget what it knows: restore to another place, or force it")

	ErrFenced   = errors.New("another run has taken this job over: this one must stop")
	ErrUnknown  = errors.New("not in the state file")
	ErrLinked   = record.ErrLinked
	ErrOpen     = errors.New("an earlier change of this record is not settled yet")
	ErrNotOpen  = errors.New("the change is not open any more")
	ErrRebound  = errors.New("this job was run before with other systems or kinds: restore their names in the config, or give the job a new name, and all its records are matched anew")
	ErrScanOver = errors.New("the scan is not open any more: begin a new one")
)

// Explain adds to err what was done and, if SQLite's answer has one, the sentinel that tells a
// user what to do next.
func (s *DB) Explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	if hint := hintFor(err); hint != nil && !errors.Is(err, hint) {
		return fmt.Errorf("%s in %s: %w (%w)", doing, s.Path, hint, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// malformed is what SQLite's JSON functions say of a text that is not JSON. That error has no code of its own.
const malformed = "malformed JSON"

func hintFor(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if errors.Is(err, errText) {
		return ErrCorrupt
	}
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return nil
	}
	if strings.Contains(e.Error(), malformed) {
		return ErrCorrupt
	}
	switch e.Code {
	case sqlite3.ErrFull:
		return ErrFull
	case sqlite3.ErrCorrupt:
		return ErrCorrupt
	case sqlite3.ErrNotADB:
		return ErrForeign
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrCantOpen, sqlite3.ErrAuth:
		return ErrReadOnly
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return ErrBusy
	}
	return nil
}

// IsUnique reports whether err says that a unique index refused a row.
func IsUnique(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.ExtendedCode == sqlite3.ErrConstraintUnique || e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey)
}

// Unknown returns ErrUnknown, with the thing that is not there.
func Unknown(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrUnknown)...)
}
