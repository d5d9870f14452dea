package connectortest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"mime"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// shows is what a record shows as contents, by path.
func shows(r record.Record) map[string]record.Body {
	out := map[string]record.Body{}
	for path, v := range r.Fields {
		if b, ok := v.Body(); ok {
			out[path] = b
		}
	}
	return out
}

// contents are all that the list shows, by id and path. The chapter is skipped where it
// shows none.
func (s *story) contents() map[string]map[string]record.Body {
	s.t.Helper()
	all, some := map[string]map[string]record.Body{}, 0
	for id, r := range s.all().records {
		all[id] = shows(r)
		some += len(all[id])
	}
	s.need(some > 0, "records show no contents")
	return all
}

func (s *story) opener() connectors.Opener {
	s.t.Helper()
	o, ok := s.conn.(connectors.Opener)
	if !ok {
		s.t.Fatal("records show contents and the connector is no Opener")
	}
	return o
}

// bytesOf is what is opened, read to its end.
func (s *story) bytesOf(id, path string) ([]byte, error) {
	s.t.Helper()
	f, err := s.opener().Open(s.t.Context(), s.ref(id), path)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(f)
	return b, errors.Join(err, f.Close())
}

// gives fails unless what is opened is what is shown.
func (s *story) gives(what, id, path string, want record.Body) []byte {
	s.t.Helper()
	b, err := s.bytesOf(id, path)
	if err != nil {
		s.t.Errorf("%s: open %s of %s: %v", what, path, id, err)
		return nil
	}
	if got := (Content{b, want.Media}).body(); got != want {
		s.t.Errorf("%s: %s of %s gives %+v, and %+v is shown", what, path, id, got, want)
	}
	return b
}

// What is uploaded elsewhere is read here, after it was decided upon, and is sent only if
// it is just what was shown then: the digest names the bytes, and the bytes are all there.
func opens(s *story) {
	ids := s.fill(0, 3)
	s.tick()
	all := s.contents()
	for id, places := range all {
		for path, b := range places {
			if media, params, err := mime.ParseMediaType(b.Media); err != nil || media != b.Media || len(params) > 0 {
				s.t.Errorf("%s of %s is of the type %q, want a media type without parameters", path, id, b.Media)
			}
			for range 2 {
				s.gives("opened", id, path, b)
			}
		}
		if g, ok := s.conn.(connectors.Getter); ok && s.can.Get {
			r, err := g.Get(s.t.Context(), s.ref(id), s.Scope)
			if err != nil {
				s.t.Errorf("get %s: %v", id, err)
			} else if got := shows(r); !maps.Equal(got, places) {
				s.t.Errorf("%s: a read shows %+v, and the list %+v", id, got, places)
			}
		}
	}
	path := slices.Sorted(maps.Keys(all[ids[0]]))[0]
	s.sideBySide(ids[0], ids[1], path, all)
	s.notOpened(ids[0], path)
	s.Remove(s.t, ids[1])
	s.tick()
	s.closedTo("what was removed", s.ref(ids[1]), path, connectors.NotFound)
	s.gives("after another was removed", ids[2], path, all[ids[2]][path])
}

// sideBySide reads two at a time, and leaves one half read.
func (s *story) sideBySide(one, two, path string, all map[string]map[string]record.Body) {
	s.t.Helper()
	f, err := s.opener().Open(s.t.Context(), s.ref(one), path)
	if err != nil {
		s.t.Errorf("open: %v", err)
		return
	}
	if _, err := io.ReadFull(f, make([]byte, 1)); err != nil && all[one][path].Size > 0 {
		s.t.Errorf("read: %v", err)
	}
	s.gives("beside one that is half read", two, path, all[two][path])
	s.gives("while it is half read", one, path, all[one][path])
	if err := f.Close(); err != nil {
		s.t.Errorf("close what is half read: %v", err)
	}
}

// notOpened asks for what is no content.
func (s *story) notOpened(id, path string) {
	s.t.Helper()
	s.closedTo("a path that is none", s.ref(id), "a path that nobody has", connectors.NotFound, connectors.Unsupported, connectors.Rejected)
	s.closedTo("an id that is none", s.ref(id+"9"), path, connectors.NotFound)
	s.closedTo("another kind", record.Ref{Kind: "no such kind", ID: id}, path, connectors.NotFound, connectors.Unsupported)
	cause := errors.New("the night is over")
	ctx, cancel := context.WithCancelCause(s.t.Context())
	cancel(cause)
	if f, err := s.opener().Open(ctx, s.ref(id), path); err == nil {
		s.t.Error("open goes through with a context that is done")
		_ = f.Close()
	} else if !errors.Is(err, cause) {
		s.t.Errorf("open: error %v does not wrap the context's cause", err)
	}
	c := s.open()
	if err := c.Close(); err != nil {
		s.t.Errorf("close: %v", err)
	}
	if o, ok := c.(connectors.Opener); ok {
		if f, err := o.Open(s.t.Context(), s.ref(id), path); err == nil {
			s.t.Error("a closed connection opens something")
			_ = f.Close()
		}
	}
}

