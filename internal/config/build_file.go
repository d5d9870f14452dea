package config

import (
	"path/filepath"
	"strings"
	"time"
)

// stands is how long a file that is only read must have been left alone, if nothing
// else is said: another program may write it bit by bit.
const stands = 2 * time.Second

// mostMB bounds a file: it is held in memory.
const mostMB = 1024

// separators are the words for what stands between cells.
var separators = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t', "pipe": '|', ",": ',', ";": ';', "|": '|'}

func (b *builder) files(r rawSystem, at []string) *Files {
	s := &Files{Folder: b.abs(r.Folder)}
	if r.Folder == "" {
		b.missing(under(at, "folder"), "missing: the folder with the files")
	}
	if len(b.all.keys(under(at, "files")...)) == 0 && !b.bare {
		b.missing(under(at, "files"), "missing: which files hold the records")
	}
	for _, kind := range b.all.keys(under(at, "files")...) {
		if f, ok := r.Files[kind]; ok {
			s.List = append(s.List, b.file(kind, f, under(at, "files", kind)))
		}
	}
	return s
}

func (b *builder) file(kind string, r rawFile, at []string) File {
	b.name(at)
	f := File{
		Kind: kind, Line: b.all.line(at...), Name: r.File, OurMark: r.OurMark, Done: r.Done, Unfinished: r.Unfinished,
		Several:    choice(b, r.Several, "", under(at, "several"), "newest", "all"),
		Format:     choice(b, r.Format, "", under(at, "format"), "csv", "jsonl"),
		Encoding:   choice(b, r.Encoding, "", under(at, "encoding"), "utf-8", "windows-1252"),
		Write:      choice(b, r.Write, WriteNever, under(at, "write"), WriteNever, WriteAppend, WriteRewrite),
		AsTyped:    choice(b, r.Formulas, "quoted", under(at, "formulas"), "quoted", "as_typed") == "as_typed",
		MayBeEmpty: r.MayBeEmpty != nil && *r.MayBeEmpty, OpenEnd: r.OpenEnd != nil && *r.OpenEnd,
		MaxMB: b.count(r.MaxMB, under(at, "max_mb")), MaxRows: b.count(r.MaxRows, under(at, "max_rows")),
	}
	b.fileName(&f, r, at)
	b.fileKey(&f, r, at)
	if f.MaxMB > mostMB {
		b.bad(under(at, "max_mb"), "must be %d or less: the file is held in memory", mostMB)
	}
	if r.Separator != "" {
		var ok bool
		if f.Separator, ok = separators[strings.ToLower(r.Separator)]; !ok {
			b.bad(under(at, "separator"), "must be comma, semicolon, tab or pipe")
		}
	}
	if f.Write != WriteNever {
		b.onlyRead(r, at)
	} else if f.Unchanged = stands; r.UnchangedFor != nil {
		f.Unchanged = time.Duration(*r.UnchangedFor)
	}
	if r.StaleAfter != nil {
		if f.StaleAfter = time.Duration(*r.StaleAfter); f.StaleAfter <= f.Unchanged {
			b.bad(under(at, "stale_after"), "must be more than unchanged_for, which is %s: no file would be read", f.Unchanged)
		}
	}
	return f
}

// fileName checks the name of a file, and what only names of some sorts can have.
func (b *builder) fileName(f *File, r rawFile, at []string) {
	where := under(at, "file")
	pattern := strings.ContainsAny(r.File, "*?[")
	ext := strings.ToLower(filepath.Ext(r.File))
	_, wrong := filepath.Match(r.File, "")
	if f.Format == "" {
		switch ext {
		case ".csv", ".txt", ".tsv":
			f.Format = "csv"
		case ".jsonl", ".ndjson":
			f.Format = "jsonl"
		}
	}
	switch {
	case r.File == "":
		b.missing(where, "missing: the name of the file in the folder, such as guests.csv, or guests-*.csv for nightly ones")
	case r.File != filepath.Base(r.File):
		b.bad(where, "must be a name alone: folder says where it is")
	case wrong != nil:
		b.bad(where, "is no pattern: * stands for any letters, ? for one, [ab] for one of these")
	case f.Format == "" && !b.wasThere(under(at, "format")):
		b.missing(under(at, "format"), "missing: csv or jsonl, for the name doesn't say")
	case pattern && f.Write != WriteNever:
		b.bad(under(at, "write"), "files by a pattern are only read: name the one file that is written")
	case !pattern && r.Several != "":
		b.bad(under(at, "several"), "means nothing with one file: say guests-*.csv, or delete it")
	}
	if f.Format == "jsonl" {
		for key, said := range map[string]bool{"separator": r.Separator != "", "encoding": r.Encoding != "", "formulas": r.Formulas != ""} {
			if said {
				b.bad(under(at, key), "means nothing with jsonl: delete it")
			}
		}
	}
}

// fileKey checks what tells rows apart.
func (b *builder) fileKey(f *File, r rawFile, at []string) {
	f.Key = r.Key
	switch {
	case len(r.Key) > 0 && len(r.KeyDigest) > 0:
		b.bad(under(at, "key_digest"), "key says what tells rows apart: delete one")
	case len(r.KeyDigest) > 0:
		f.Key, f.Digest = r.KeyDigest, true
	case len(r.Key) == 0 && !b.wasThere(under(at, "key")) && !b.wasThere(under(at, "key_digest")):
		b.missing(under(at, "key"), "missing: the column, or columns, that tell one row from another; or key_digest, a digest of which does")
	}
	for _, column := range r.KeyDigest {
		if column == r.OurMark && column != "" {
			b.bad(under(at, "our_mark"), "%s is part of key_digest", shown(column))
		}
	}
}

// onlyRead refuses what is said of files that another program makes.
func (b *builder) onlyRead(r rawFile, at []string) {
	for key, said := range map[string]bool{
		"done": r.Done != "", "unfinished": r.Unfinished != nil, "unchanged_for": r.UnchangedFor != nil, "stale_after": r.StaleAfter != nil, "may_be_empty": r.MayBeEmpty != nil,
	} {
		if said {
			b.bad(under(at, key), "is for files that are only read: delete it, or write")
		}
	}
}

// fileOf is the file behind a side, if its system is a folder.
func (b *builder) fileOf(side *JobSide) (File, bool) {
	s, ok := b.cfg.System(side.System)
	if !ok || s.Files == nil {
		return File{}, false
	}
	return s.Files.File(side.Kind)
}

// knownFile refuses a kind that a folder has no file for.
func (b *builder) knownFile(s System, kind string, at []string) {
	_, ok := s.Files.File(kind)
	if ok || len(s.Files.List) == 0 || b.wasThere([]string{"systems", s.Name, "files", kind}) {
		return
	}
	var kinds []string
	for _, f := range s.Files.List {
		kinds = append(kinds, f.Kind)
	}
	b.bad(at, "%s has no file %s%s", s.Name, shown(kind), didYouMean(kind, kinds))
}
