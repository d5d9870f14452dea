package connectors

import "context"

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
