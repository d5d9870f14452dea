// Package apply carries out one action: it looks whether the record is still as it was
// when the action was decided, makes the intent durable, sends the one request, and
// stores what came back. A process that is killed at any moment leaves behind either
// nothing that was sent, or an intent that says what to look for.
//
//	verified  ->  intent kept  ->  request  ->  receipt settled
//
// Between the intent and the receipt nobody knows whether the system applied the
// change. Such an intent is looked up later, and never resent blindly.
package apply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Journal keeps intents and receipts.
type Journal interface {
	// Holds fails once another run has taken the lease over.
	Holds(ctx context.Context, l record.Lease) error
	// OpenIntent makes a change durable as Sent: its request goes out now. It fails with record.ErrWordGone, and
	// keeps nothing, if an answer that the change rests on does not stand any more.
	OpenIntent(ctx context.Context, l record.Lease, in record.Intent) error
	// SendIntent says that the request of an open intent goes out once more.
	SendIntent(ctx context.Context, l record.Lease, id string, now time.Time) error
	// NoteUnsent keeps a change that ended before anything of it was sent, with the class of what ended it.
	NoteUnsent(ctx context.Context, l record.Lease, in record.Intent) error
	// SettleIntent stores the answer, both bases and the link in one transaction. It fails with record.ErrLinked,
	// and stores nothing, if a create ends at a record that belongs to another link, or was made from a record that
	// does.
	SettleIntent(ctx context.Context, l record.Lease, r record.Receipt) (record.LinkID, error)
	// FailIntent stores that an intent got no receipt: it ends the intent, or leaves it open.
	FailIntent(ctx context.Context, l record.Lease, id string, st record.IntentState, class, msg string, now time.Time) error
}

// System is the side that is written to.
type System struct {
	Name   record.System
	Conn   connectors.Connector
	Kind   connectors.Kind
	Settle time.Duration // how long reads may still show what our write replaced
}

// Result is how an action ended.
type Result uint8

// The results of an action.
const (
	Done     Result = iota + 1 // answered and settled
	Changed                    // the record is not as it was: Observed shows how it is now, if it was read
	Vanished                   // the record to be written is not there
	Said                       // the system said no; Class says how
	Met                        // a create met a record that is the same: it is to be looked up and adopted
	Unknown                    // nobody knows; the intent stays open
	Put                        // put back: nothing was applied; the system asks to wait, or can't be reached
	Unread                     // nothing was sent, for this record can't be read to verify it
	Kept                       // kept back: nothing was sent, because nothing is to be written now
	Taken                      // lost: the record that it ended at (see Receipt), or its source, is linked already
)

// Outcome is a result with what belongs to it.
type Outcome struct {
	Result   Result
	Class    connectors.ErrorClass
	Err      error
	Receipt  record.Receipt
	Link     record.LinkID
	Observed *record.Record // for Changed: what the record holds now
	At       time.Time      // when Observed was asked for
}

// Applier carries out actions of one run.
type Applier struct {
	Lease   record.Lease
	Systems [2]System
	Journal Journal
	NewID   func() string
	// Stamp returns the mark that a new record of an entity carries, where its kind has a place for one.
	Stamp func(entity string) string
	// Open gives the bytes of a content that a create gives at a path. Nil: there are none.
	Open func(ctx context.Context, in record.Intent, path string) (io.ReadCloser, error)
	// Vouched reports whether everything that a change was decided upon was shown with the version that the change
	// names.
	Vouched func(ctx context.Context, in record.Intent) (bool, error)
	// Recognised reports whether it is known which record an id names, without reading it before the write: a list of
	// this run has shown it, or the version that the change names is of that record alone. Nil: it is known.
	Recognised func(in record.Intent) bool
	// Beside returns what reads showed of an updated record besides what the update writes. Nil: nothing is known.
	Beside func(ctx context.Context, in record.Intent) (record.Beside, error)
	// Known returns what else the read before a write must still show of the record. Nil: nothing.
	Known func(ctx context.Context, in record.Intent) (record.Fields, error)
	// Unmoved reports whether the read before a write shows the record that was linked, and, where it counts, at the
	// revision that the change was decided upon. Nil: nobody looks.
	Unmoved func(ctx context.Context, in record.Intent, rec record.Record) (bool, error)
	// Held says why a change must not be written now, "" if it may. It is asked as the last thing before each
	// write. Nil: nothing is held.
	Held func(ctx context.Context, in record.Intent) (why string, err error)
	// Based returns the part of an answer that the base of the record takes over. Nil: all of it.
	Based func(in record.Intent, shown record.Fields) record.Fields
	// Unheeded returns in what a new record is not as its create asked: see Receipt.Across and Receipt.Apart. Nil:
	// nobody looks.
	Unheeded func(in record.Intent, rec record.Record, adopted bool) (across record.Fields, apart []string)
	// Step is told before and after each request. Nil: nobody is told.
	Step func(name string)
}

