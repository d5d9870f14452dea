package schedule

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Memory is a Ledger in memory, for tests and simulations. It forgets everything when the process ends.
// It must be made with NewMemory.
type Memory struct {
	mu    sync.Mutex
	books map[string]*memBook
}

type memBook struct {
	fails    int
	failedAt time.Time
	lines    map[What]*memLine
}

type memLine struct {
	since     time.Time
	settled   []Slot
	names     map[name]bool
	seq, done int64
	at        time.Time
}

// NewMemory returns an empty ledger.
func NewMemory() *Memory { return &Memory{books: map[string]*memBook{}} }

func (m *Memory) book(binding string) *memBook {
	b := m.books[binding]
	if b == nil {
		b = &memBook{lines: map[What]*memLine{}}
		m.books[binding] = b
	}
	return b
}

func (b *memBook) line(what What) *memLine {
	l := b.lines[what]
	if l == nil {
		l = &memLine{names: map[name]bool{}}
		b.lines[what] = l
	}
	return l
}

// Load returns what is kept of a binding.
func (m *Memory) Load(_ context.Context, binding string) (Book, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	book := Book{Lines: map[What]Line{}}
	b := m.books[binding]
	if b == nil {
		return book, nil
	}
	book.Fails, book.FailedAt = b.fails, b.failedAt
	for what, l := range b.lines {
		if !l.since.IsZero() || len(l.settled) > 0 {
			book.Lines[what] = Line{Since: l.since, Settled: slices.Clone(l.settled)}
		}
	}
	return book, nil
}

// Settle writes one entry.
func (m *Memory) Settle(ctx context.Context, e Entry) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("settle %s of %s: %w", e.What, e.Binding, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.book(e.Binding)
	l := b.line(e.What)
	at := milli(e.At)
	switch e.Outcome {
	case Opened:
		if l.since.IsZero() || at.Before(l.since) {
			l.since = at
		}
		return nil
	case Failed:
		b.fails, b.failedAt = e.Fails, at
		return nil
	case Answered:
		l.done = max(l.done, min(e.Seq, l.seq))
		return nil
	case Ran, Skipped:
	default:
		return fmt.Errorf("settle %s of %s: unknown outcome %d", e.What, e.Binding, e.Outcome)
	}
	if !e.Slot.IsZero() {
		if err := l.settle(e.Slot); err != nil {
			return fmt.Errorf("settle %s of %s at %s: %w", e.What, e.Binding, e.Slot.Civil, err)
		}
	}
	if e.Outcome == Ran {
		b.fails, b.failedAt = 0, time.Time{}
		l.done = max(l.done, min(e.Seq, l.seq))
	}
	return nil
}

func (l *memLine) settle(s Slot) error {
	if l.names[name{s.Civil, s.Fold}] {
		return ErrSettled
	}
	s.At = milli(s.At)
	l.settled = append(l.settled, s)
	l.names[name{s.Civil, s.Fold}] = true
	if len(l.settled) >= 2*KeepSlots {
		for _, old := range l.settled[:len(l.settled)-KeepSlots] {
			delete(l.names, name{old.Civil, old.Fold})
		}
		l.settled = slices.Clone(l.settled[len(l.settled)-KeepSlots:])
	}
	return nil
}

// Request files a request.
func (m *Memory) Request(ctx context.Context, binding string, what What, at time.Time) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("request %s of %s: %w", what, binding, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.book(binding).line(what)
	l.seq++
	l.at = milli(at)
	return l.seq, nil
}

// Requests returns the requests that are not answered.
func (m *Memory) Requests(context.Context) ([]Request, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var open []Request
	for name, b := range m.books {
		for what, l := range b.lines {
			if l.seq > l.done {
				open = append(open, Request{Binding: name, What: what, Seq: l.seq, At: l.at})
			}
		}
	}
	slices.SortFunc(open, func(a, b Request) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Seq, b.Seq),
			cmp.Compare(a.Binding, b.Binding), cmp.Compare(a.What, b.What))
	})
	return open, nil
}

func milli(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }
