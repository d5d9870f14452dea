// Package ledgertest is a test suite that every implementation of schedule.Ledger must pass.
package ledgertest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/schedule"
)

// Open returns an empty ledger, and a function that closes the ledger and opens it again with everything
// that it kept, as a restart does.
type Open func(t *testing.T) (l schedule.Ledger, reopen func() schedule.Ledger)

// Test runs the suite.
func Test(t *testing.T, open Open) {
	t.Helper()
	stories := []struct {
		name string
		tell func(*testing.T, *house)
	}{
		{"an unknown binding has an empty book", unknown},
		{"a line is opened once, or earlier", opened},
		{"what ran is kept in order", ran},
		{"a slot is settled once", once},
		{"both passes of a repeated hour are two slots", folds},
		{"bindings and lines do not touch each other", apart},
		{"slots of a far future do not push out those of today", future},
		{"failures are counted and reset", failures},
		{"a skipped slot says nothing about failures and requests", skipped},
		{"an answer says nothing about slots and failures", answered},
		{"requests are numbered and counted as one", requests},
		{"a request during a run stays open", during},
		{"requests are listed oldest first", order},
		{"nothing is lost over a restart", restart},
		{"requests from many goroutines get numbers of their own", many},
	}
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			l, reopen := open(t)
			s.tell(t, &house{Ledger: l, reopen: reopen})
		})
	}
}

type house struct {
	schedule.Ledger
	reopen func() schedule.Ledger
}

var day = time.Date(2026, 3, 28, 2, 30, 0, 0, time.UTC)

func slot(n int) schedule.Slot {
	at := day.Add(time.Duration(n) * time.Minute)
	return schedule.Slot{Civil: at.Format("2006-01-02T15:04"), At: at}
}

func ranAt(binding string, what schedule.What, s schedule.Slot) schedule.Entry {
	return schedule.Entry{Binding: binding, What: what, Outcome: schedule.Ran, Slot: s, At: s.At}
}

func (h *house) settle(t *testing.T, e schedule.Entry) {
	t.Helper()
	if err := h.Settle(t.Context(), e); err != nil {
		t.Fatalf("Settle(%+v): %v", e, err)
	}
}

func (h *house) request(t *testing.T, binding string, what schedule.What, at time.Time) int64 {
	t.Helper()
	seq, err := h.Request(t.Context(), binding, what, at)
	if err != nil {
		t.Fatalf("Request(%s, %s): %v", binding, what, err)
	}
	return seq
}

func (h *house) wantBook(t *testing.T, binding string, want schedule.Book) {
	t.Helper()
	got, err := h.Load(t.Context(), binding)
	if err != nil {
		t.Fatalf("Load(%s): %v", binding, err)
	}
	if len(got.Lines) == 0 && len(want.Lines) == 0 {
		got.Lines, want.Lines = nil, nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("book of %s (-want +got):\n%s", binding, diff)
	}
}

func (h *house) wantOpen(t *testing.T, want ...schedule.Request) {
	t.Helper()
	got, err := h.Requests(t.Context())
	if err != nil {
		t.Fatalf("Requests: %v", err)
	}
	if len(got) == 0 && len(want) == 0 {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("open requests (-want +got):\n%s", diff)
	}
}

func lines(what schedule.What, l schedule.Line) map[schedule.What]schedule.Line {
	return map[schedule.What]schedule.Line{what: l}
}

func unknown(t *testing.T, h *house) {
	h.wantBook(t, "nobody", schedule.Book{})
	h.wantOpen(t)
	h.request(t, "guests", schedule.Full, day)
	h.wantBook(t, "guests", schedule.Book{})
}

func opened(t *testing.T, h *house) {
	open := func(at time.Time) {
		h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Left, Outcome: schedule.Opened, At: at})
	}
	open(day)
	open(day.Add(time.Hour))
	h.wantBook(t, "guests", schedule.Book{Lines: lines(schedule.Left, schedule.Line{Since: day})})
	earlier := day.Add(-time.Hour + 1500*time.Microsecond)
	open(earlier)
	h.wantBook(t, "guests", schedule.Book{Lines: lines(schedule.Left, schedule.Line{Since: earlier.Truncate(time.Millisecond)})})
}

func ran(t *testing.T, h *house) {
	for _, n := range []int{3, 1, 2} {
		h.settle(t, ranAt("guests", schedule.Full, slot(n)))
	}
	h.settle(t, ranAt("guests", schedule.Full, schedule.Slot{})) // no slot: the run was only requested
	h.wantBook(t, "guests", schedule.Book{Lines: lines(schedule.Full, schedule.Line{
		Settled: []schedule.Slot{slot(3), slot(1), slot(2)},
	})})
}

