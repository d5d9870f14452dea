// Package engine runs one job once: it settles what an earlier run left open,
// pulls both sides, pairs records, plans, and applies the plan, action by action.
//
// It keeps no queue of work. What is to be done is what was observed and differs
// from the base it was settled on, so that a run killed anywhere is simply followed
// by the next one.
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/plan"
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
	Settle time.Duration // how long this system may show, or apply, something late
	Send   *Send         // what holds back writes that may reach a person; nil: nothing
	// Account names the account or database that answers now, "" where nothing names
	// it. Nil: nobody can be asked.
	Account func(ctx context.Context) (string, error)
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
	Dead         []string // canonical statuses of stays that take no room and never were: not created
}

// Job is one kind on the left kept in step with one kind on the right.
type Job struct {
	Binding    record.Binding
	Sides      [2]Side
	Mapping    *mapping.Mapping
	Rules      plan.Rules
	Match      [][]string // canonical fields, in order
	Represent  bool       // several records with one key: one stands for all; otherwise a person is asked
	By         string     // which stands for all: "oldest", "newest", "lowest_id"
	References []Reference
	Window     *Window
	Zone       *time.Location
	Booking    *Booking
	Guards     plan.Guards
	Shrink     int           // percent of the links that one side may lack at once; 0: no limit
	Unshown    int           // percent of a list's rows that may lose a field at once; 0: no limit
	AskFirst   bool          // the first run that would write shows its plan and stops
	FullEvery  time.Duration // how often both sides are compared whole
	MaxField   int           // bytes a record may have
	Seal       []byte        // the key of the digests that values are kept as; nil: they are kept plain
}

// settings names all of a job that decides whether a record is left out, held or
// created, so that a change of it is noticed.
func (j *Job) settings() string {
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
	if j.Booking != nil {
		fmt.Fprintf(&text, " | %+v", *j.Booking)
	}
	return record.DigestOf("settings", []byte(text.String())).String()
}

// Engine runs jobs on one store.
type Engine struct {
	Store   Store
	Jobs    map[record.Binding]*Job
	Install string // stands in the stamp: two installations never take each other's records for their own
	NewID   func() string
	Log     *slog.Logger
	Step    func(name string) // crash tests; nil is no one
	Draw    func(n int) int   // a number in [0, n) for samples of what a list showed; nil: a random one
	// Pause lets time pass where a run must; nil waits. Tests put what happens meanwhile in its place.
	Pause func(ctx context.Context, d time.Duration) error

	proofs      sync.Map // record.Place -> time.Time: when its system was last made sure of
	illegibleAt sync.Map // number of an entry -> time.Time: when a read by its id could last make nothing of it

	answered sync.Map // record.Binding -> map[record.LinkID]bool: bookings that the desk was seen to have answered
}

// Options is how one run is to be.
type Options struct {
	Dry      bool // show, write to no system
	Seen     bool // plan and apply what is known already, read no list
	Full     bool // compare both sides whole even where a shorter way exists
	Yes      bool // the plan was looked at: the first run and the guards let it go
	Limit    int  // at most so many actions; 0: all
	Only     []record.Ref
	OnlySide record.Side
	Find     []record.Key    // records of OnlySide that are looked up by a key, beside those of Only
	Patient  bool            // a record of Only that can't be read now is named in the report and is no error, as long as the system answers
	Plan     map[string]bool // digests of the actions that may be applied; nil: all
	Progress func(Progress)
	// Kicked gives references that can't wait; it is asked between any two requests.
	Kicked func() []Kick
	// Took is told what came of them. Nil tells nobody, and it is in the report.
	Took func(context.Context, Taken)
	// Urgent is the context for a record that another waits for; nil is no other.
	Urgent func(context.Context) context.Context
	// Skip names sides that are not read in this run: what is known of them is as it
	// was, and a record there is read by id before it is written.
	Skip [2]bool
	// Hold says why nothing may be written to a side now, "" when it may; it is asked
	// before every write. Nil holds nothing.
	Hold func(record.Side) string
	// Verify has a dry run compare both sides, instead of planning. The state must be a
	// copy: what is seen is kept there.
	Verify bool
	// Undo has the run take back what another did, and nothing else. Nil is a run like any other.
	Undo *Undo
	// Begun is told the number of the run, once it has one. Nil tells nobody.
	Begun func(run int64)
}

