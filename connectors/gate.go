package connectors

import (
	"context"
	"errors"
	"fmt"
)

// ErrKeptBack is the error of a write that was not sent, because its gate said no
// when its turn had come. Nothing of it was applied.
var ErrKeptBack = errors.New("nothing was sent")

type (
	gateKey   struct{}
	atGateKey struct{}
)

// WithGate is a context whose writes ask once more before they go out: a write may
// wait for its turn for minutes, and by then it may not be wanted any more. gate
// gives why not, or nil.
func WithGate(ctx context.Context, gate func(context.Context) error) context.Context {
	return context.WithValue(ctx, gateKey{}, gate)
}

// PassGate asks the gate of a context, and is nil where there is none. A connector
// that lets a write wait, for a limiter or for a lock, calls it as the last thing
// before the write can take effect; an error wraps ErrKeptBack and is to be returned
// with nothing applied.
func PassGate(ctx context.Context) error {
	gate, ok := ctx.Value(gateKey{}).(func(context.Context) error)
	if !ok {
		return nil
	}
	if err := gate(context.WithValue(ctx, atGateKey{}, true)); err != nil {
		return fmt.Errorf("%w: %w", ErrKeptBack, err)
	}
	return nil
}

// AtGate reports whether a gate is asked with this context while a write has its turn, or
// holds a lock: a request to the same system would wait for the very same, for ever.
func AtGate(ctx context.Context) bool { return ctx.Value(atGateKey{}) != nil }