// Apply carries out one action. The error is one of the store: after it nothing more may be written to any system.
// What a system answers is in the Outcome.
func (a *Applier) Apply(ctx context.Context, act plan.Action) (Outcome, error) {
	in := a.intent(act)
	if out, err := a.verify(ctx, &in); out.Result != 0 || err != nil {
		return out, err
	}
	return a.send(ctx, in, false)
}

func (a *Applier) intent(act plan.Action) record.Intent {
	ch := act.Change
	ch.ID = a.NewID()
	if ch.Op == record.Create && a.Systems[act.Side].Kind.Stamp.Path != "" {
		ch.Stamp = a.Stamp(act.Entity)
	}
	risk := act.Risk
	if act.Let {
		risk = ""
	}
	return record.Intent{
		ID: ch.ID, Risk: string(risk), Run: a.Lease.Run, Place: record.Place{Binding: a.Lease.Binding, Side: act.Side},
		Link: act.Link, From: act.From, Entity: act.Entity, Change: ch, Reason: act.Reason,
		Fields: act.Fields, Bases: act.Bases, Said: act.Said, Made: time.Now(),
	}
}

// verify reads the record before it is written, unless the system itself refuses a change of a record that moved
// on. What the action was decided upon must still hold; that includes the partners of a written field in an atomic
// group. From then on the change names the version that was read. An empty Outcome lets the action go on.
func (a *Applier) verify(ctx context.Context, in *record.Intent) (Outcome, error) {
	sys, ch := a.Systems[in.Place.Side], in.Change
	get, ok := sys.Conn.(connectors.Getter)
	if ch.Op == record.Create || !ok || !sys.Kind.Get {
		return Outcome{}, nil
	}
	if guarded, err := a.guarded(ctx, sys.Kind, *in); guarded || err != nil {
		return Outcome{}, err
	}
	known, err := a.known(ctx, *in)
	if err != nil {
		return Outcome{}, fmt.Errorf("look what is known of %s: %w", ch.Ref, err)
	}
	at := time.Now()
	a.step("before get")
	rec, err := get.Get(ctx, ch.Ref, connectors.Scope{})
	a.step("after get")
	switch {
	case err != nil:
		return a.unsent(ctx, *in, err)
	}
	unmoved, err := a.unmoved(ctx, *in, rec)
	switch {
	case err != nil:
		return Outcome{}, fmt.Errorf("look at the revision of %s: %w", ch.Ref, err)
	case !unmoved, !holds(rec.Fields, ch.Before), !holds(rec.Fields, known):
		err := a.fail(ctx, *in, record.Cancelled, connectors.Stale, errors.New("the record changed since it was read"))
		return Outcome{Result: Changed, Class: connectors.Stale, Observed: &rec, At: at}, err
	case sys.Kind.Conditional && rec.Version != "":
		in.Change.Version = rec.Version
	}
	return Outcome{}, nil
}

func (a *Applier) unmoved(ctx context.Context, in record.Intent, rec record.Record) (bool, error) {
	if a.Unmoved == nil {
		return true, nil
	}
	return a.Unmoved(ctx, in, rec)
}

func (a *Applier) known(ctx context.Context, in record.Intent) (record.Fields, error) {
	if a.Known == nil {
		return record.Fields{}, nil
	}
	return a.Known(ctx, in)
}

// guarded reports whether the system itself refuses the change if the record moved on. Systems refuse only updates
// in this way. Where records have versions, the update must name the version that it was decided upon. Lists may
// not show the version, and a version guards only what was shown with it.
func (a *Applier) guarded(ctx context.Context, k connectors.Kind, in record.Intent) (bool, error) {
	switch {
	case !k.Conditional || in.Change.Op != record.Update, a.Recognised != nil && !a.Recognised(in):
		return false, nil
	case in.Change.Version == "":
		return k.FindAny, nil
	}
	ok, err := a.Vouched(ctx, in)
	if err != nil {
		return false, fmt.Errorf("look what the version of %s vouches for: %w", in.Change.Ref, err)
	}
	return ok, nil
}

