package config

import (
	"path"
	"slices"
	"strings"
	"time"
)

// folder reads a system that is a folder of documents.
func (b *builder) folder(r rawSystem, at []string) *Folder {
	f := &Folder{
		Path: b.abs(r.Folder), Include: r.Include, Exclude: r.Exclude, Language: r.Language, Tags: r.Tags, Unchanged: stands,
	}
	if r.Folder == "" {
		b.missing(under(at, "folder"), "missing: the folder with the documents")
	}
	if r.UnchangedFor != nil {
		f.Unchanged = time.Duration(*r.UnchangedFor)
	}
	for key, patterns := range map[string][]string{"include": r.Include, "exclude": r.Exclude} {
		for _, p := range patterns {
			b.pattern(p, under(at, key))
		}
	}
	for _, p := range r.ByPath {
		if p.Language == "" && len(p.Tags) == 0 {
			b.bad(under(at, "by_path"), "%s says nothing: give it a language or tags", shown(p.Match))
		}
		b.pattern(p.Match, under(at, "by_path"))
		f.ByPath = append(f.ByPath, ByPath{Match: p.Match, Language: p.Language, Tags: p.Tags})
	}
	return f
}

// pattern refuses what is no pattern of a path below a folder.
func (b *builder) pattern(p string, at []string) {
	bad := p == "" || strings.HasPrefix(p, "/") || strings.Contains(p, `\`)
	for part := range strings.SplitSeq(p, "/") {
		_, err := path.Match(part, "")
		bad = bad || err != nil
	}
	if bad {
		b.bad(at, "%s is no pattern of a path: it is like *.md, drafts/** or **/en/*.pdf, below the folder", shown(p))
	}
}

// documents reads the documents that are made of a database.
func (b *builder) documents(r rawSystem, at []string) []Document {
	var all []Document
	names := map[string]bool{}
	for _, name := range b.all.keys(under(at, "documents")...) {
		raw, ok := r.Documents[name]
		if !ok {
			continue
		}
		d := b.document(name, raw, under(at, "documents", name))
		if names[d.Name] {
			b.bad(under(at, "documents", name), "another document is called %s already", shown(d.Name))
		}
		names[d.Name] = true
		all = append(all, d)
	}
	if len(all) > 0 && slices.Contains(b.all.keys(under(at, "tables")...), KindDocuments) {
		b.bad(under(at, "tables", KindDocuments), "documents are what the documents of this system are called: choose another name")
	}
	return all
}

func (b *builder) document(key string, r rawDocument, at []string) Document {
	b.name(at)
	d := Document{
		Line: b.all.line(at...), Name: r.Name, Title: r.Title, Language: r.Language, Tags: r.Tags,
		Query: r.Query, Template: r.Template, Order: r.Order, MinRows: 1,
	}
	if d.Name == "" {
		d.Name = key + ".md"
	}
	if !slices.Contains([]string{".md", ".txt", ".csv"}, path.Ext(d.Name)) || strings.ContainsAny(d.Name, `/\`) {
		b.bad(under(at, "name"), "must be a name that ends in .md, .txt or .csv: a template gives text")
	}
	if r.Query == "" {
		b.missing(under(at, "query"), "missing: the select that gives its rows")
	}
	switch {
	case r.Template != "" && r.File != "":
		b.bad(under(at, "template_file"), "template is the text itself: delete one")
	case r.Template == "" && r.File == "":
		b.missing(under(at, "template"), "missing: the text, with {{ range .Rows }} around what is made of each row")
	case r.File != "":
		d.File = b.abs(r.File)
	}
	if r.MinRows != nil {
		d.MinRows = b.count(r.MinRows, under(at, "min_rows"))
	}
	return d
}

// isDocuments reports whether a side is the documents of a folder or of a database.
func (b *builder) isDocuments(side *JobSide) bool {
	s, ok := b.cfg.System(side.System)
	if !ok || side.Kind != KindDocuments {
		return false
	}
	return s.Folder != nil || s.SQL != nil && len(s.SQL.Documents) > 0
}
