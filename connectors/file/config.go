// Package file connects Nightporter to files in a folder: CSV or JSON lines, one file
// for each kind, or a row of nightly ones.
//
// A file is read whole each time. What can't be a whole file is an error and never a
// short list: one that is missing, empty, cut off in a line, or changed while it was
// read. A row that can't be told or understood is shown as a record that can't be
// read, with its line, and the list counts as incomplete.
//
// Writing is either appending, noted beside the file first, so that what a kill left
// half written is taken back, or a new file in the old one's place. Both hold a lock
// beside the file; every other row keeps its bytes.
package file

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nightporter/sync/record"
)

// The defaults of a Config and its files. The limits are those of the platform's own
// import of contacts.
const (
	DefaultPageSize = 500
	DefaultMaxBytes = 10 << 20
	DefaultMaxRows  = 10_000
)

// Format is how a file is written.
type Format string

// The formats of a File.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
)

// Encoding is what bytes mean.
type Encoding string

// The encodings of a CSV file. JSON lines are always UTF-8.
const (
	UTF8        Encoding = "utf-8"
	Windows1252 Encoding = "windows-1252"
)

// Several says what to read where several files go by a pattern.
type Several string

// The values of Several.
const (
	Newest Several = "newest" // the last one by name
	All    Several = "all"    // all of them as one list; a later one's row stands for its key
)

// Write says what may be written.
type Write string

// The values of Write.
const (
	Never   Write = "never"
	Append  Write = "append"  // new rows, at the end
	Rewrite Write = "rewrite" // new rows, and changed ones, by a new file in the old one's place
)

// Config says which files there are and what they mean.
type Config struct {
	Folder   string
	Files    map[record.Kind]File
	PageSize int // rows a page; 0: DefaultPageSize

	step func(string) error // tests: called before each step of a write
}

// File says what one kind's records are.
type File struct {
	Name     string   // in the folder; * and ? stand for what differs between several
	Several  Several  // "": Newest
	Format   Format   // "": by the name's ending
	Encoding Encoding // "": UTF8; a mark at the beginning of the file is passed over

	Separator rune // of CSV; 0: told from the header line

	Key     []string // columns that tell rows apart, in the order of the id
	Digest  bool     // the id is a digest of Key
	OurMark string   // column that keeps our reference

	Write   Write    // "": Never
	Fields  []string // columns that Get and the answer of a write show; empty: all
	AsTyped bool     // cells that a spreadsheet would take for a formula are written as they are

	MayBeEmpty bool          // no rows are an empty list, as with Write; otherwise they are an error
	OpenEnd    bool          // the last line may end without a line end
	Done       string        // a file counts once one of this ending is beside it
	Unfinished []string      // names with these endings are no files yet
	Unchanged  time.Duration // it is read only when it has not changed for so long
	StaleAfter time.Duration // one that was last written longer ago is an error: its export stopped coming; 0: never

	MaxBytes int64 // 0: DefaultMaxBytes
	MaxRows  int   // 0: DefaultMaxRows
}

// withDefaults is cfg with its zero values replaced, or why it can't be used.
func (cfg Config) withDefaults() (Config, error) {
	if cfg.PageSize == 0 {
		cfg.PageSize = DefaultPageSize
	}
	if cfg.Folder == "" {
		return cfg, errors.New("no folder: name the one with the files")
	}
	if len(cfg.Files) == 0 {
		return cfg, errors.New("no files: name at least one")
	}
	files := make(map[record.Kind]File, len(cfg.Files))
	for _, kind := range slices.Sorted(maps.Keys(cfg.Files)) {
		f, err := cfg.Files[kind].withDefaults()
		if err != nil {
			return cfg, fmt.Errorf("file of %s: %w", kind, err)
		}
		files[kind] = f
	}
	cfg.Files = files
	return cfg, nil
}

// formatOf is the format by a name's ending, "" where that says nothing.
func formatOf(name string) Format {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv", ".txt", ".tsv":
		return CSV
	case ".jsonl", ".ndjson":
		return JSONL
	}
	return ""
}

func (f File) withDefaults() (File, error) {
	if f.Several == "" {
		f.Several = Newest
	}
	if f.Format == "" {
		f.Format = formatOf(f.Name)
	}
	if f.Encoding == "" {
		f.Encoding = UTF8
	}
	if f.Write == "" {
		f.Write = Never
	}
	if f.MaxBytes == 0 {
		f.MaxBytes = DefaultMaxBytes
	}
	if f.MaxRows == 0 {
		f.MaxRows = DefaultMaxRows
	}
	if f.Unfinished == nil {
		f.Unfinished = []string{".part", ".tmp"}
	}
	f.MayBeEmpty = f.MayBeEmpty || f.Write != Never // it begins so
	return f, f.check()
}

// check looks for what can't be meant.
func (f File) check() error {
	switch {
	case f.Name == "":
		return errors.New("no name: name the file in the folder")
	case f.Name != filepath.Base(f.Name):
		return fmt.Errorf("name %q: it must be a file in the folder, without a path", f.Name)
	case f.Format != CSV && f.Format != JSONL:
		return fmt.Errorf("the name %q doesn't say whether it is csv or jsonl: say so", f.Name)
	case f.Format == JSONL && f.Encoding != UTF8:
		return errors.New("JSON lines are UTF-8")
	case len(f.Key) == 0 || slices.Contains(f.Key, ""):
		return errors.New("no key: name the column, or columns, that tell rows apart")
	case f.Digest && slices.Contains(f.Key, f.OurMark):
		return errors.New("our mark can't be part of a digest")
	case f.pattern() && f.Write != Never:
		return errors.New("a pattern of names is only read: tomorrow's file would know nothing of what was written into today's")
	}
	if _, err := filepath.Match(f.Name, ""); err != nil {
		return fmt.Errorf("read the name %q: %w", f.Name, err)
	}
	return nil
}

// pattern reports whether the name stands for several files.
func (f File) pattern() bool { return strings.ContainsAny(f.Name, `*?[`) }
