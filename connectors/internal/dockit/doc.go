// Package dockit is what connectors share that show documents: files of a knowledge base.
//
// A record is one version of one document, and never changes: its id is the document's
// path and a digest of its bytes. What is edited is another record, which stands in the
// place of the one before.
package dockit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Kind is what documents are called by every connector that shows them.
const Kind record.Kind = "documents"

// ContentPath is where a document shows its bytes.
const ContentPath = "content"

// The media types of documents, by the ending of their names.
var media = map[string]string{ //nolint:gochecknoglobals // a fixed table
	".md":   "text/markdown",
	".txt":  "text/plain",
	".csv":  "text/csv",
	".pdf":  "application/pdf",
	".doc":  "application/msword",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// MediaOf is the media type of a document by the ending of its name, "" for what is none.
func MediaOf(name string) string { return media[strings.ToLower(path.Ext(name))] }

// Doc is one version of a document.
type Doc struct {
	Path     string // with slashes; what stays the same from version to version
	Title    string
	Language string
	Tags     []string
	Digest   string // SHA-256 of the bytes, in hexadecimal
	Size     int64
}

// Digest is the digest of bytes as a Doc has it.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// idDigits is how much of a digest an id has: enough to tell the versions of one document.
const idDigits = 16

// ID names the version.
func (d Doc) ID() string { return d.Path + "@" + d.Digest[:min(idDigits, len(d.Digest))] }

// Is reports whether it is the version of an id's digest.
func (d Doc) Is(digest string) bool {
	return len(digest) == idDigits && strings.HasPrefix(d.Digest, digest)
}

// SplitID takes an id apart; false for what can't be one.
func SplitID(id string) (path, digest string, ok bool) {
	i := strings.LastIndexByte(id, '@')
	if i <= 0 || len(id)-i-1 != idDigits {
		return "", "", false
	}
	return id[:i], id[i+1:], true
}

// TitleOf is the title of a document that names none: its name, without the ending.
func TitleOf(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// Fields is the version as a record shows it.
func (d Doc) Fields() record.Fields {
	title := d.Title
	if title == "" {
		title = TitleOf(d.Path)
	}
	tags := make([]record.Value, 0, len(d.Tags))
	for _, t := range slices.Compact(slices.Sorted(slices.Values(d.Tags))) {
		tags = append(tags, record.OfText(t))
	}
	language := record.Nothing()
	if d.Language != "" {
		language = record.OfText(d.Language)
	}
	return record.Fields{
		"path": record.OfText(d.Path), "name": record.OfText(path.Base(d.Path)), "title": record.OfText(title),
		"language": language, "tags": record.OfList(tags...), "media_type": record.OfText(MediaOf(d.Path)),
		"size": record.OfInt(d.Size), "digest": record.OfText(d.Digest), "active": record.OfBool(true),
		ContentPath: record.OfContent(d.Digest, d.Size, MediaOf(d.Path)),
	}
}

// Record is the version as a record of a kind.
func (d Doc) Record() record.Record {
	return record.Record{Ref: record.Ref{Kind: Kind, ID: d.ID()}, Fields: d.Fields()}
}

// Describe is what a connector that shows documents can do.
func Describe() connectors.Kind {
	k := connectors.Kind{Fields: map[string]connectors.Field{}, Get: true, Immutable: true, PageSize: mostAtOnce, OnePage: true}
	for name := range (Doc{}).Fields() {
		k.Fields[name] = connectors.Field{ReadOnly: true}
	}
	return k
}

// mostAtOnce stands for the rows of a page, of which there is one.
const mostAtOnce = 10_000

// Listing is all documents that are there, in one look.
type Listing struct {
	Docs []Doc
	Bad  map[string]error // by path: what is there and can't be taken as it is
	Flaw string           // why this may not be all
	// Unnamed is what is among Bad for its path alone: a document that holds the same may be it.
	Unnamed []Doc
}

// Page is a listing as a page.
func (l Listing) Page(op string) (connectors.Page, error) {
	p := connectors.Page{Total: -1, View: "list", Flaw: l.Flaw, End: true}
	at := map[string]Doc{}
	for _, d := range l.Docs {
		raw, err := d.Fields().MarshalJSON()
		if err != nil {
			return p, connectors.Wrong(connectors.Malformed, op, "%w", err)
		}
		at[d.ID()] = d
		p.Items = append(p.Items, connectors.Item{ID: d.ID(), Raw: raw})
	}
	for name, err := range l.Bad {
		p.Items = append(p.Items, connectors.Item{ID: name, Raw: []byte(err.Error())})
	}
	slices.SortFunc(p.Items, func(a, b connectors.Item) int { return strings.Compare(a.ID, b.ID) })
	p.Read = func(it connectors.Item) (record.Record, error) {
		if err, bad := l.Bad[it.ID]; bad {
			return record.Record{}, connectors.Wrong(connectors.Rejected, op, "%w", err)
		}
		d, ok := at[it.ID]
		if !ok {
			return record.Record{}, connectors.Wrong(connectors.Malformed, op, "%s is not of this page", it.ID)
		}
		return d.Record(), nil
	}
	return p, nil
}

// Get is the record of an id's version; its errors are those of Find.
func (l Listing) Get(op string, ref record.Ref) (record.Record, error) {
	d, err := l.Find(op, ref)
	if err != nil {
		return record.Record{}, err
	}
	return d.Record(), nil
}

// Find is the version of an id, or what became of it: a newer version took its place, it
// goes by another path, it is not there any more. Of several that hold the same it names
// one, always the same one: what is not found nobody else holds.
func (l Listing) Find(op string, ref record.Ref) (Doc, error) {
	name, digest, ok := SplitID(ref.ID)
	if !ok {
		return Doc{}, wrong(connectors.NotFound, op, ref, "no document has such an id")
	}
	if err, bad := l.Bad[name]; bad {
		return Doc{}, wrong(connectors.Rejected, op, ref, err.Error())
	}
	var same []Doc
	for _, d := range l.Docs {
		switch {
		case d.Path == name && d.Is(digest):
			return d, nil
		case d.Path == name:
			return Doc{}, &connectors.Error{Class: connectors.Moved, Newer: true, Op: op, Ref: record.Ref{Kind: ref.Kind, ID: d.ID()}}
		case d.Is(digest):
			same = append(same, d)
		}
	}
	if i := slices.IndexFunc(l.Unnamed, func(d Doc) bool { return d.Is(digest) }); i >= 0 && len(same) == 0 {
		path := l.Unnamed[i].Path
		return Doc{}, wrong(connectors.Rejected, op, ref, fmt.Sprintf("%s holds the same: %v", path, l.Bad[path]))
	}
	if l.Flaw != "" {
		return Doc{}, wrong(connectors.Rejected, op, ref, l.Flaw)
	}
	if len(same) > 0 { // it was renamed, or copied and removed
		to := slices.MinFunc(same, byLikeness(name))
		return Doc{}, &connectors.Error{Class: connectors.Moved, Op: op, Ref: record.Ref{Kind: ref.Kind, ID: to.ID()}}
	}
	return Doc{}, wrong(connectors.NotFound, op, ref, "there is no such document")
}

// byLikeness orders documents that hold the same by how likely a path became theirs: first
// those whose file has its name, as where a folder was renamed, and then by their paths.
func byLikeness(name string) func(a, b Doc) int {
	other := func(d Doc) int {
		if path.Base(d.Path) == path.Base(name) {
			return 0
		}
		return 1
	}
	return func(a, b Doc) int {
		return cmp.Or(cmp.Compare(other(a), other(b)), strings.Compare(a.Path, b.Path))
	}
}

func wrong(class connectors.ErrorClass, op string, ref record.Ref, text string) error {
	e := connectors.Wrong(class, op, "%s", text)
	e.Ref = ref
	return e
}

// NotHere is the error of a kind that a connector of documents does not have.
func NotHere(op string, kind record.Kind) error {
	return connectors.Wrong(connectors.Unsupported, op, "there is no %q here, only %s", kind, Kind)
}

// Check refuses a query that documents can't answer.
func Check(op string, q connectors.Query, after record.Cursor) error {
	switch {
	case q.Kind != Kind:
		return NotHere(op, q.Kind)
	case q.Mode == connectors.Since:
		return connectors.Wrong(connectors.Unsupported, op, "documents are always read whole")
	case after != "":
		return connectors.Wrong(connectors.Malformed, op, "the list has one page alone")
	}
	return nil
}

// TooLarge is the error of what is larger than is read.
func TooLarge(size, most int64) error {
	return fmt.Errorf("it has %d bytes, and %d at most are read", size, most)
}
