package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// GoneRule says what becomes of a record when the one across is gone.
type GoneRule struct {
	Policy  away.GonePolicy // "" is away.GoneHold
	Archive record.Fields   // native values that are written, for away.GoneArchive
}

// hops is how often a record that was merged into another is followed.
const hops = 5

// RecordField stands for the field in a conflict that is about a whole record. No field
// can be called so.
const RecordField = "the record"

// notThere notes that a read by id, begun at a moment, found nothing. Of a linked record
// that proves something only if a complete list did not show it either, or a list said that
// it is not there, and late enough
// after our last write and after it was linked: until then it may be the read that is
// late.
func (r *run) notThere(ctx context.Context, side record.Side, e record.Entry, at time.Time) error {
	e, ok, err := r.Store.Entry(ctx, r.place(side), e.Ref)
	if err != nil || !ok {
		return err
	}
	switch {
	case e.State == record.Gone: // it was listed once more, and is not there all the same
		return r.judge(ctx, e, record.Gone, e.Why)
	case e.Link != 0 && e.State != record.Suspect: // however often it is read
		r.count(side.String()+".missed", 1)
		return r.Store.Judge(ctx, r.lease, e.Num, record.Missed, "a read by id found nothing, and no list has said so yet",
			at.Add(r.side(side).Settle), time.Now())
	case e.Link != 0:
		young, err := r.youngUntil(ctx, side, e)
		if err != nil {
			return err
		}
		if at.Before(young) {
			return r.judge(ctx, e, record.Suspect, "it was written, or linked, too lately to be believed gone")
		}
	case at.Before(e.Since.Add(r.side(side).Settle)): // a list showed it, and reads by id may lag behind lists
		return r.judge(ctx, e, record.Suspect, "a list showed it first too lately for it to be believed gone")
	}
	r.count(side.String()+".gone", 1)
	r.note(side, e.Ref, record.Gone, "the system says it is not there")
	const why = "no list shows it as there, and a read by id found nothing"
	if e.Link == 0 {
		return r.judge(ctx, e, record.Gone, why)
	}
	r.buried[e.Num] = at
	return r.Store.Bury(ctx, r.lease, record.Tombstone{Entry: e.Num, Evidence: record.EvidenceRead, Why: why, At: at})
}

// youngUntil is from when on a read counts that finds nothing of a linked record.
func (r *run) youngUntil(ctx context.Context, side record.Side, e record.Entry) (time.Time, error) {
	pair, _, err := r.Store.Pair(ctx, e.Link)
	last := pair.Made
	if e.Acked.After(last) {
		last = e.Acked
	}
	return last.Add(r.side(side).Settle), err
}

// moved deals with a record that its system says is another one now. Where that leads
// nowhere it is gone; where the system does not say which it is put aside, for its link
// can't follow it.
func (r *run) moved(ctx context.Context, side record.Side, e record.Entry, cause error) error {
	at := time.Now()
	return r.movedTo(ctx, side, e, r.follow(ctx, side, e.Ref, cause), at)
}

// trail is where the pointers of a system lead from a record that is another one now.
type trail struct {
	to    record.Ref // the last record named
	newer bool       // a version of it in place of another was on the way
	lost  string     // why nobody knows which it is now, "" if it is known
	found bool       // that record is there
	err   error      // what reading it said, if not
}

// nowhere reports whether the last record of a trail is not there.
func (t trail) nowhere() bool {
	return t.lost == "" && connectors.ClassOf(t.err) == connectors.NotFound
}

// unread reports whether the last record of a trail may be there, and can't be read.
func (t trail) unread() bool {
	return t.lost == "" && t.err != nil && !t.nowhere() && connectors.ClassOf(t.err) != connectors.OutOfScope
}

// follow goes on reading from a record of which its system said that it moved.
func (r *run) follow(ctx context.Context, side record.Side, from record.Ref, cause error) (t trail) {
	for range hops {
		t.to, t.newer = pointer(cause, from), t.newer || isNewer(cause)
		if t.to.ID == "" {
			t.lost = cause.Error()
			return t
		}
		if t.found, t.err = r.readRef(ctx, side, t.to); connectors.ClassOf(t.err) != connectors.Moved {
			return t
		}
		cause = t.err
	}
	t.lost = "it was merged into a record that was merged, and so on without an end"
	return t
}

// movedTo deals with a record by where its trail leads, of which the first read was begun
// at a moment.
func (r *run) movedTo(ctx context.Context, side record.Side, e record.Entry, t trail, at time.Time) error {
	switch {
	case t.lost != "":
		return r.untraced(ctx, e, t.lost)
	case t.nowhere():
		return r.notThere(ctx, side, e, at)
	case connectors.ClassOf(t.err) == connectors.OutOfScope:
		return r.judge(ctx, e, record.OutOfScope, fmt.Sprintf("it was merged into %s, which is outside of what is to be read", t.to))
	case t.err != nil || !t.found:
		return t.err
	case t.newer:
		return r.buryReplaced(ctx, side, e, t.to, at)
	}
	return r.buryMerged(ctx, side, e, t.to, at)
}

// untraced puts aside a record that was merged into nobody knows which. Without a link
// it is gone: put aside for what a system refused of it, it would be made across one day.
func (r *run) untraced(ctx context.Context, e record.Entry, why string) error {
	if e.Link == 0 {
		return r.judge(ctx, e, record.Gone, why)
	}
	return r.Store.Park(ctx, r.lease, e.Num, record.Quarantined, why)
}

// buryMerged notes that a record is another one of its system now. Of one that was never
// made across a version that never changes is followed over it, as in buryReplaced.
func (r *run) buryMerged(ctx context.Context, side record.Side, e record.Entry, to record.Ref, at time.Time) error {
	why := fmt.Sprintf("it was merged into %s", to)
	r.count(side.String()+".merged", 1)
	r.note(side, e.Ref, record.Gone, why)
	if e.Link == 0 && !r.side(side).Can.Immutable {
		return r.judge(ctx, e, record.Gone, why)
	}
	r.buried[e.Num] = at
	return r.Store.Bury(ctx, r.lease, record.Tombstone{Entry: e.Num, Evidence: record.EvidenceMerged, Why: why, Moved: to.ID, At: at})
}

// pointer is the record that an error of the class Moved names, none if that is no
// other than the one that was asked for.
func pointer(err error, from record.Ref) record.Ref {
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || e.Class != connectors.Moved || e.Ref.ID == from.ID {
		return record.Ref{}
	}
	return record.Ref{Kind: from.Kind, ID: e.Ref.ID}
}

// aside reports whether a state stays whatever a read by id just showed.
func aside(st record.EntryState) bool { return st == record.Gone || st == record.Stranger }
