package connectortest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/record"
)

type opensIt = func(context.Context, shelf, record.Ref, string) (io.ReadCloser, error)

// giving changes the bytes that are given.
func giving(change func([]byte) []byte) opensIt {
	return func(ctx context.Context, s shelf, ref record.Ref, path string) (io.ReadCloser, error) {
		f, err := s.Open(ctx, ref, path)
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(f)
		return io.NopCloser(bytes.NewReader(change(b))), errors.Join(err, f.Close())
	}
}

func givingOnce() opensIt {
	given := map[string]bool{}
	return func(ctx context.Context, s shelf, ref record.Ref, path string) (io.ReadCloser, error) {
		f, err := s.Open(ctx, ref, path)
		if err == nil && given[ref.ID] {
			_, err = io.Copy(io.Discard, f)
		}
		given[ref.ID] = true
		return f, err
	}
}

// givingFirst gives for a name what it gave first.
func givingFirst() opensIt {
	first := map[string][]byte{}
	return func(ctx context.Context, s shelf, ref record.Ref, path string) (io.ReadCloser, error) {
		name, _, _ := strings.Cut(ref.ID, "@")
		return giving(func(b []byte) []byte {
			if first[name] == nil {
				first[name] = b
			}
			return first[name]
		})(ctx, s, ref, path)
	}
}

// sharing has all who read a document read on at the same place.
func sharing() opensIt {
	open := map[string]io.ReadCloser{}
	return func(ctx context.Context, s shelf, ref record.Ref, path string) (io.ReadCloser, error) {
		f, err := s.Open(ctx, ref, path)
		if err != nil {
			return nil, err
		}
		shared := &until{f, func() { delete(open, ref.ID) }}
		if other, ok := open[ref.ID]; ok {
			return struct {
				io.Reader
				io.Closer
			}{other, f}, nil
		}
		open[ref.ID] = shared
		return shared, nil
	}
}

// until tells when it is closed.
type until struct {
	io.ReadCloser
	closed func()
}

// Close closes it.
func (u *until) Close() error {
	u.closed()
	return u.ReadCloser.Close()
}

type stuck struct{ io.ReadCloser }

// Close fails.
func (s stuck) Close() error { return errors.Join(s.ReadCloser.Close(), errors.New("the disk went")) }

func unclosable(ctx context.Context, s shelf, ref record.Ref, path string) (io.ReadCloser, error) {
	f, err := s.Open(ctx, ref, path)
	if err != nil {
		return nil, err
	}
	return stuck{f}, nil
}

func anyPath(ctx context.Context, s shelf, ref record.Ref, _ string) (io.ReadCloser, error) {
	return s.Open(ctx, ref, "content")
}

func anyID(ctx context.Context, s shelf, ref record.Ref, path string) (io.ReadCloser, error) {
	name, digest, _ := strings.Cut(ref.ID, "@")
	ref.ID = name + "@" + digest[:16]
	return s.Open(ctx, ref, path)
}

func anyKindOf(ctx context.Context, s shelf, ref record.Ref, path string) (io.ReadCloser, error) {
	ref.Kind = "documents"
	return s.Open(ctx, ref, path)
}

func tireless(ctx context.Context, s shelf, ref record.Ref, path string) (io.ReadCloser, error) {
	return s.Open(context.WithoutCancel(ctx), ref, path)
}

func curt(ctx context.Context, s shelf, ref record.Ref, path string) (io.ReadCloser, error) {
	if ctx.Err() != nil {
		return nil, connectors.Wrong(connectors.Transient, "open documents", "not now")
	}
	return s.Open(ctx, ref, path)
}

// opensGone makes something else of a document that is not there.
func opensGone(class connectors.ErrorClass) opensIt {
	return func(ctx context.Context, s shelf, ref record.Ref, path string) (io.ReadCloser, error) {
		f, err := s.Open(ctx, ref, path)
		switch {
		case connectors.ClassOf(err) != connectors.NotFound:
			return f, err
		case class == "":
			return io.NopCloser(strings.NewReader("")), nil
		}
		return nil, connectors.Wrong(class, "open documents", "it can't be read")
	}
}

// showing changes what a list shows as the content.
func showing(change func(*record.Body)) func(context.Context, shelf, connectors.Query) (connectors.Page, error) {
	return func(ctx context.Context, s shelf, q connectors.Query) (connectors.Page, error) {
		p, err := s.Fetch(ctx, q, "")
		read := p.Read
		p.Read = func(item connectors.Item) (record.Record, error) {
			r, err := read(item)
			if b, ok := r.Fields["content"].Body(); ok {
				change(&b)
				r.Fields["content"] = record.OfContent(b.Digest, b.Size, b.Media)
			}
			return r, err
		}
		return p, err
	}
}