// holds reports whether the record still shows what the action was decided upon. A value that is not shown can't
// speak against it.
func holds(now, before record.Fields) bool {
	for p, want := range before {
		if got := now[p]; got.Observed() && !got.Equal(want) && (want.Observed() || !got.Empty()) {
			return false
		}
	}
	return true
}

// unsent ends an action before anything of it was sent; err is why.
func (a *Applier) unsent(ctx context.Context, in record.Intent, err error) (Outcome, error) {
	class := connectors.ClassOf(err)
	out := Outcome{Result: Put, Class: class, Err: err}
	switch {
	case class == connectors.NotFound, class == connectors.OutOfScope, class == connectors.Moved:
		out.Result = Vanished
	case slices.Contains([]connectors.ErrorClass{connectors.Rejected, connectors.Malformed, connectors.Forbidden}, class):
		out.Result = Unread
	}
	return out, a.fail(ctx, in, record.Cancelled, class, err)
}

// Again sends the request of an intent once more. It is for systems that make sure themselves that it is applied
// only once: it has the same key, or the same unique mark. The first request may have been applied, so an answer
// that is about this request alone leaves the intent open.
func (a *Applier) Again(ctx context.Context, in record.Intent) (Outcome, error) {
	return a.send(ctx, in, true)
}

func (a *Applier) send(ctx context.Context, in record.Intent, again bool) (Outcome, error) {
	sys := a.Systems[in.Place.Side]
	w, ok := sys.Conn.(connectors.Writer)
	if !ok {
		return a.unsent(ctx, in, connectors.Wrong(connectors.Unsupported, in.Change.Op.String(), "%s can't be written", sys.Name))
	}
	contents, err := a.contents(ctx, in)
	if err != nil {
		return a.unopened(ctx, in, err, again)
	}
	if a.Beside != nil && in.Change.Op == record.Update {
		if in.Change.Beside, err = a.Beside(ctx, in); err != nil {
			return Outcome{}, fmt.Errorf("look what %s holds besides: %w", in.Change.Ref, err)
		}
	}
	if out, err := a.open(ctx, &in, again); out.Result != 0 || err != nil {
		return out, err
	}
	a.step("before send")
	g := gate{a: a, in: in}
	if err := g.pass(ctx); err != nil {
		return a.kept(ctx, in, &g, again)
	}
	rec, err := w.Apply(connectors.WithContents(connectors.WithGate(ctx, g.pass), contents), in.Change)
	a.step("after send")
	if errors.Is(err, connectors.ErrKeptBack) {
		return a.kept(ctx, in, &g, again)
	}
	if err != nil {
		return a.answered(ctx, in, err, again)
	}
	return a.Settle(ctx, in, a.told(ctx, in, rec), false)
}

// open makes durable that the request of an intent goes out now. An empty Outcome lets the request go out. If an
// answer that the change rests on was taken back before, the change is kept back.
func (a *Applier) open(ctx context.Context, in *record.Intent, again bool) (Outcome, error) {
	err := a.keep(ctx, in, again)
	switch {
	case errors.Is(err, record.ErrWordGone):
		in.State, in.SentAt = "", time.Time{} // nothing of it was kept
		return Outcome{Result: Kept, Class: connectors.Transient, Err: err}, a.fail(ctx, *in, record.Cancelled, connectors.Transient, record.ErrWordGone)
	case err != nil:
		return Outcome{}, fmt.Errorf("note that %s is sent: %w", in.Change.Ref, err)
	}
	return Outcome{}, nil
}

// keep makes durable that the request of an intent goes out now.
func (a *Applier) keep(ctx context.Context, in *record.Intent, again bool) error {
	now := time.Now()
	if again {
		return a.Journal.SendIntent(ctx, a.Lease, in.ID, now)
	}
	in.State, in.SentAt = record.Sent, now
	return a.Journal.OpenIntent(ctx, a.Lease, *in)
}

