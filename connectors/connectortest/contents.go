package connectortest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// mostSent bounds what the story sends as one content.
const mostSent = 64 << 20

// body is what is known of a content.
func (c Content) body() record.Body {
	sum := sha256.Sum256(c.Bytes)
	return record.Body{Digest: hex.EncodeToString(sum[:]), Size: int64(len(c.Bytes)), Media: c.Media}
}

func (c Content) value() record.Value {
	b := c.body()
	return record.OfContent(b.Digest, b.Size, b.Media)
}

// places are the paths that take a content.
func (s *story) places() []string { return slices.Sorted(maps.Keys(s.can.Contents)) }

// takesContents skips the chapter where no new record takes a content.
func (s *story) takesContents() {
	s.t.Helper()
	s.need(s.can.Create && len(s.can.Contents) > 0, "no contents")
}

// media is a type that is taken at a path.
func (s *story) media(path string) string {
	if all := s.can.Contents[path].Media; len(all) > 0 {
		return all[0]
	}
	return "text/plain"
}

// file is a content that is taken at a path.
func (s *story) file(path, text string) Content { return Content{[]byte(text), s.media(path)} }

// upload is a create that some contents go up with, and at all other places what the
// story gives every new record.
func (s *story) upload(f record.Fields, files map[string]Content) record.Change {
	s.t.Helper()
	ch := s.change(record.Create, "", f)
	s.files.Store(ch.ID, files)
	return ch
}

// given is the contents that go up with a change, the same however often it is sent.
func (s *story) given(ch record.Change) map[string]Content {
	all := map[string]Content{}
	if ch.Op != record.Create || !s.can.Create {
		return all
	}
	for _, path := range s.places() {
		all[path] = s.file(path, "what goes up with "+ch.ID)
	}
	if some, ok := s.files.Load(ch.ID); ok {
		files, _ := some.(map[string]Content)
		maps.Copy(all, files)
	}
	return all
}

// handed is a change with its contents in its fields, and a context that hands them over.
func (s *story) handed(ctx context.Context, ch record.Change) (context.Context, record.Change) {
	files := s.given(ch)
	if len(files) == 0 {
		return ctx, ch
	}
	ch.Fields = ch.Fields.Clone()
	all := map[string][]byte{}
	for path, c := range files {
		if s.Tells != nil {
			ch.Fields = s.Tells(ch.Fields, path, c)
		}
		ch.Fields[path], all[path] = c.value(), c.Bytes
	}
	return connectors.WithContents(ctx, all), ch
}

// send makes a change: what a kind takes as contents goes up with every create.
func (s *story) send(ctx context.Context, ch record.Change) (record.Record, error) {
	ctx, ch = s.handed(ctx, ch)
	return s.writer().Apply(ctx, ch)
}

// hides fails where a read shows something at a place of contents: it is given once and
// never compared, and an address or a name in its place would be taken for it.
func (s *story) hides(what string, f record.Fields) {
	s.t.Helper()
	for _, path := range s.places() {
		if f[path].Observed() {
			s.t.Errorf("%s: %s is shown as %s, and takes a content: no read shows it", what, path, f[path].Type())
		}
	}
}

// whole lists all, and asks for the places of contents too.
func (s *story) whole() list {
	s.t.Helper()
	q := s.query()
	q.Fields = append(q.Fields, s.places()...)
	return s.list(s.open(), q, "")
}

// stored fails unless the system has these contents.
func (s *story) stored(what, id string, files map[string]Content) {
	s.t.Helper()
	if s.Stored == nil {
		return
	}
	for path, c := range files {
		got, ok := s.Stored(s.t, id, path)
		want := c.body()
		if got.Media == "" {
			want.Media = ""
		}
		if !ok || got != want {
			s.t.Errorf("%s: the system has %+v at %s (%t), want %+v", what, got, path, ok, want)
		}
	}
}
