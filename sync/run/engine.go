package run

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// CreateRule says when one side gets records that only the other has.
type CreateRule string

// The rules for creates.
const (
	Always         CreateRule = "always"
	Never          CreateRule = "never"
	WhenReferenced CreateRule = "when_referenced" // only once a record that is to be created refers to it
)

// Side is one side of a job.
type Side struct {
	System record.System
	Kind   record.Kind
	Conn   connectors.Connector
	Can    connectors.Kind
	Create CreateRule    // when this side gets records from the other
	Gone   GoneRule      // what becomes of its record when the one across is gone
	Settle time.Duration // how late this system may show or apply a change
	Send   *Send         // what holds back writes that may reach a person; nil: nothing
	// Account names the account or database that answers now, "" where nothing names
	// it. Nil: nobody can be asked.
	Account func(ctx context.Context) (string, error)
}

// SameRecords reports whether two sides show the same records under the same ids: the kind of both has one name, or
// both kinds are parts of the same table.
func (s *Side) SameRecords(o *Side) bool {
	return s.System == o.System && (s.Kind == o.Kind || s.Can.IDs.Of != "" && s.Can.IDs == o.Can.IDs)
}

// Window is the days a dated job looks at, relative to today.
type Window struct{ From, To int }

// Reference is a field that names a record of another job.
type Reference struct {
	Field     string
	Binding   record.Binding // of the records it names
	Sides     [2]record.Side // our side -> the side of that binding with the same system
	IfLeftOut string         // name written where the record is left out or held; "" publishes nothing
	Wait      time.Duration  // how long a record may wait for it before a person is asked
	Snapshot  bool           // after that, write what this side itself shows of it
}

// Booking is what makes a job one of reservations.
type Booking struct {
	Status       string      // canonical field of the status
	Authority    record.Side // the side that says whether a room is free
	Refused      string      // canonical status written back when it says no
	Pending      string      // canonical status of a booking that waits for an answer
	Asks         bool        // a condition decides; without one a booking arrives as Pending
	AnswerWithin time.Duration
	First, Last  string   // canonical fields of arrival and departure
	Dead         []string // canonical statuses of stays that never came about and take no room: not created
}

// Job is one kind on the left kept in step with one kind on the right.
type Job struct {
	Binding    record.Binding
	Sides      [2]Side
	Mapping    *mapping.Mapping
	Rules      plan.Rules
	Match      [][]string // canonical fields, in order
	Rows       bool       // its records are rows of any sort: one record may stand for rows in several tables across
	Represent  bool       // several records with one key: one stands for all; otherwise a person is asked
	By         string     // which stands for all: "oldest", "newest", "lowest_id"
	References []Reference
	Window     *Window
	Zone       *time.Location
	Booking    *Booking
	Guards     guard.Guards
	Shrink     int           // percent of the links that one side may lack at once; 0: no limit
	Unshown    int           // percent of a list's rows that may lose a field at once; 0: no limit
	AskFirst   bool          // the first run that would write shows its plan and stops
	FullEvery  time.Duration // how often both sides are compared whole
	MaxField   int           // bytes a record may have
	Seal       []byte        // the key of the digests that values are kept as; nil: they are kept plain
}

// Settings names, as a digest, all settings of a job that decide whether a record is left out, held or
// created. So a change of them is noticed.
func (j *Job) Settings() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%v %t %s %+v", j.Match, j.Represent, j.By, j.References)
	for _, side := range record.Sides {
		s, k := j.Sides[side], j.Rules.Kinds[side]
		fmt.Fprintf(&text, " | %s %v %t %t %v %v %q %t %v %s%s", s.Create, s.Gone, s.Can.Delete, s.Can.Create, s.Can.Required, s.Can.Unique,
			k.ReadOnly, k.NoUpdate, k.Required, j.Mapping.Fingerprint(side), limitsOf(k))
		if k.Status != "" && (k.NoUpdate || len(k.Carries)+len(k.NotNew) > 0) {
			fmt.Fprintf(&text, " %s %v %v", k.Status, k.Carries, k.NotNew)
		}
		if len(k.Constants) > 0 {
			fmt.Fprintf(&text, " %s", k.Constants.Digest())
		}
	}
	if j.Window != nil {
		fmt.Fprintf(&text, " | %+v", *j.Window)
	}
	if j.Rows {
		text.WriteString(" | rows")
	}
	if j.Booking != nil {
		fmt.Fprintf(&text, " | %+v", *j.Booking)
	}
	return record.DigestOf("settings", []byte(text.String())).String()
}