func once(t *testing.T, h *house) {
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Full, Outcome: schedule.Failed, Fails: 2, At: day})
	seq := h.request(t, "guests", schedule.Full, day)
	h.settle(t, ranAt("guests", schedule.Full, slot(1)))
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Full, Outcome: schedule.Failed, Fails: 1, At: day})
	again := ranAt("guests", schedule.Full, slot(1))
	again.Slot.At = again.Slot.At.Add(time.Hour) // the zone's rules changed, and the slot is still the same
	again.Seq = seq
	if err := h.Settle(t.Context(), again); !errors.Is(err, schedule.ErrSettled) {
		t.Errorf("settle a slot twice: got %v, want ErrSettled", err)
	}
	again.Outcome = schedule.Skipped
	if err := h.Settle(t.Context(), again); !errors.Is(err, schedule.ErrSettled) {
		t.Errorf("skip a slot that ran: got %v, want ErrSettled", err)
	}
	h.wantBook(t, "guests", schedule.Book{
		Fails: 1, FailedAt: day,
		Lines: lines(schedule.Full, schedule.Line{Settled: []schedule.Slot{slot(1)}}),
	})
	h.wantOpen(t, schedule.Request{Binding: "guests", What: schedule.Full, Seq: seq, At: day})
}

func folds(t *testing.T, h *house) {
	first, second := slot(1), slot(1)
	second.Fold, second.At = 1, second.At.Add(time.Hour)
	h.settle(t, ranAt("guests", schedule.Left, first))
	h.settle(t, ranAt("guests", schedule.Left, second))
	h.wantBook(t, "guests", schedule.Book{Lines: lines(schedule.Left, schedule.Line{Settled: []schedule.Slot{first, second}})})
}

func apart(t *testing.T, h *house) {
	h.settle(t, ranAt("guests", schedule.Left, slot(1)))
	h.settle(t, ranAt("guests", schedule.Right, slot(1)))
	h.settle(t, ranAt("stays", schedule.Left, slot(1)))
	h.settle(t, schedule.Entry{Binding: "stays", What: schedule.Left, Outcome: schedule.Failed, Fails: 1, At: day})
	one := schedule.Line{Settled: []schedule.Slot{slot(1)}}
	h.wantBook(t, "guests", schedule.Book{Lines: map[schedule.What]schedule.Line{schedule.Left: one, schedule.Right: one}})
	h.wantBook(t, "stays", schedule.Book{Fails: 1, FailedAt: day, Lines: lines(schedule.Left, one)})
}

func future(t *testing.T, h *house) {
	const far = 10 * 365 * 24 * 60
	for n := range schedule.KeepSlots + 1 {
		h.settle(t, ranAt("guests", schedule.Left, slot(far+n)))
	}
	for n := range schedule.KeepSlots {
		h.settle(t, ranAt("guests", schedule.Left, slot(n)))
	}
	book, err := h.Load(t.Context(), "guests")
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	settled := book.Lines[schedule.Left].Settled
	if len(settled) < schedule.KeepSlots {
		t.Fatalf("%d slots kept, want at least %d", len(settled), schedule.KeepSlots)
	}
	for i, s := range settled[len(settled)-schedule.KeepSlots:] {
		if s != slot(i) {
			t.Fatalf("slot %d of the last ones: got %+v, want %+v", i, s, slot(i))
		}
	}
	for n := range schedule.KeepSlots {
		if err := h.Settle(t.Context(), ranAt("guests", schedule.Left, slot(n))); !errors.Is(err, schedule.ErrSettled) {
			t.Fatalf("settle kept slot %d again: got %v, want ErrSettled", n, err)
		}
	}
}

func failures(t *testing.T, h *house) {
	fail := func(n int, at time.Time) {
		h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Left, Outcome: schedule.Failed, Fails: n, At: at})
	}
	fail(1, day)
	fail(2, day.Add(time.Minute))
	h.wantBook(t, "guests", schedule.Book{Fails: 2, FailedAt: day.Add(time.Minute)})
	h.settle(t, ranAt("guests", schedule.Full, slot(1)))
	h.wantBook(t, "guests", schedule.Book{Lines: lines(schedule.Full, schedule.Line{Settled: []schedule.Slot{slot(1)}})})
}

func skipped(t *testing.T, h *house) {
	seq := h.request(t, "guests", schedule.Full, day)
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Full, Outcome: schedule.Failed, Fails: 3, At: day})
	e := ranAt("guests", schedule.Full, slot(1))
	e.Outcome, e.Seq = schedule.Skipped, seq
	h.settle(t, e)
	h.wantBook(t, "guests", schedule.Book{
		Fails: 3, FailedAt: day,
		Lines: lines(schedule.Full, schedule.Line{Settled: []schedule.Slot{slot(1)}}),
	})
	h.wantOpen(t, schedule.Request{Binding: "guests", What: schedule.Full, Seq: seq, At: day})
}

