package folder_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/connectortest"
	"nightporter/connectors/folder"
	"nightporter/sync/record"
)

// cabinet is a folder that somebody keeps documents in.
type cabinet struct {
	dir     string
	renamed int
}

// text is what stands in the i-th document.
func text(i int) string {
	return fmt.Sprintf("---\ntitle: Document %d\nlanguage: it\ntags: [desk]\n---\nFrom %d to 23.\n", i, i)
}

// sample is the i-th document, as a record of it is shown.
func sample(i int) record.Fields {
	sum := sha256.Sum256([]byte(text(i)))
	digest, size := hex.EncodeToString(sum[:]), int64(len(text(i)))
	return record.Fields{
		"path": record.OfText(fmt.Sprintf("rooms/no @ %d.md", i)), "name": record.OfText(fmt.Sprintf("no @ %d.md", i)),
		"title": record.OfText(fmt.Sprintf("Document %d", i)), "language": record.OfText("it"), "tags": record.OfList(record.OfText("desk")),
		"digest": record.OfText(digest), "size": record.OfInt(size), "content": record.OfContent(digest, size, "text/markdown"),
	}
}

func (c *cabinet) write(t testing.TB, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(c.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, b, 0o600)); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return name + "@" + hex.EncodeToString(sum[:])[:16]
}

// path is the path that an id names.
func path(id string) string { return id[:strings.LastIndexByte(id, '@')] }

func (c *cabinet) put(t testing.TB, f record.Fields) string {
	t.Helper()
	var i int
	if _, err := fmt.Sscanf(f["title"].Text(), "Document %d", &i); err != nil {
		t.Fatal(err)
	}
	return c.write(t, f["path"].Text(), []byte(text(i)))
}

func (c *cabinet) rename(t testing.TB, id string) string {
	t.Helper()
	c.renamed++
	to := fmt.Sprintf("renamed %d.md", c.renamed)
	if err := os.Rename(filepath.Join(c.dir, path(id)), filepath.Join(c.dir, to)); err != nil {
		t.Fatal(err)
	}
	return to + id[strings.LastIndexByte(id, '@'):]
}

func TestConformance(t *testing.T) {
	connectortest.Run(t, func(t testing.TB) connectortest.Subject {
		c := &cabinet{dir: t.TempDir()}
		return connectortest.Subject{
			Kind: "documents", Sample: sample, Put: c.put, Rename: c.rename,
			Open: func(t testing.TB) connectors.Connector {
				conn, err := folder.Open(folder.Config{Folder: c.dir})
				if err != nil {
					t.Fatal(err)
				}
				return conn
			},
			Remove: func(t testing.TB, id string) {
				if err := os.Remove(filepath.Join(c.dir, path(id))); err != nil {
					t.Fatal(err)
				}
			},
			Rewrite: func(t testing.TB, id string, b []byte) string { return c.write(t, path(id), b) },
		}
	})
}