func counting() func(context.Context, shelf, connectors.Query) (connectors.Page, error) {
	n := 0
	return func(ctx context.Context, s shelf, q connectors.Query) (connectors.Page, error) {
		p, err := s.Fetch(ctx, q, "")
		n++
		for i := range p.Items {
			p.Items[i].Raw = fmt.Appendf(nil, "%s %d", p.Items[i].Raw, n)
		}
		return p, err
	}
}

// kept is a shelf that goes on listing what it listed first.
func kept() func(shelf) connectors.Connector {
	var first *connectors.Page
	return func(s shelf) connectors.Connector {
		return worn{shelf: s, fetch: func(ctx context.Context, s shelf, q connectors.Query) (connectors.Page, error) {
			p, err := s.Fetch(ctx, q, "")
			if first == nil {
				first = &p
			}
			return *first, err
		}}
	}
}

// remembered is a shelf that goes on showing by a name what it showed first.
func remembered() func(shelf) connectors.Connector {
	first := map[string]record.Value{}
	return func(s shelf) connectors.Connector {
		return worn{shelf: s, get: func(ctx context.Context, s shelf, ref record.Ref) (record.Record, error) {
			r, err := s.Get(ctx, ref, connectors.Scope{})
			if err != nil {
				return r, err
			}
			name := r.Fields["path"].Text()
			if !first[name].Observed() {
				first[name] = r.Fields["content"]
			}
			r.Fields["content"] = first[name]
			return r, nil
		}}
	}
}

func contentless(ctx context.Context, s shelf, ref record.Ref) (record.Record, error) {
	r, err := s.Get(ctx, ref, connectors.Scope{})
	delete(r.Fields, "content")
	return r, err
}

// onError gives another class to errors of a class, or to all that went well.
func onError(was, class connectors.ErrorClass) func(context.Context, shelf, record.Ref) (record.Record, error) {
	return func(ctx context.Context, s shelf, ref record.Ref) (record.Record, error) {
		r, err := s.Get(ctx, ref, connectors.Scope{})
		if connectors.ClassOf(err) == was {
			return record.Record{}, &connectors.Error{Class: class, Op: "get documents", Ref: ref, Newer: class == connectors.Moved}
		}
		return r, err
	}
}

// moving changes what is said of a record that is another one now.
func moving(change func(*connectors.Error)) func(context.Context, shelf, record.Ref) (record.Record, error) {
	return func(ctx context.Context, s shelf, ref record.Ref) (record.Record, error) {
		r, err := s.Get(ctx, ref, connectors.Scope{})
		if e, ok := errors.AsType[*connectors.Error](err); ok && e.Class == connectors.Moved {
			change(e)
		}
		return r, err
	}
}

// takesNewer shows what took a version's place under the id of the old one.
func takesNewer(ctx context.Context, s shelf, ref record.Ref) (record.Record, error) {
	r, err := s.Get(ctx, ref, connectors.Scope{})
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Class == connectors.Moved {
		r, err = s.Get(ctx, e.Ref, connectors.Scope{})
		r.Ref = ref
	}
	return r, err
}

// renamedShowsMore shows what has a new name as larger than it is.
func renamedShowsMore(ctx context.Context, s shelf, ref record.Ref) (record.Record, error) {
	r, err := s.Get(ctx, ref, connectors.Scope{})
	if b, ok := r.Fields["content"].Body(); ok && strings.HasPrefix(ref.ID, "new-") {
		r.Fields["content"] = record.OfContent(b.Digest, b.Size+1, b.Media)
	}
	return r, err
}

// byName shows documents under their names alone.
func byName(p connectors.Page, err error) (connectors.Page, error) {
	read := p.Read
	ids := map[string]string{}
	for i, item := range p.Items {
		p.Items[i].ID, _, _ = strings.Cut(item.ID, "@")
		ids[p.Items[i].ID] = item.ID
	}
	p.Read = func(item connectors.Item) (record.Record, error) {
		name := item.ID
		item.ID = ids[name]
		r, err := read(item)
		r.Ref.ID = name
		return r, err
	}
	return p, err
}

func getByName(ctx context.Context, w worn, ref record.Ref) (record.Record, error) {
	p, err := w.Fetch(ctx, connectors.Query{Kind: ref.Kind}, "")
	if err != nil {
		return record.Record{}, err
	}
	for _, item := range p.Items {
		if item.ID == ref.ID {
			return p.Read(item)
		}
	}
	return record.Record{}, connectors.Wrong(connectors.NotFound, "get documents", "there is no such document")
}
