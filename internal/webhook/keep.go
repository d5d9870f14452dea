package webhook

import (
	"context"
	"errors"
	"slices"

	"nightporter/sync/record"
)

// atOnce is how many deliveries are kept in one write to the disk, and waiting how many
// may wait for theirs.
const (
	atOnce  = 512
	waiting = 4096
)

// ErrBusy says that more deliveries wait to be kept than may.
var ErrBusy = errors.New("too many deliveries wait to be kept")

// keeper makes the hints of many deliveries durable in few writes: while one write is on
// its way the next deliveries gather.
type keeper struct {
	keep  func(context.Context, []record.Hint) error
	queue chan delivery
}

type delivery struct {
	hints []record.Hint
	done  chan error
}

func newKeeper(keep func(context.Context, []record.Hint) error) *keeper {
	return &keeper{keep: keep, queue: make(chan delivery, waiting)}
}

// put returns when hints are durable, or with the reason why they are not known to be.
func (k *keeper) put(ctx context.Context, hints []record.Hint) error {
	d := delivery{hints: hints, done: make(chan error, 1)}
	select {
	case k.queue <- d:
	default:
		return ErrBusy
	}
	select {
	case err := <-d.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run keeps what comes until ctx ends, and then what waits still.
func (k *keeper) run(ctx context.Context) {
	for {
		select {
		case d := <-k.queue:
			k.together(context.WithoutCancel(ctx), d)
		case <-ctx.Done():
			for {
				select {
				case d := <-k.queue:
					k.together(context.WithoutCancel(ctx), d)
				default:
					return
				}
			}
		}
	}
}

// together keeps a delivery and those that wait behind it in one write. Where that
// fails each is tried alone: one that can't be kept costs no other.
func (k *keeper) together(ctx context.Context, d delivery) {
	batch, hints := []delivery{d}, slices.Clip(d.hints)
gather:
	for len(batch) < atOnce {
		select {
		case next := <-k.queue:
			batch, hints = append(batch, next), append(hints, next.hints...)
		default:
			break gather
		}
	}
	err := k.keep(ctx, hints)
	for _, b := range batch {
		if err != nil && len(batch) > 1 {
			b.done <- k.keep(ctx, b.hints)
			continue
		}
		b.done <- err
	}
}