// Progress is told while a run pages and applies.
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
	Halts     []plan.Halt
	Staged    []Staged // what guards held, or in a dry run would hold
	Conflicts []record.Conflict
	Notes     []Note // entries left out, waiting, held: each with its reason
	Alerts    []record.Alert
	Dropped   []string    // of an approved plan: what no longer holds
	Undo      *UndoReport // of a run that takes another one back
	Verified  *Verified   // of a comparison
	Taken                 // of records asked for by name, and of those taken first that nobody was told of
	Error     error
}

// Note says why one record is not in step.
type Note struct {
	Side  record.Side
	Ref   record.Ref
	State record.EntryState
	Why   string
}

// Run runs a job once. The report is there even when the error is not nil.
func (e *Engine) Run(ctx context.Context, b record.Binding, o Options) (Report, error) {
	job, ok := e.Jobs[b]
	if !ok {
		return Report{}, fmt.Errorf("run %s: there is no job of that name", b)
	}
	lease, err := e.Store.Begin(ctx, b, o.Dry, time.Now())
	if err != nil {
		return Report{}, fmt.Errorf("begin run of %s: %w", b, err)
	}
	if o.Begun != nil {
		o.Begun(lease.Run)
	}
	r := newRun(e, job, lease, o)
	runErr := r.all(ctx)
	r.rep.Notes = slices.Concat(r.listed[record.Left], r.listed[record.Right], r.unreads, r.rep.Notes)
	if runErr != nil && !o.Dry && ctx.Err() == nil { // who waits for an answer waits all the longer
		runErr = errors.Join(runErr, r.watchAnswers(ctx))
	}
	if connectors.ClassOf(runErr) == connectors.Unauthorized { // another key may be of another account
		e.proofs.Clear()
	}
	if err := errors.Join(r.noteDone(context.WithoutCancel(ctx)), r.noteBack(context.WithoutCancel(ctx))); err != nil {
		runErr = errors.Join(runErr, fmt.Errorf("note what came of the decided sets of %s: %w", b, err))
	}
	if err := r.keepFindings(context.WithoutCancel(ctx)); err != nil {
		runErr = errors.Join(runErr, fmt.Errorf("note what was found of %s: %w", b, err))
	}
	if err := r.keepHalts(context.WithoutCancel(ctx), runErr != nil, errors.Is(runErr, ErrHalted)); err != nil {
		runErr = errors.Join(runErr, fmt.Errorf("note what %s stands before: %w", b, err))
	}
	r.rep.Error = runErr
	r.rep.Outcome = r.outcome(runErr)
	text := ""
	if runErr != nil {
		text = runErr.Error()
	}
	end := context.WithoutCancel(ctx)
	if err := e.Store.End(end, lease, r.rep.Outcome, text, r.rep.Counts, time.Now()); err != nil {
		return r.rep, errors.Join(runErr, fmt.Errorf("end run of %s: %w", b, err))
	}
	return r.rep, runErr
}

