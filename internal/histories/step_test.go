package histories

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"nightporter/sync/record"
)

// step is one thing that happens. It is data, decided before the history begins, and
// means nothing where what it is about is not there: any steps may be left out.
type step struct {
	what  string
	side  record.Side
	kind  int // contacts or stays
	n     int // which of them
	field string
	value string
	k     int // which fault, at which of a run's steps, how many pages
	d     time.Duration
	at    int // a user's step: at which of the next run's steps it happens, 0 for at once
	yes   bool
	full  bool
	dry   bool
}

// What happens.
const (
	doPut      = "put"      // a user enters a record on one side
	doBoth     = "both"     // users enter the same on both sides
	doEdit     = "edit"     // a user sets a field, or empties it
	doRemove   = "remove"   // a user removes a record
	doUndelete = "undelete" // a user puts back what was removed, under its old id
	doMerge    = "merge"    // a user merges one record into another
	doRun      = "run"      // a job is run
	doHint     = "hint"     // one record is looked at, which a system has named, or had once
	doFault    = "fault"    // the next calls of one system go wrong
	doCrash    = "crash"    // the next run dies on its way
	doFull     = "full"     // the disk has room for a few pages only while the next job runs
	doRestart  = "restart"  // the program ends and begins
	doWait     = "wait"     // time passes
	doForward  = "forward"  // our clock is set forward
	doBack     = "back"     // our clock is set back
	doKey      = "key"      // the key is not known any more, or is again
	doAccount  = "account"  // behind the address is another account, or the right one again
	doPause    = "pause"    // somebody pauses writes, or resumes them
	doBackup   = "backup"   // our own state is copied
	doRestore  = "restore"  // our own state is put back to the copy
	doSnap     = "snap"     // a system is backed up
	doRollback = "rollback" // a system is restored from its backup
	doChoose   = "choose"   // a person decides a conflict
	doApprove  = "approve"  // a person approves a set of changes that a guard holds
	doReject   = "reject"   // a person rejects one
	doAnswer   = "answer"   // a person says what became of a change of which nobody knows
)

// The kinds.
const (
	guests = iota
	stays
)

// weights is how often each step comes, of a thousand.
var weights = []struct {
	what string
	n    int
}{
	{doEdit, 480},
	{doRun, 120},
	{doPut, 75},
	{doBoth, 30},
	{doFault, 75},
	{doHint, 35},
	{doCrash, 35},
	{doWait, 45},
	{doRemove, 16},
	{doUndelete, 8},
	{doMerge, 6},
	{doFull, 6},
	{doRestart, 6},
	{doForward, 3},
	{doBack, 3},
	{doKey, 6},
	{doAccount, 4},
	{doPause, 8},
	{doBackup, 5},
	{doRestore, 3},
	{doSnap, 5},
	{doRollback, 3},
	{doChoose, 18},
	{doAnswer, 5},
	{doApprove, 12},
	{doReject, 6},
}

// perHistory is how many steps a history has.
const perHistory = 200

// people and bookings are how many of each a history is about.
const (
	people   = 5
	bookings = 4
)

// stepsOf draws the steps of a seed.
func stepsOf(seed uint64, c climate) []step {
	rng := rand.New(rand.NewPCG(seed, 2))
	sum := 0
	often := func(what string, n int) int {
		if c.tight && (what == doApprove || what == doReject) {
			return 4 * n
		}
		return n
	}
	for _, w := range weights {
		sum += often(w.what, w.n)
	}
	steps := make([]step, perHistory)
	for i := range steps {
		at := rng.IntN(sum)
		s := step{side: record.Side(rng.IntN(2)), k: rng.IntN(60)}
		for _, w := range weights {
			if at -= often(w.what, w.n); at < 0 {
				s.what = w.what
				break
			}
		}
		if c.stays && rng.IntN(2) == 0 {
			s.kind = stays
		}
		s.n = rng.IntN([]int{people, bookings}[s.kind])
		s.yes, s.full, s.dry = rng.IntN(3) > 0, rng.IntN(4) == 0, rng.IntN(12) == 0
		s.field, s.value = fieldOf(rng, s.kind, i)
		s.d = time.Duration(1+rng.IntN(30)) * time.Second
		if rng.IntN(10) == 0 {
			s.d *= 200
		}
		if rng.IntN(6) == 0 {
			s.at = 1 + rng.IntN(50)
		}
		steps[i] = s
	}
	return steps
}

// fieldOf draws a field and a new value for it, which no other step has.
func fieldOf(rng *rand.Rand, kind, i int) (field, value string) {
	if kind == stays {
		field = []string{"arrival", "departure", "status", "status", "notes"}[rng.IntN(5)]
		switch field {
		case "arrival":
			value = fmt.Sprint(rng.IntN(20))
		case "departure":
			value = fmt.Sprint(30 + rng.IntN(20))
		case "status":
			value = []string{"confirmed", "confirmed", "cancelled", "pending", "checked_in", "completed", "no_show"}[rng.IntN(7)]
		case "notes":
			value = fmt.Sprintf("s%d", i)
		}
		return field, value
	}
	field = []string{"full_name", "full_name", "note", "note", "mail", "phone"}[rng.IntN(6)]
	switch field {
	case "full_name":
		value = fmt.Sprintf("n%d", i)
	case "note":
		value = fmt.Sprintf("O%03dXyand more", i)
	case "mail":
		value = fmt.Sprintf("m%d@example.com", i)
	case "phone":
		value = fmt.Sprintf("+39055%07d", 1000+i)
		if rng.IntN(6) == 0 { // that of somebody else
			value = phoneOf(rng.IntN(people))
		}
	}
	if field != "full_name" && field != "phone" && rng.IntN(4) == 0 {
		value = ""
	}
	return field, value
}

func phoneOf(n int) string { return fmt.Sprintf("+39055%07d", n) }

// String is the step as a person reads it.
func (s step) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %d", s.what, s.side, []string{"contact", "stay"}[s.kind], s.n)
	if s.at > 0 {
		fmt.Fprintf(&b, " inside at %d", s.at)
	}
	switch s.what {
	case doEdit, doPut, doBoth:
		fmt.Fprintf(&b, " %s=%q", s.field, s.value)
	case doRun, doCrash, doFull, doHint, doApprove, doReject:
		fmt.Fprintf(&b, " yes=%t full=%t dry=%t k=%d", s.yes, s.full, s.dry, s.k)
	case doWait, doForward, doBack:
		fmt.Fprintf(&b, " %s", s.d)
	case doFault, doChoose, doAnswer:
		fmt.Fprintf(&b, " %d", s.k)
	}
	return b.String()
}
