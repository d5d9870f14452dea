package schedule

import (
	"context"
	"errors"
	"time"
)

// ErrSettled says that a slot is in the ledger already.
var ErrSettled = errors.New("slot is settled already")

// ErrAnswered is what Options.Run returns, wrapped or not, of a run that was made on
// request and of which whoever asked was told: its requests are answered, and the
// binding's failures are as they were.
var ErrAnswered = errors.New("who asked for it was told")

// KeepSlots is how many slots of one line a ledger keeps at least, newest
// settled last. They are what stops a slot from being run again after the clock
// was set back: four hours of a minute cadence, most of a year of a nightly one.
const KeepSlots = 256

// What says what a run does.
type What int

// The runs. The numbers are stored: they never change.
const (
	Left  What = 1 // reads the left side only
	Right What = 2 // reads the right side only
	Full  What = 3 // compares both sides whole
	Kick  What = 4 // takes up what a webhook hinted at; has no cadence of its own
	Asked What = 5 // does what a person asked for; has no cadence of its own
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

// Slot is one moment at which a cadence wants a run: a time on the wall of the
// job's zone. Civil and Fold together name it within a line; At follows from
// them and from the zone's rules of the day it was computed.
type Slot struct {
	Civil string    // the wall clock, "2026-10-25T02:30"; sorts as text
	Fold  int       // 0, or 1 in the second pass of a repeated hour
	At    time.Time // the instant, UTC; in a gap of the wall clock the first instant after it
}

// IsZero reports whether there is no slot.
func (s Slot) IsZero() bool { return s.Civil == "" }

// Outcome says what became of a run, or of a slot that had none.
type Outcome int

// The outcomes. The numbers may be stored: they never change.
const (
	Opened   Outcome = 1 // the line was seen for the first time: slots count from At on
	Ran      Outcome = 2 // the run ended well
	Skipped  Outcome = 3 // the slot came too late to be run
	Failed   Outcome = 4 // the run failed: its slot and its requests stay due
	Answered Outcome = 5 // who asked was told what came of it, which says nothing of how the binding does
)

// Entry is what Settle writes.
type Entry struct {
	Binding string
	What    What
	Outcome Outcome
	Slot    Slot      // Ran and Skipped: the slot that is settled; zero if no slot caused the run
	Seq     int64     // Ran and Answered: requests of this binding and What up to this number are answered; 0 for none
	At      time.Time // when, by the caller's clock
	Fails   int       // Failed: the binding's failures in a row from now on
}

// Book is what a ledger keeps of one binding.
type Book struct {
	Fails    int       // failures in a row; 0 after a run that ended well
	FailedAt time.Time // when the last of them ended; zero if Fails is 0
	Lines    map[What]Line
}

// Line is what a ledger keeps of one binding's Left, Right, Full or Kick.
type Line struct {
	Since   time.Time // Opened: slots count after it; zero if never opened
	Settled []Slot    // in the order they were settled, the last KeepSlots of them at least
}

// Request is what was asked for outside of any cadence and is not answered yet:
// by a webhook, or by a command in another process.
type Request struct {
	Binding string
	What    What
	Seq     int64     // of the newest one filed for this binding and What
	At      time.Time // when the newest one was filed
}

// Ledger keeps which slots are settled, what was requested and how often a
// binding failed in a row. It is the authority over what is due: nothing else is
// kept, next due moments are derived. Instants are kept to the millisecond, in
// UTC. A ledger asks no clock: every time is a parameter.
//
// One process settles (who holds the state's lock); Request and Requests may be
// called by any process at any moment. Every method is safe for use from several
// goroutines, and what it returns belongs to the caller. ledgertest.Test
// proves an implementation.
type Ledger interface {
	// Load returns what is kept of a binding: for one never heard of a Book
	// without lines, and no error. A line that was only requested is not there.
	Load(ctx context.Context, binding string) (Book, error)

	// Settle writes one entry in one durable transaction: when it returns nil, a
	// power cut does not undo it, and when it returns an error nothing of it is
	// written.
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
	// A slot is named by (Binding, What, Civil, Fold). Settling a name that is kept
	// is ErrSettled (wrapped or not) and changes nothing, whatever its At. Of each
	// line the KeepSlots slots settled last are kept, by the order of settling and
	// not by At: after the clock was wrong by years, slots of a far future must not
	// push out those of today. Older ones may be forgotten in the same transaction.
	Settle(ctx context.Context, e Entry) error

	// Request files a request and returns its number: greater than that of every
	// earlier request of this binding and What, over restarts too. It is durable
	// when it returns. Requests for the same (binding, what) that are not answered
	// yet count as one.
	Request(ctx context.Context, binding string, what What, at time.Time) (seq int64, err error)

	// Requests returns what is asked and not answered, one for each binding and
	// What, ordered by At, then Seq, then binding, then What. It is called every
	// second: with nothing asked it is one cheap read.
	Requests(ctx context.Context) ([]Request, error)
}
