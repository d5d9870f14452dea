package config

import "time"

// Files is a system that is a folder with files.
type Files struct {
	Folder string
	// List is in the order of the file, one for each kind.
	List []File
}

// File finds the file of a kind.
func (s *Files) File(kind string) (File, bool) {
	for _, f := range s.List {
		if f.Kind == kind {
			return f, true
		}
	}
	return File{}, false
}

// FileWrite says what may be written into a file.
type FileWrite string

// The values of FileWrite. WriteNever is the default.
const (
	WriteNever   FileWrite = "never"
	WriteAppend  FileWrite = "append"
	WriteRewrite FileWrite = "rewrite"
)

// File says where the records of a kind stand. Texts that the configuration leaves out
// are empty: the connector knows what they mean.
type File struct {
	Kind string
	Line int
	// Name may have * and ? in it, for several files of which Several says which
	// count: "newest" or "all".
	Name, Several string
	// Format is "csv" or "jsonl", Encoding "utf-8" or "windows-1252".
	Format, Encoding string
	// Separator of CSV; 0 has it told from the header line.
	Separator rune
	// Key are the columns that tell rows apart; with Digest the id is a digest of them.
	Key     []string
	Digest  bool
	OurMark string
	Write   FileWrite
	// AsTyped writes what a spreadsheet takes for a formula as it is.
	AsTyped             bool
	MayBeEmpty, OpenEnd bool
	Done                string
	Unfinished          []string
	Unchanged           time.Duration
	StaleAfter          time.Duration // 0: never
	MaxMB, MaxRows      int           // 0: the connector's own
}
