package connectortest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/folder"
	"nightporter/sync/record"
)

// shelf is a connector of documents.
type shelf interface {
	connectors.Connector
	connectors.Getter
	connectors.Opener
}

// worn is a shelf with some methods replaced.
type worn struct {
	shelf
	fetch  func(context.Context, shelf, connectors.Query) (connectors.Page, error)
	get    func(context.Context, shelf, record.Ref) (record.Record, error)
	open   func(context.Context, shelf, record.Ref, string) (io.ReadCloser, error)
	change func(*connectors.Kind)
	stays  bool // open when it was closed
	bare   bool // an id is the name alone, whatever stands in the document
}

func (w worn) Close() error {
	if w.stays {
		return nil
	}
	return w.shelf.Close()
}

func (w worn) Describe(ctx context.Context) (connectors.Description, error) {
	d, err := w.shelf.Describe(ctx)
	if w.change != nil {
		k := d.Kinds["documents"]
		w.change(&k)
		d.Kinds["documents"] = k
	}
	return d, err
}

func (w worn) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	switch {
	case w.fetch != nil:
		return w.fetch(ctx, w.shelf, q)
	case w.bare:
		return byName(w.shelf.Fetch(ctx, q, after))
	}
	return w.shelf.Fetch(ctx, q, after)
}

func (w worn) Get(ctx context.Context, ref record.Ref, s connectors.Scope) (record.Record, error) {
	switch {
	case w.get != nil:
		return w.get(ctx, w.shelf, ref)
	case w.bare:
		return getByName(ctx, w, ref)
	}
	return w.shelf.Get(ctx, ref, s)
}

func (w worn) Open(ctx context.Context, ref record.Ref, path string) (io.ReadCloser, error) {
	switch {
	case w.open != nil:
		return w.open(ctx, w.shelf, ref, path)
	case w.bare:
		ref.ID += "@0123456789abcdef"
	}
	return w.shelf.Open(ctx, ref, path)
}

// shut is a shelf whose documents can't be opened.
type shut struct {
	connectors.Connector
	connectors.Getter
}

// documents is a folder as the suite wants it, with a connector that wrap makes of its own.
func documents(wrap func(shelf) connectors.Connector) func(testing.TB) Subject {
	return func(t testing.TB) Subject {
		w, _ := wrap(nil).(worn)
		dir, n := t.TempDir(), 0
		text := func(i int) []byte { return fmt.Appendf(nil, "From %d to 23.\n", i) }
		write := func(t testing.TB, name string, b []byte) string {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
			if w.bare {
				return name
			}
			sum := sha256.Sum256(b)
			return name + "@" + hex.EncodeToString(sum[:])[:16]
		}
		file := func(id string) (name, digest string) {
			name, digest, _ = strings.Cut(id, "@")
			return name, digest
		}
		return Subject{
			Kind:   "documents",
			Sample: func(i int) record.Fields { return record.Fields{"path": record.OfText(fmt.Sprintf("%d.md", i))} },
			Open: func(t testing.TB) connectors.Connector {
				c, err := folder.Open(folder.Config{Folder: dir})
				if err != nil {
					t.Fatal(err)
				}
				return wrap(c)
			},
			Put: func(t testing.TB, f record.Fields) string {
				n++
				return write(t, f["path"].Text(), text(n))
			},
			Remove: func(t testing.TB, id string) {
				name, _ := file(id)
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			},
			Rewrite: func(t testing.TB, id string, b []byte) string {
				name, _ := file(id)
				return write(t, name, b)
			},
			Rename: func(t testing.TB, id string) string {
				name, digest := file(id)
				if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, "new-"+name)); err != nil {
					t.Fatal(err)
				}
				return strings.TrimSuffix("new-"+name+"@"+digest, "@")
			},
		}
	}
}