// House is what all runs of a program share: the store, the jobs, and what was found out about their systems
// since it began.
type House struct {
	Stores  Stores
	Jobs    map[record.Binding]*Job
	Install string // its name in our marks: no installation takes another one's records for its own
	NewID   func() string
	Log     *slog.Logger
	Step    func(name string) // is called before and after each request, for crash tests; nil: nobody
	Draw    func(n int) int   // a number in [0, n) for samples of what a list showed; nil: a random one
	// Pause lets time pass where a run has to wait; nil waits. Tests do in its place what happens meanwhile.
	Pause func(ctx context.Context, d time.Duration) error

	Proofs      sync.Map // record.Place -> time.Time: when its system was last proven
	IllegibleAt sync.Map // number of an entry -> time.Time: when a read by id last could not make sense of it

	Answered sync.Map // record.Binding -> map[record.LinkID]bool: bookings that the desk was seen to have answered
}

// Options is how one run is to be.
type Options struct {
	Dry      bool // show, write to no system
	Seen     bool // plan and apply what is known already; a list is read only if a write rests on what a side lacks
	After    bool // with Seen or Only: it follows a run that read the lists a moment ago, and these tell what a side lacks
	Full     bool // compare both sides whole even where a shorter way exists
	Yes      bool // a person looked at the plan: the first run and the guards let it go
	Limit    int  // at most so many actions; 0: all
	Only     []record.Ref
	OnlySide record.Side
	Find     []record.Key    // records of OnlySide that are looked up by a key, beside those of Only
	Patient  bool            // an unreadable record of Only is no error but named in the report, while the system answers
	Plan     map[string]bool // digests of the actions that may be applied; nil: all
	Progress func(Progress)
	// Kicked returns the records that can't wait. It is called between any two requests.
	Kicked func() []Kick
	// Took is told what came of those records. If it is nil, only the report has that.
	Took func(context.Context, Taken)
	// Urgent gives the context for reading a record that another one waits for. Nil: the context of all others.
	Urgent func(context.Context) context.Context
	// Skip names sides that are not read in this run. What is known of them stays as it was, and a record
	// there is read by id before it is written.
	Skip [2]bool
	// Hold says why nothing may be written to a side now, "" if it may. It is called before every write.
	// Nil holds nothing.
	Hold func(record.Side) string
	// Verify has a dry run compare both sides, instead of planning. The state must be a
	// copy: what is seen is kept there.
	Verify bool
	// Undo makes the run take back what another run did, and do nothing else. Nil: a run like any other.
	Undo *Undo
	// Begun is told the number of the run as soon as it has one. Nil tells nobody.
	Begun func(run int64)
}

// Progress is how far a run has come with reading pages, or with carrying out its actions.
type Progress struct {
	Phase string // "left", "right", "apply"
	Name  string // what is read: kind and system
	Done  int
	Total int // -1: not known
}

// Report is what a run did, or would do.
type Report struct {
	Run       int64
	Lease     record.Lease
	Binding   record.Binding
	Outcome   record.Outcome
	Counts    record.Counts
	Actions   []plan.Action // the plan; for a real run what was planned first
	Digest    string
	Halts     []record.Question
	Staged    []Staged // what guards held, or in a dry run would hold
	Conflicts []record.Question
	Notes     []Note // entries left out, waiting, held: each with its reason
	Alerts    []record.Alert
	Dropped   []string    // digests of approved actions that no longer hold
	Undo      *UndoReport // for a run that takes another one back
	Verified  *Verified   // for a comparison
	Taken                 // of records asked for by name, and of those taken first that Took was not told of
	Error     error
}

// Note says why one record is not in step.
type Note struct {
	Side  record.Side
	Ref   record.Ref
	State record.EntryState
	Why   string
}

// OfThisRun reports whether this run read or ended something, by the time that the state keeps for it.
// The state keeps whole milliseconds, and a run may begin in the middle of one.
func (r *Run) OfThisRun(at time.Time) bool { return !at.Before(r.Now.Truncate(time.Millisecond)) }

// Count adds to one of the numbers of the report.
func (r *Run) Count(name string, n int) { r.Report.Counts[name] += int64(n) }

// Place is a side of this job.
func (r *Run) Place(s record.Side) record.Place {
	return record.Place{Binding: r.Job.Binding, Side: s}
}

// Side is what the job says of a side.
func (r *Run) Side(s record.Side) *Side { return &r.Job.Sides[s] }

// Note says in the report why a record is where it is.
func (r *Run) Note(s record.Side, ref record.Ref, st record.EntryState, why string) {
	r.Report.Notes = append(r.Report.Notes, Note{Side: s, Ref: ref, State: st, Why: why})
}