// run is one run on its way.
type run struct {
	*Engine
	job   *Job
	lease record.Lease
	opt   Options
	rep   Report
	now   time.Time

	open           map[int64]bool           // entries with an intent that is not settled
	meeting        map[int64]string         // creates without an answer that end once their source is linked, by source
	doubtful       map[int64]string         // entries that may be what an unanswered create made
	ended          [2][]record.EndedScan    // the last full scans of each side, once they were asked for
	firstSeen      map[int64]time.Time      // when entries that may be created became known
	trials         trials                   // of first writes
	words          map[int64][]string       // fields that new records made from entries did not heed
	stopped        [2]string                // why nothing more is written to a side
	holding        [2]bool                  // it was noted that writes to the side are held
	drawn          [2][]record.Ref          // some of the known records that the last list showed
	proven         [2]bool                  // the side answered as the one we know
	readable       [2]bool                  // the side let a record be read by id
	barred         [2]int                   // reads by id that the side did not allow
	saidNo         refusals                 // what systems refused as it is
	always         onceForAll               // what persons decided once and for all
	begun          [2]time.Time             // when the last list of the side, whole or of what changed, was begun that was read to its end in this run
	book           book                     // what persons said of sets of changes, and what guards count
	scanned        [2]bool                  // a complete full scan of the side was ended in this run
	reread         [2]int                   // how often the side was read whole in this run for creates without an answer
	lastList       [2]*showing              // what the last list of the side has shown, where creates can't be taken back
	showed         [2]bool                  // and one was begun in it, too: what it showed was there just now
	restored       time.Time                // when the state was put back to an older copy; zero for a state that knows all
	whole          bool                     // both sides were compared since then, when it was planned what is created
	entered        time.Time                // when the last booking of this run was entered
	listed         [2][]Note                // what the last lists had wrong with them
	unreads        []Note                   // values that can't be read
	unread         map[Note]bool            // those noted already
	unknown        [2][]record.Intent       // creates of which nobody knows what became, when it was planned
	otherNow       map[int64]bool           // entries under whose id a system that was put back seems to have another record
	anew           [2][]record.Anew         // of a dry run: paths that no base speaks for any more, since fields are read in another way
	rereads        map[string]record.Reread // fields that are read in another way than when they were agreed to
	strays         bool                     // records were found that the plan did not know
	kicking        bool
	kicked         bool // records were taken first, after the plan was made or before
	listing        [2]bool
	later          []toRead // taken first, and put off until a list is read
	failures       []error  // of records that were asked for by name
	sought         map[Sought]bool
	refs           map[string]bool
	finds          [2]map[string]finding
	bears          map[int64][]string // the match rules by which those may be known across
	unasked        map[int64][]string // and of these the ones that nothing asks by
	unfound        map[int64]error    // entries that could not be looked up on the other side
	resolved       map[string]resolution
	unnamable      map[namable]*unnamedError    // records that others name, and that could not be read
	unanswered     map[record.System]int        // how many of these its system did not answer for
	absences       map[record.LinkID]absence    // links of which a record is gone, as this run decided them
	buried         map[int64]time.Time          // entries that a read of this run proved to be gone
	saidSame       [2]map[record.Ref]record.Ref // which record across a person said that one is
	saidBy         [2]map[record.Ref]record.Ref // the other way round
	saidWord       [2]map[record.Ref]string     // that a person said to make one, or to leave it out, where that was not done yet
	facing         *facing                      // the strangers of the plan that is being made; nil: none is
	unjoined       [2][]candidate               // strangers that no rule joins
	underNames     [2]map[string][]candidate    // of them, by what they would be told by if a name told the guest; nil: not read yet
	promised       map[int64]record.LinkID      // strangers that links will go on with
	namers         [2]namers                    // who names the records of that side in other jobs
	alone          [2]*bool                     // none of a side's linked records is there
	left           map[int64]string             // records without a link that persons left out: what they were asked
	back           map[int64]string             // strangers that were gone and are there again
	undeleted      [2]string                    // why nothing more is deleted on a side
	illegibles     [2]*[]record.Entry           // what that side shows and nobody could read; nil: not asked since a read
	unreadNow      map[int64]bool               // entries that were to be read by id in this run, and could not be
	others         [2]*otherDays                // the list of all days, for creates without an answer; nil: not read
	omitted        [2][]record.Entry            // linked records that a complete list did not show, and a read of this run did
	versionless    [2]*bool                     // whether versions of that side vouch for nothing; nil: not asked since a read
	lookedAgain    map[int64]bool               // records that nobody could see, and that were read by id once more
	looked         map[int64]bool               // linked records that a new one may be, and that were read by id for that
	toldByKeys     map[int64]told               // what is put aside, and was read for its keys alone
	triedIllegible [2]bool                      // what that side lists and nobody could read was read by id
	failed         [2][]record.Ref              // of which their system says that they will never be what they should
	unknowable     [2]bool                      // the side has a record without a link of which the store can't say what it holds
	unknownNow     [2]record.Ref                // a record of the side that is another one than was linked under its id, and was not read since
	strange        [2][]told                    // records of the side that took an id of another one, by their keys; nil: not read

	trust
	forgets forgets
	sending
	disputed

	found found
}

