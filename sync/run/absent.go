package run

import (
	"context"
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

// RecordField stands for the field in a conflict that is about a whole record. No field
// can be called so.
const RecordField = "the record"

// NotThere notes that a read by id, begun at a moment, found nothing. Of a linked record
// that proves something only if a complete list did not show it either, or a list said that
// it is not there, and late enough
// after our last write and after it was linked: until then it may be the read that is
// late.
func (r *Run) NotThere(ctx context.Context, side record.Side, e record.Entry, at time.Time) error {
	e, ok, err := r.store.Entry(ctx, r.Place(side), e.Ref)
	if err != nil || !ok {
		return err
	}
	switch {
	case e.State == record.Gone: // it was listed once more, and is not there all the same
		return r.Judge(ctx, e, record.Gone, e.Why)
	case e.Link != 0 && e.State != record.Suspect: // however often it is read
		r.Count(side.String()+".missed", 1)
		return r.store.Judge(ctx, r.Lease, e.Num, record.Missed, "a read by id found nothing, and no list has said so yet",
			at.Add(r.Side(side).Settle), time.Now())
	case e.Link != 0:
		young, err := r.youngUntil(ctx, side, e)
		if err != nil {
			return err
		}
		if at.Before(young) {
			return r.Judge(ctx, e, record.Suspect, "it was written, or linked, too lately to be believed gone")
		}
	case at.Before(e.Since.Add(r.Side(side).Settle)): // a list showed it, and reads by id may lag behind lists
		return r.Judge(ctx, e, record.Suspect, "a list showed it first too lately for it to be believed gone")
	}
	r.Count(side.String()+".gone", 1)
	r.Note(side, e.Ref, record.Gone, "the system says it is not there")
	const why = "no list shows it as there, and a read by id found nothing"
	if e.Link == 0 {
		return r.Judge(ctx, e, record.Gone, why)
	}
	r.Buried[e.Num] = at
	return r.store.Bury(ctx, r.Lease, record.Tombstone{Entry: e.Num, Evidence: record.EvidenceRead, Why: why, At: at})
}

// youngUntil is from when on a read counts that finds nothing of a linked record.
func (r *Run) youngUntil(ctx context.Context, side record.Side, e record.Entry) (time.Time, error) {
	pair, _, err := r.store.Pair(ctx, e.Link)
	last := pair.Made
	if e.Acked.After(last) {
		last = e.Acked
	}
	return last.Add(r.Side(side).Settle), err
}

// Trail is where the pointers of a system lead from a record that is another one now.
type Trail struct {
	To    record.Ref // the last record named
	Newer bool       // a version of it in place of another was on the way
	Lost  string     // why nobody knows which it is now, "" if it is known
	Found bool       // that record is there
	Err   error      // what reading it said, if not
}

// Nowhere reports whether the last record of a trail is not there.
func (t Trail) Nowhere() bool {
	return t.Lost == "" && connectors.ClassOf(t.Err) == connectors.NotFound
}

// Unread reports whether the last record of a trail may be there, and can't be read.
func (t Trail) Unread() bool {
	return t.Lost == "" && t.Err != nil && !t.Nowhere() && connectors.ClassOf(t.Err) != connectors.OutOfScope
}

// Aside reports whether a state stays whatever a read by id just showed.
func Aside(st record.EntryState) bool { return st == record.Gone || st == record.Stranger }
