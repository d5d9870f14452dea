package apply

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// contents returns the bytes that a change gives, by native path. They are read whole before anything is sent, and
// must be those that the change was decided upon. So a file that somebody is writing to is never sent half.
func (a *Applier) contents(ctx context.Context, in record.Intent) (map[string][]byte, error) {
	var all map[string][]byte
	for path, v := range in.Change.Fields {
		want, ok := v.Body()
		if !ok {
			continue
		}
		got, err := a.content(ctx, in, path, want)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = map[string][]byte{}
		}
		all[path] = got
	}
	return all, nil
}

func (a *Applier) content(ctx context.Context, in record.Intent, path string, want record.Body) ([]byte, error) {
	const op = "open content"
	if a.Open == nil {
		return nil, connectors.Wrong(connectors.Rejected, op, "nothing gives the bytes of %s", path)
	}
	f, err := a.Open(ctx, in, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	var b bytes.Buffer
	b.Grow(int(max(want.Size, 0)) + bytes.MinRead) // left to grow, the buffer would take twice as much
	_, err = io.Copy(&b, io.LimitReader(f, want.Size+1))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, connectors.Wrong(connectors.Rejected, op, "%w", err)
	}
	if sum := sha256.Sum256(b.Bytes()); hex.EncodeToString(sum[:]) != want.Digest {
		return nil, connectors.Wrong(connectors.NotFound, op, "it is not what it was when it was read: it is decided anew")
	}
	return b.Bytes(), nil
}

// unopened ends a change because its content can't be given. Nothing of it is sent now. If it was sent before,
// nobody knows what became of that, and it stays open. Whatever keeps one file from being read, the others go on.
func (a *Applier) unopened(ctx context.Context, in record.Intent, cause error, again bool) (Outcome, error) {
	class := connectors.ClassOf(cause)
	out := Outcome{Result: Unread, Class: class, Err: cause}
	if again {
		out.Result = Unknown
		return out, a.fail(ctx, in, record.Sent, class, cause)
	}
	return out, a.fail(ctx, in, record.Cancelled, class, cause)
}
