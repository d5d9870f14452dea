package memory

import (
	"bytes"
	"context"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// given is the bytes of the contents that a change gives, by path. What the kind does not
// take has reached nobody.
func (k Kind) given(ctx context.Context, ch record.Change) (map[string][]byte, error) {
	var all map[string][]byte
	for _, path := range ch.Fields.Names() {
		b, ok := ch.Fields[path].Body()
		if !ok {
			continue
		}
		limits, taken := k.Contents[path]
		if !taken || ch.Op != record.Create {
			return nil, connectors.Wrong(connectors.Unsupported, "", "%s is no place for a content", path)
		}
		if why := limits.Refuses(b); why != "" {
			return nil, connectors.Wrong(connectors.Rejected, "", "%s: %s", path, why)
		}
		got, ok := connectors.ContentAt(ctx, path)
		if !ok || int64(len(got)) != b.Size {
			return nil, connectors.Wrong(connectors.Rejected, "", "its %s was not handed over", path)
		}
		if all == nil {
			all = map[string][]byte{}
		}
		all[path] = bytes.Clone(got)
	}
	return all, nil
}

// Content is the bytes that a record was created with at a path; false where it was given
// none, or is not there.
func (s *System) Content(kind record.Kind, id, path string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, _ := s.must(kind)
	r := t.rows[id]
	if r == nil {
		return nil, false
	}
	if _, there := r.now(); !there {
		return nil, false
	}
	b, ok := r.contents[path]
	return bytes.Clone(b), ok
}