// Each shelf here is wrong in one way, and the chapter that is about it must say so; as it
// should be, it must say nothing.
func TestABrokenShelfFails(t *testing.T) {
	const opened, version = "contents are opened", "an id names a version"
	as := func(w worn) func() func(shelf) connectors.Connector {
		return func() func(shelf) connectors.Connector {
			return func(s shelf) connectors.Connector {
				w := w
				w.shelf = s
				return w
			}
		}
	}
	for name, x := range map[string]struct {
		chapter string
		wrap    func() func(shelf) connectors.Connector
	}{
		"opens nothing": {opened, func() func(shelf) connectors.Connector {
			return func(s shelf) connectors.Connector { return shut{s, s} }
		}},
		"gives other bytes":              {opened, as(worn{open: giving(bytes.ToUpper)})},
		"gives a byte more":              {opened, as(worn{open: giving(func(b []byte) []byte { return append(b, '\n') })})},
		"gives half":                     {opened, as(worn{open: giving(func(b []byte) []byte { return b[:len(b)/2] })})},
		"gives it once":                  {opened, as(worn{open: givingOnce()})},
		"has one place in the file":      {opened, as(worn{open: sharing()})},
		"can't be closed":                {opened, as(worn{open: unclosable})},
		"shows another digest":           {opened, as(worn{fetch: showing(func(b *record.Body) { b.Digest = strings.ToUpper(b.Digest) })})},
		"shows another size":             {opened, as(worn{fetch: showing(func(b *record.Body) { b.Size++ })})},
		"shows a type with more":         {opened, as(worn{fetch: showing(func(b *record.Body) { b.Media += "; charset=utf-8" })})},
		"shows no type":                  {opened, as(worn{fetch: showing(func(b *record.Body) { b.Media = "" })})},
		"a read shows no content":        {opened, as(worn{get: contentless})},
		"a read finds none":              {opened, as(worn{get: onError("", connectors.Transient)})},
		"opens any path":                 {opened, as(worn{open: anyPath})},
		"opens any id":                   {opened, as(worn{open: anyID})},
		"opens any kind of record":       {opened, as(worn{open: anyKindOf})},
		"what is gone is an outage":      {opened, as(worn{open: opensGone(connectors.Transient)})},
		"what is gone is empty":          {opened, as(worn{open: opensGone("")})},
		"stops without a reason":         {opened, as(worn{open: curt})},
		"does not stop":                  {opened, as(worn{open: tireless})},
		"opens when closed":              {opened, as(worn{stays: true})},
		"lists what was":                 {version, func() func(shelf) connectors.Connector { return kept() }},
		"reads what was":                 {version, func() func(shelf) connectors.Connector { return remembered() }},
		"lists another content":          {version, as(worn{fetch: showing(func(b *record.Body) { b.Size++ })})},
		"reads another content":          {version, as(worn{get: contentless})},
		"gives what was edited away":     {version, as(worn{open: givingFirst()})},
		"counts who asked":               {version, as(worn{fetch: counting()})},
		"an old version is gone":         {version, as(worn{get: onError(connectors.Moved, connectors.NotFound)})},
		"a version is a merge":           {version, as(worn{get: moving(func(e *connectors.Error) { e.Newer = false })})},
		"a rename is a version":          {version, as(worn{get: moving(func(e *connectors.Error) { e.Newer = true })})},
		"names another version":          {version, as(worn{get: moving(func(e *connectors.Error) { e.Ref.ID += "0" })})},
		"an old version is there":        {version, as(worn{get: takesNewer})},
		"what is gone moved":             {version, as(worn{get: onError(connectors.NotFound, connectors.Moved)})},
		"a rename changes what is shown": {version, as(worn{get: renamedShowsMore})},
		"an id is a name":                {version, as(worn{bare: true})},
		"says that it changes":           {version, as(worn{change: func(k *connectors.Kind) { k.Immutable = false }})},
	} {
		t.Run(name, func(t *testing.T) {
			c := chapterNamed(t, x.chapter)
			if failures, _ := verdict(t, c, documents(x.wrap())); len(failures) == 0 {
				t.Errorf("%q does not notice", x.chapter)
			}
			sound := documents(func(s shelf) connectors.Connector { return s })
			if failures, skipped := verdict(t, c, sound); len(failures) > 0 || skipped {
				t.Errorf("%q about a sound connector: skipped %t, %v", x.chapter, skipped, failures)
			}
		})
	}
}