func newRun(e *Engine, job *Job, lease record.Lease, o Options) *run {
	r := &run{
		Engine: e, job: job, lease: lease, opt: o, now: time.Now(),
		rep:  Report{Run: lease.Run, Lease: lease, Binding: job.Binding, Counts: record.Counts{}},
		refs: map[string]bool{}, sought: map[Sought]bool{}, unread: map[Note]bool{}, open: map[int64]bool{}, meeting: map[int64]string{}, words: map[int64][]string{}, doubtful: map[int64]string{}, firstSeen: map[int64]time.Time{}, bears: map[int64][]string{}, unasked: map[int64][]string{},
		unfound: map[int64]error{}, otherNow: map[int64]bool{}, absences: map[record.LinkID]absence{}, toldByKeys: map[int64]told{}, lookedAgain: map[int64]bool{}, unreadNow: map[int64]bool{}, looked: map[int64]bool{}, buried: map[int64]time.Time{}, promised: map[int64]record.LinkID{},
		found: found{
			known: map[record.For]record.Finding{}, fresh: map[record.For]record.Finding{},
			done: map[about]bool{}, pending: map[about]bool{}, decided: map[about]bool{},
		},
	}
	for _, ref := range job.References {
		r.refs[ref.Field] = true
	}
	return r
}

// ofThisRun reports whether what the state says was read, or was ended, then was so by this
// run: it keeps whole milliseconds, and a run may begin in the middle of one.
func (r *run) ofThisRun(at time.Time) bool { return !at.Before(r.now.Truncate(time.Millisecond)) }

// all is the straight line of a run.
func (r *run) all(ctx context.Context) error {
	if err := r.Store.Configured(ctx, r.lease, r.job.settings(), r.now); err != nil {
		return fmt.Errorf("note the settings of %s: %w", r.job.Binding, err)
	}
	if err := r.recallFindings(ctx); err != nil {
		return err
	}
	if err := r.notePutBack(ctx); err != nil {
		return err
	}
	if err := r.noteBack(ctx); err != nil {
		return err
	}
	if err := r.learnSettle(ctx); err != nil {
		return err
	}
	if err := r.recallHalts(ctx); err != nil || len(r.rep.Halts) > 0 {
		return err
	}
	if err := r.notRenamed(ctx); err != nil || len(r.rep.Halts) > 0 {
		return err
	}
	if err := r.sameAccount(ctx); err != nil || len(r.rep.Halts) > 0 {
		return err
	}
	if err := r.recallTrials(ctx); err != nil {
		return fmt.Errorf("recall first writes: %w", err)
	}
	if err := r.settle(ctx); err != nil {
		return fmt.Errorf("settle what the last run left open: %w", err)
	}
	if err := r.endTrials(ctx); err != nil {
		return fmt.Errorf("look what a first write did: %w", err)
	}
	if r.opt.Undo != nil {
		return r.undo(ctx)
	}
	if err := r.meetAnew(ctx); err != nil {
		return err
	}
	if len(r.opt.Only)+len(r.opt.Find) > 0 {
		return r.targeted(ctx)
	}
	if r.opt.Seen {
		if err := r.recheck(ctx); err != nil {
			return err
		}
		return r.planAndDo(ctx)
	}
	if err := r.pull(ctx); err != nil {
		return err
	}
	if err := r.endListed(ctx); err != nil {
		return fmt.Errorf("look what a first write did: %w", err)
	}
	if err := r.settleListed(ctx); err != nil {
		return r.askAtLeast(ctx, fmt.Errorf("settle what the last run left open: %w", err))
	}
	if r.opt.Verify {
		return r.verify(ctx)
	}
	return r.planAndDo(ctx)
}

// planAndDo decides on what is known and carries it out.
func (r *run) planAndDo(ctx context.Context) error {
	d, err := r.plan(ctx)
	if err != nil {
		return err
	}
	if !r.opt.Seen {
		if d, err = r.scanAgain(ctx, d); err != nil {
			return err
		}
	}
	if err := r.carryOut(ctx, d); err != nil {
		return err
	}
	return r.finish(ctx)
}

func (r *run) outcome(err error) record.Outcome {
	c := r.rep.Counts
	switch {
	case errors.Is(err, ErrHalted):
		return record.Halted
	case err != nil:
		return record.Failed
	case c["held"]+c["conflicts"]+c["lost"]+c["staged"] > 0, r.found.stand:
		return record.Waits
	}
	return record.Done
}

func (r *run) count(name string, n int) { r.rep.Counts[name] += int64(n) }

func (r *run) place(s record.Side) record.Place {
	return record.Place{Binding: r.job.Binding, Side: s}
}

func (r *run) side(s record.Side) *Side { return &r.job.Sides[s] }

func (r *run) note(s record.Side, ref record.Ref, st record.EntryState, why string) {
	r.rep.Notes = append(r.rep.Notes, Note{Side: s, Ref: ref, State: st, Why: why})
}
