// Package folder connects Nightporter to a folder of documents: the files of a knowledge
// base, read only.
//
// Each file is shown as one version of a document. A file that is being written, or that
// can't be read, is said to be there and not shown; a folder that is not there is an error
// and never an empty list. Hidden files, and links that lead out of the folder, are no
// documents.
package folder

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// The defaults of a Config.
const (
	DefaultMaxBytes = 64 << 20
)

// Config says which files of a folder are documents, and what is said of them.
type Config struct {
	Folder   string
	Include  []string // patterns; empty: every file of a known type
	Exclude  []string // patterns
	Language string   // of a document that names none
	Tags     []string // of every document
	ByPath   []Rule   // what is said of some; a later one stands over an earlier

	Unchanged time.Duration // a file counts once it has not changed for so long
	MaxBytes  int64         // of a file that is read; 0: DefaultMaxBytes

	now  func() time.Time  // tests
	read func(name string) // told of each file that is read; tests
}

// Rule is what is said of the documents whose path fits a pattern.
type Rule struct {
	Match    string
	Language string   // "": as else
	Tags     []string // added to the others
}

func (cfg Config) withDefaults() (Config, error) {
	if cfg.Folder == "" {
		return cfg, errors.New("no folder: name the one with the documents")
	}
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = DefaultMaxBytes
	}
	if cfg.read == nil {
		cfg.read = func(string) {}
	}
	if cfg.now == nil {
		cfg.now = time.Now
	}
	patterns := slices.Concat(cfg.Include, cfg.Exclude)
	for _, r := range cfg.ByPath {
		patterns = append(patterns, r.Match)
	}
	for _, p := range patterns {
		if err := CheckPattern(p); err != nil {
			return cfg, fmt.Errorf("read the pattern %q: %w", p, err)
		}
	}
	return cfg, nil
}

// CheckPattern refuses what is no pattern.
func CheckPattern(p string) error {
	if p == "" || strings.HasPrefix(p, "/") || strings.Contains(p, `\`) {
		return errors.New("it must be like *.md, drafts/** or **/en/*.pdf, with slashes, below the folder")
	}
	for part := range strings.SplitSeq(p, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return errors.New("* stands for any letters, ? for one, [ab] for one of these, ** for any folders")
		}
	}
	return nil
}

// fits reports whether a path fits a pattern. One without a slash is for the name alone,
// wherever the file is.
func fits(pattern, name string) bool {
	if !strings.Contains(pattern, "/") {
		ok, _ := path.Match(pattern, path.Base(name))
		return ok
	}
	return fitParts(strings.Split(pattern, "/"), strings.Split(name, "/"))
}

func fitParts(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return fitParts(pattern[1:], name) || len(name) > 0 && fitParts(pattern, name[1:])
	case len(name) == 0:
		return false
	}
	ok, _ := path.Match(pattern[0], name[0])
	return ok && fitParts(pattern[1:], name[1:])
}

func fitsAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return fits(p, name) })
}