// closedTo fails unless opening fails with a class.
func (s *story) closedTo(what string, ref record.Ref, path string, class ...connectors.ErrorClass) {
	s.t.Helper()
	f, err := s.opener().Open(s.t.Context(), ref, path)
	if err == nil {
		_ = f.Close()
		s.t.Errorf("%s is opened", what)
		return
	}
	s.class(err, nil, class...)
}

// Somebody edits a document while it goes up, and once more, and takes it all back. What
// is shown names just the bytes that are there, and of a kind that never changes each
// version has an id for good: it is that one, or what took its place is said. A rename
// makes no other bytes, and is not taken for a newer version.
func versions(s *story) {
	if s.can.Immutable && s.Rewrite == nil {
		s.t.Fatal("versions are declared, and the subject makes none to try them with")
	}
	s.need(s.Rewrite != nil, "the subject rewrites no contents")
	ids := s.fill(0, 2)
	s.tick()
	l := s.all()
	all := s.contents()
	path := slices.Sorted(maps.Keys(all[ids[0]]))[0]
	original := s.gives("at first", ids[0], path, all[ids[0]][path])
	at := ids[0]
	rewrite := func(what string, b []byte) string {
		s.t.Helper()
		at = s.Rewrite(s.t, at, b)
		s.tick()
		s.just(s.all(), []string{at, ids[1]})
		r := s.now(at)
		want := Content{b, all[ids[0]][path].Media}.body()
		if got := shows(r)[path]; got != want {
			s.t.Errorf("%s: a read shows %+v, want %+v", what, got, want)
		}
		if got := shows(s.all().records[at])[path]; got != want {
			s.t.Errorf("%s: the list shows %+v, want %+v", what, got, want)
		}
		s.gives(what, at, path, want)
		return at
	}
	if same := rewrite("with the same bytes", original); same != ids[0] || !bytes.Equal(s.all().raw[same], l.raw[same]) {
		s.t.Errorf("with the same bytes %s is shown as %s, or with other bytes in the list", ids[0], same)
	}
	second := rewrite("edited", []byte("From 8 to 22.\n"))
	s.replaced(ids[0], second)
	third := rewrite("edited again", []byte("From 9 to 21.\n"))
	s.replaced(ids[0], third)
	s.replaced(second, third)
	first := rewrite("as it was before", original)
	if first != ids[0] || !bytes.Equal(s.all().raw[first], l.raw[first]) {
		s.t.Errorf("taken back, %s is shown as %s, or with other bytes in the list", ids[0], first)
	}
	s.replaced(third, first)
	if !bytes.Equal(s.all().raw[ids[1]], l.raw[ids[1]]) {
		s.t.Error("another record has other bytes")
	}
	last := s.renamed(first, path)
	s.Remove(s.t, last)
	s.tick()
	s.just(s.all(), ids[1:])
	for _, id := range []string{last, first, second, third} {
		s.gone(id)
	}
}

// replaced fails unless an old version says that the one now is in its place.
func (s *story) replaced(old, now string) {
	s.t.Helper()
	g, ok := s.conn.(connectors.Getter)
	if !s.can.Immutable {
		if old != now {
			s.t.Errorf("%s became %s, and the description does not say that records never change", old, now)
		}
		return
	}
	if !ok || old == now {
		s.t.Errorf("%s and what was edited of it, %s: want two versions that can be read by id", old, now)
		return
	}
	_, err := g.Get(s.t.Context(), s.ref(old), s.Scope)
	s.class(err, nil, connectors.Moved)
	if e, ok := errors.AsType[*connectors.Error](err); ok && (!e.Newer || e.Ref != s.ref(now)) {
		s.t.Errorf("%s, of which %s took the place: got %s, newer %t", old, now, e.Ref, e.Newer)
	}
}

// renamed gives a record another name: what it shows as contents is the same, and who
// asks for it by the id that it had is led to it.
func (s *story) renamed(id, path string) string {
	s.t.Helper()
	if s.Rename == nil {
		return id
	}
	before := shows(s.now(id))
	now := s.Rename(s.t, id)
	s.tick()
	if got := shows(s.now(now)); !maps.Equal(got, before) {
		s.t.Errorf("renamed: a read shows %+v, want %+v as before", got, before)
	}
	s.gives("renamed", now, path, before[path])
	g, ok := s.conn.(connectors.Getter)
	if now == id || !ok {
		return now
	}
	_, err := g.Get(s.t.Context(), s.ref(id), s.Scope)
	s.class(err, nil, connectors.Moved)
	if e, ok := errors.AsType[*connectors.Error](err); ok && (e.Newer || e.Ref != s.ref(now)) {
		s.t.Errorf("%s was renamed to %s: got %s, newer %t; it is the same one", id, now, e.Ref, e.Newer)
	}
	return now
}

// gone fails unless nothing is there under an id any more.
func (s *story) gone(id string) {
	s.t.Helper()
	g, ok := s.conn.(connectors.Getter)
	if !ok || !s.can.Get {
		return
	}
	_, err := g.Get(s.t.Context(), s.ref(id), s.Scope)
	s.class(err, nil, connectors.NotFound)
}
