package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"nightporter/connectors"
	"nightporter/connectors/internal/dockit"
	"nightporter/sync/record"
)

// Conn is a folder, opened. It is a Connector, a Getter and an Opener.
type Conn struct {
	cfg  Config
	seen seen

	mu     sync.Mutex
	closed bool
}

var (
	_ connectors.Connector = (*Conn)(nil)
	_ connectors.Getter    = (*Conn)(nil)
	_ connectors.Opener    = (*Conn)(nil)
)

// Open checks cfg. It looks at no file: a folder that is missing is found out by the first
// call.
func Open(cfg Config) (*Conn, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	return &Conn{cfg: cfg}, nil
}

// Close makes all further calls fail.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return nil
}

// Describe says what documents show.
func (c *Conn) Describe(context.Context) (connectors.Description, error) {
	return connectors.Description{Kinds: map[record.Kind]connectors.Kind{dockit.Kind: dockit.Describe()}}, nil
}

// Fetch shows all documents.
func (c *Conn) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	op := "fetch " + string(q.Kind)
	if err := dockit.Check(op, q, after); err != nil {
		return connectors.Page{}, err
	}
	l, err := c.listing(ctx, op)
	if err != nil {
		return connectors.Page{}, err
	}
	return l.Page(op)
}

// Get shows one version of a document, or says what took its place.
func (c *Conn) Get(ctx context.Context, ref record.Ref, _ connectors.Scope) (record.Record, error) {
	op := "get " + string(ref.Kind)
	if ref.Kind != dockit.Kind {
		return record.Record{}, dockit.NotHere(op, ref.Kind)
	}
	l, err := c.listing(ctx, op)
	if err != nil {
		return record.Record{}, err
	}
	return l.Get(op, ref)
}

// Open gives the bytes of a document, and of no other file. Whether they are still those of
// this version only who reads them can tell.
func (c *Conn) Open(ctx context.Context, ref record.Ref, at string) (io.ReadCloser, error) {
	op := "open " + string(ref.Kind)
	name, _, ok := dockit.SplitID(ref.ID)
	if ref.Kind != dockit.Kind || at != dockit.ContentPath || !ok || !fs.ValidPath(name) || !c.wanted(name) {
		return nil, connectors.Wrong(connectors.NotFound, op, "no document has such an id")
	}
	if err := c.alive(ctx, op); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(c.cfg.Folder)
	if err != nil {
		return nil, c.failed(op, err)
	}
	defer root.Close()
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err != nil && linked(root, name), err == nil && !info.Mode().IsRegular():
		e := connectors.Wrong(connectors.NotFound, op, "there is no such document any more")
		e.Ref = ref
		return nil, e
	case err != nil:
		return nil, c.failed(op, err)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, c.failed(op, err)
	}
	return f, nil
}

// listing is what the folder holds now.
func (c *Conn) listing(ctx context.Context, op string) (dockit.Listing, error) {
	if err := c.alive(ctx, op); err != nil {
		return dockit.Listing{}, err
	}
	l, err := c.look(ctx)
	if err != nil {
		return l, c.failed(op, err)
	}
	return l, nil
}

func (c *Conn) alive(ctx context.Context, op string) error {
	if err := context.Cause(ctx); err != nil {
		return &connectors.Error{Class: connectors.Transient, Op: op, Host: c.cfg.Folder, Err: err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return &connectors.Error{Class: connectors.Transient, Op: op, Host: c.cfg.Folder, Err: errors.New("the folder was closed")}
	}
	return nil
}

// failed is an error of the disk as the contract wants it. What is not there may be a
// share that is not mounted: it says nothing of the documents.
func (c *Conn) failed(op string, err error) error {
	hint := "is the share mounted, and may the user that this runs as read it?"
	if errors.Is(err, fs.ErrPermission) {
		hint = "let the user that this runs as read it, and all folders in it"
	}
	return &connectors.Error{Class: connectors.Transient, Op: op, Host: c.cfg.Folder, Err: err, Hint: hint}
}

// Grants says what the user that we run as must be allowed to do.
func (c *Conn) Grants(context.Context, record.Kind, []string, []string, []string) ([]string, error) {
	return []string{"read the files in " + c.cfg.Folder}, nil
}

// Shows says what is in the folder.
func (c *Conn) Shows(ctx context.Context, _ record.Kind) (string, error) {
	l, err := c.listing(ctx, "look at the folder")
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%d documents in %s", len(l.Docs), c.cfg.Folder)
	if len(l.Bad) > 0 {
		text += fmt.Sprintf(", and %d that can't be read", len(l.Bad))
	}
	return text, nil
}
