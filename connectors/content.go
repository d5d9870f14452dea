package connectors

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/record"
)

type contentKey struct{}

// WithContents is a context whose write gives contents: by native path the bytes of what
// the change holds there as a record.Content. They travel beside the change, for a change
// is kept and they are not.
func WithContents(ctx context.Context, bytes map[string][]byte) context.Context {
	return context.WithValue(ctx, contentKey{}, bytes)
}

// ContentAt is the bytes that the write of a context gives at a path; false where it
// gives none.
func ContentAt(ctx context.Context, path string) ([]byte, bool) {
	all, _ := ctx.Value(contentKey{}).(map[string][]byte)
	b, ok := all[path]
	return b, ok
}

// Refuses says why a content is not taken, "" where it is.
func (l Limits) Refuses(b record.Body) string {
	switch {
	case l.MaxBytes > 0 && b.Size > l.MaxBytes:
		return fmt.Sprintf("it has %d bytes, and %d at most are taken", b.Size, l.MaxBytes)
	case len(l.Media) > 0 && !slices.Contains(l.Media, b.Media):
		return fmt.Sprintf("it is of the type %q, and only %s are taken", b.Media, strings.Join(l.Media, ", "))
	}
	return ""
}
