package serve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nightporter/state"
	"nightporter/sync/schedule"
)

// ledger is the state file's ledger in the words of the schedule.
type ledger struct{ kept *state.Ledger }

// Load is what is kept of a binding.
func (l ledger) Load(ctx context.Context, binding string) (schedule.Book, error) {
	b, err := l.kept.Load(ctx, binding)
	book := schedule.Book{Fails: b.Fails, FailedAt: b.FailedAt, Lines: map[schedule.What]schedule.Line{}}
	for what, line := range b.Lines {
		out := schedule.Line{Since: line.Since}
		for _, s := range line.Settled {
			out.Settled = append(out.Settled, schedule.Slot(s))
		}
		book.Lines[schedule.What(what)] = out
	}
	return book, err
}

// Settle writes one entry.
func (l ledger) Settle(ctx context.Context, e schedule.Entry) error {
	what := int(e.What)
	var err error
	switch e.Outcome {
	case schedule.Opened:
		err = l.kept.Open(ctx, e.Binding, what, e.At)
	case schedule.Ran:
		err = l.kept.Ran(ctx, e.Binding, what, state.Slot(e.Slot), e.Seq)
	case schedule.Skipped:
		err = l.kept.Skip(ctx, e.Binding, what, state.Slot(e.Slot))
	case schedule.Answered:
		err = l.kept.Answer(ctx, e.Binding, what, e.Seq)
	case schedule.Failed:
		err = l.kept.Fail(ctx, e.Binding, e.Fails, e.At)
	default:
		err = fmt.Errorf("settle %s of %s: unknown outcome %d", e.What, e.Binding, e.Outcome)
	}
	if errors.Is(err, state.ErrSettled) {
		return fmt.Errorf("%w: %w", schedule.ErrSettled, err)
	}
	return err
}

// Request files a request and returns its number.
func (l ledger) Request(ctx context.Context, binding string, what schedule.What, at time.Time) (int64, error) {
	return l.kept.Call(ctx, binding, int(what), at)
}

// Requests is what is asked and not answered.
func (l ledger) Requests(ctx context.Context) ([]schedule.Request, error) {
	calls, err := l.kept.Calls(ctx)
	out := make([]schedule.Request, len(calls))
	for i, c := range calls {
		out[i] = schedule.Request{Binding: c.Binding, What: schedule.What(c.What), Seq: c.Seq, At: c.At}
	}
	return out, err
}