// told returns the answer to a write. If the answer tells too little, told returns what a read of the record shows
// right after it. An answer with nothing but an id tells too little. So does the answer to a create that does not
// show the status that was given, where the status is changed by a request of its own: such a create may not have
// heeded it. A list would come too late to tell what the system made of the record from what a user changed since.
func (a *Applier) told(ctx context.Context, in record.Intent, rec record.Record) record.Record {
	sys := a.Systems[in.Place.Side]
	get, ok := sys.Conn.(connectors.Getter)
	ref := rec.Ref
	if ref.ID == "" {
		ref = in.Change.Ref
	}
	if in.Change.Op == record.Delete || !ok || !sys.Kind.Get || ref.ID == "" {
		return rec
	}
	path := sys.Kind.Status
	lacksStatus := in.Change.Op == record.Create && path != "" && in.Change.Fields[path].Observed() && !rec.Fields[path].Observed()
	if len(rec.Fields) > 0 && !lacksStatus {
		return rec
	}
	a.step("before get")
	shown, err := get.Get(ctx, ref, connectors.Scope{})
	a.step("after get")
	switch {
	case err != nil: // the write is done all the same, and a later read shows it
		return rec
	case len(rec.Fields) > 0 && !shown.Fields[path].Observed(), showsReplaced(in.Change, shown.Fields):
		return rec
	}
	return shown
}

// showsReplaced reports whether a read shows a value that a change replaced. Either the read is late, or the system
// did nothing. Only a read that is made once the system has settled can tell which.
func showsReplaced(ch record.Change, now record.Fields) bool {
	for p, sent := range ch.Fields {
		before := ch.Before[p]
		if before.Observed() && !before.Equal(sent) && (now[p].Equal(before) || now[p].Respells(before)) {
			return true
		}
	}
	return false
}

// Settle stores what the system holds now as the receipt of an intent. adopted says that the record was found by a
// look-up and not answered. If a create would link a record that is linked already, the result is Taken: the change
// is lost, and a person says what became of it.
func (a *Applier) Settle(ctx context.Context, in record.Intent, rec record.Record, adopted bool) (Outcome, error) {
	now := time.Now()
	ref := rec.Ref
	if ref.ID == "" {
		ref = in.Change.Ref
	}
	shown := rec.Fields
	if a.Based != nil {
		shown = a.Based(in, shown)
	}
	r := record.Receipt{
		Intent: in.ID, Ref: ref, Version: rec.Version, Fields: shown, Changed: rec.Changed, Created: rec.Created,
		At: now, SettleUntil: now.Add(a.Systems[in.Place.Side].Settle), Adopted: adopted,
		Provisional: len(rec.Fields) == 0,
		New:         a.madeNew(in, rec, adopted),
		Retold:      in.Change.Op == record.Update && a.Systems[in.Place.Side].Kind.Get,
		ReadAgain:   in.Change.Op != record.Create && a.Systems[in.Place.Side].Kind.Since, // no list of changes shows what was answered and not done
	}
	if a.Unheeded != nil {
		r.Across, r.Apart = a.Unheeded(in, rec, adopted)
	}
	link, err := a.Journal.SettleIntent(context.WithoutCancel(ctx), a.Lease, r)
	if errors.Is(err, record.ErrLinked) { // it ends the change: looked at again, the change would end like this each time
		return Outcome{Result: Taken, Err: err, Receipt: r}, a.fail(ctx, in, record.Lost, "", err)
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("keep the receipt of %s: %w", ref, err)
	}
	return Outcome{Result: Done, Receipt: r, Link: link}, nil
}

// madeNew reports whether a create is known to have made a record that was not there before. Its system must make
// one with each create that it answers. A record that was found by a look-up must also bear the mark of this very
// create.
func (a *Applier) madeNew(in record.Intent, rec record.Record, adopted bool) bool {
	marked := in.Change.Stamp != "" && rec.Stamp == in.Change.Stamp
	return in.Change.Op == record.Create && a.Systems[in.Place.Side].Kind.MakesNew && (!adopted || marked)
}

// SaidDone is the class that is kept with a create if its system says that it is done, and the answer does not show
// what was made.
const SaidDone connectors.ErrorClass = "said_done"

func (a *Applier) step(name string) {
	if a.Step != nil {
		a.Step(name)
	}
}

// pass returns an error if the write must not go out now. A process that stood still, however long, must not send
// what it had decided before. What somebody paused meanwhile must not be sent either.
func (g *gate) pass(ctx context.Context) error {
	g.lost, g.why = nil, ""
	if err := g.a.Journal.Holds(ctx, g.a.Lease); err != nil {
		g.lost = fmt.Errorf("send %s: %w", g.in.Change.Ref, err)
		return g.lost
	}
	if g.a.Held == nil {
		return nil
	}
	why, err := g.a.Held(ctx, g.in)
	switch {
	case err != nil:
		g.lost = fmt.Errorf("send %s: %w", g.in.Change.Ref, err)
		return g.lost
	case why != "":
		g.why = why
		return errors.New(why)
	}
	return nil
}
