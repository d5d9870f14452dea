package schedule

import (
	"context"
	"errors"
	"time"
)

// ErrSettled says that a slot is settled already.
var ErrSettled = errors.New("slot is settled already")

// ErrAnswered is returned by Options.Run, wrapped or not, for a run on request if the person who asked was
// told the result. Then the requests are answered, and the failures of the binding stay as they were.
var ErrAnswered = errors.New("who asked for it was told")

// KeepSlots is how many slots of one line a ledger keeps at least, the last settled ones. They stop a
// slot from being run again after the clock was set back. They are enough for four hours of a cadence of
// one minute, and for most of a year of a nightly one.
const KeepSlots = 256

// What says what kind of run it is.
type What int

// The runs. The numbers are stored: they never change.
const (
	Left  What = 1 // reads only the left side
	Right What = 2 // reads only the right side
	Full  What = 3 // compares both sides whole
	Kick  What = 4 // reads what a webhook hinted at; has no cadence
	Asked What = 5 // does what a person asked for; has no cadence
)

func (w What) String() string {
	switch w {
	case Left:
		return "left"
	case Right:
		return "right"
	case Full:
		return "full"
	case Kick:
		return "kick"
	case Asked:
		return "asked"
	}
	return "unknown"
}

// Slot is one moment at which a cadence wants a run: a time on the wall clock of the job's zone. Civil
// and Fold together name the slot within a line. At is computed from them by the rules of the zone; if
// those rules change later, At is another instant, and the slot is still the same one.
type Slot struct {
	Civil string    // the wall clock, "2026-10-25T02:30"; sorts as text
	Fold  int       // 0, or 1 in the second pass of a repeated hour
	At    time.Time // the instant, UTC; if the wall clock skips Civil, the first instant after the gap
}

// IsZero reports whether there is no slot.
func (s Slot) IsZero() bool { return s.Civil == "" }

// Outcome says how a run ended, or why a slot had no run.
type Outcome int

// The outcomes. The numbers may be stored: they never change.
const (
	Opened   Outcome = 1 // the line is new: its slots count from At on
	Ran      Outcome = 2 // the run ended well
	Skipped  Outcome = 3 // it was too late to run the slot
	Failed   Outcome = 4 // the run failed: its slot and its requests stay due
	Answered Outcome = 5 // the person who asked was told the result; failures of the binding stay as they were
)

// Entry is one thing that Settle writes.
type Entry struct {
	Binding string
	What    What
	Outcome Outcome
	Slot    Slot      // Ran and Skipped: the slot that is settled; zero if no slot caused the run
	Seq     int64     // Ran and Answered: requests of this binding and What up to this number are answered; 0 for none
	At      time.Time // when, by the caller's clock
	Fails   int       // Failed: the new count of the binding's failures in a row
}

// Book is what a ledger keeps of one binding.
type Book struct {
	Fails    int       // failures in a row; 0 after a run that ended well
	FailedAt time.Time // when the last failed run ended; zero if Fails is 0
	Lines    map[What]Line
}

// Line is what a ledger keeps of one What of one binding.
type Line struct {
	Since   time.Time // set by Opened: slots after it count; zero if never opened
	Settled []Slot    // in the order in which they were settled; the last KeepSlots of them at least
}

// Request is a run that was asked for outside of any cadence and is not answered yet. A webhook asks for
// a run, or a command in another process.
type Request struct {
	Binding string
	What    What
	Seq     int64     // number of the newest request filed for this binding and What
	At      time.Time // when the newest request was filed
}

// Ledger keeps which slots are settled, which runs were requested and how often a binding failed in a
// row. It decides what is due: nothing else is kept, and the next due times are worked out from it. Times
// are kept to the millisecond, in UTC. A ledger never reads a clock: every time is a parameter.
//
// Only one process may call Settle: the one that holds the lock of the state. Any process may call
// Request and Requests at any time. Every method is safe for use from several goroutines, and the caller
// owns what a method returns. ledgertest.Test proves an implementation.
type Ledger interface {
	// Load returns what is kept of a binding. For an unknown binding it returns a Book without lines, and
	// no error. A line that has only requests is not in the Book.
	Load(ctx context.Context, binding string) (Book, error)

	// Settle writes one entry in one durable transaction. When it returns nil, even a power cut does not
	// undo the entry. When it returns an error, nothing is written.
	//
	//   - Opened: Since becomes At, if the line was never opened or At is earlier.
	//   - Ran: Slot, unless zero, joins Settled; requests of (Binding, What) with a
	//     number up to Seq are answered, later ones are not; Fails and FailedAt of
	//     the binding become 0 and zero.
	//   - Skipped: Slot joins Settled; nothing else changes.
	//   - Failed: Fails and FailedAt of the binding become Fails and At; the slot is
	//     not settled and no request is answered.
	//   - Answered: requests of (Binding, What) with a number up to Seq are answered;
	//     nothing else changes.
	//
	// A slot is named by (Binding, What, Civil, Fold). If a slot of that name is kept already, whatever
	// its At, the error is ErrSettled (wrapped or not) and nothing changes. Of each line, the last
	// KeepSlots slots are kept, in the order of settling and not of At: if the clock was wrong by years,
	// slots of a far future must not push out those of today. Older slots may be forgotten in the same
	// transaction.
	Settle(ctx context.Context, e Entry) error

	// Request files a request and returns its number. The number is greater than that of every earlier
	// request of this binding and What, also after a restart. The request is durable when Request returns.
	// Requests of the same binding and What that are not answered yet count as one.
	Request(ctx context.Context, binding string, what What, at time.Time) (seq int64, err error)

	// Requests returns the requests that are not answered, one for each binding and What, ordered by At,
	// then Seq, then binding, then What. It is called every second, so it must be one cheap read if there
	// are none.
	Requests(ctx context.Context) ([]Request, error)
}