func answered(t *testing.T, h *house) {
	seq := h.request(t, "guests", schedule.Asked, day)
	late := h.request(t, "guests", schedule.Asked, day.Add(time.Minute))
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Full, Outcome: schedule.Failed, Fails: 3, At: day})
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Asked, Outcome: schedule.Answered, Slot: slot(1), Seq: seq, At: day})
	h.wantBook(t, "guests", schedule.Book{Fails: 3, FailedAt: day})
	h.wantOpen(t, schedule.Request{Binding: "guests", What: schedule.Asked, Seq: late, At: day.Add(time.Minute)})
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Asked, Outcome: schedule.Answered, Seq: late, At: day})
	h.wantOpen(t)
}

func requests(t *testing.T, h *house) {
	first := h.request(t, "guests", schedule.Kick, day)
	second := h.request(t, "guests", schedule.Kick, day.Add(time.Second))
	if first < 1 || second <= first {
		t.Errorf("numbers %d and %d, want them to grow from 1", first, second)
	}
	h.wantOpen(t, schedule.Request{Binding: "guests", What: schedule.Kick, Seq: second, At: day.Add(time.Second)})
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Kick, Outcome: schedule.Ran, Seq: second, At: day})
	h.wantOpen(t)
	if third := h.request(t, "guests", schedule.Kick, day); third <= second {
		t.Errorf("number after an answer is %d, want more than %d", third, second)
	}
}

func during(t *testing.T, h *house) {
	seen := h.request(t, "guests", schedule.Kick, day)
	late := h.request(t, "guests", schedule.Kick, day.Add(time.Minute))
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Kick, Outcome: schedule.Failed, Fails: 1, Seq: late, At: day})
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Full, Outcome: schedule.Ran, Slot: slot(1), Seq: late, At: day})
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Kick, Outcome: schedule.Ran, Seq: seen, At: day})
	want := schedule.Request{Binding: "guests", What: schedule.Kick, Seq: late, At: day.Add(time.Minute)}
	h.wantOpen(t, want)
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Kick, Outcome: schedule.Ran, At: day}) // answers no request
	h.wantOpen(t, want)
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Kick, Outcome: schedule.Ran, Seq: late, At: day})
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Kick, Outcome: schedule.Ran, Seq: seen, At: day}) // an older answer reopens nothing
	h.wantOpen(t)
}

func order(t *testing.T, h *house) {
	at := func(n int) time.Time { return day.Add(time.Duration(n) * time.Millisecond) }
	c := h.request(t, "guests", schedule.Kick, at(2))
	b := h.request(t, "stays", schedule.Left, at(1))
	a := h.request(t, "stays", schedule.Full, at(0))
	h.wantOpen(t,
		schedule.Request{Binding: "stays", What: schedule.Full, Seq: a, At: at(0)},
		schedule.Request{Binding: "stays", What: schedule.Left, Seq: b, At: at(1)},
		schedule.Request{Binding: "guests", What: schedule.Kick, Seq: c, At: at(2)})
}

func restart(t *testing.T, h *house) {
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Full, Outcome: schedule.Opened, At: day})
	h.settle(t, ranAt("guests", schedule.Full, slot(1)))
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Full, Outcome: schedule.Failed, Fails: 2, At: day})
	seq := h.request(t, "guests", schedule.Kick, day)
	h.Ledger = h.reopen()
	h.wantBook(t, "guests", schedule.Book{
		Fails: 2, FailedAt: day,
		Lines: lines(schedule.Full, schedule.Line{Since: day, Settled: []schedule.Slot{slot(1)}}),
	})
	h.wantOpen(t, schedule.Request{Binding: "guests", What: schedule.Kick, Seq: seq, At: day})
	if err := h.Settle(t.Context(), ranAt("guests", schedule.Full, slot(1))); !errors.Is(err, schedule.ErrSettled) {
		t.Errorf("settle a slot again after a restart: got %v, want ErrSettled", err)
	}
	h.settle(t, schedule.Entry{Binding: "guests", What: schedule.Kick, Outcome: schedule.Ran, Seq: seq, At: day})
	h.Ledger = h.reopen()
	if next := h.request(t, "guests", schedule.Kick, day); next <= seq {
		t.Errorf("number after a restart is %d, want more than %d", next, seq)
	}
}

func many(t *testing.T, h *house) {
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		seen = map[int64]bool{}
		errs []error
	)
	for range 8 {
		wg.Go(func() {
			for range 5 {
				seq, err := h.Request(t.Context(), "guests", schedule.Kick, day)
				mu.Lock()
				if err != nil || seen[seq] {
					errs = append(errs, fmt.Errorf("number %d: %w", seq, err))
				}
				seen[seq] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(errs) > 0 || len(seen) != 40 {
		t.Errorf("%d numbers for 40 requests, errors %v", len(seen), errs)
	}
}
