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

// RecordField stands in place of a field's name in a conflict about a whole record. No field can have this name.
const RecordField = record.WholeRecord

// NotThere notes that a read by id, begun at a moment, found nothing. For a linked record that proves
// something only if a list agrees: a complete list did not show the record, or a list said that it is not
// there. The read must also be late enough after our last write and after the record was linked, because until
// then the read itself may be late. Once it is proven, the record is gone, and a linked one gets a tombstone.
func (r *Run) NotThere(ctx context.Context, side record.Side, e record.Entry, at time.Time) error {
	e, ok, err := r.store.Entry(ctx, r.Place(side), e.Ref)
	if err != nil || !ok {
		return err
	}
	switch {
	case e.State == record.Gone: // it was listed again, and is still not there
		return r.Judge(ctx, e, record.Gone, e.Why)
	case e.Link != 0 && e.State != record.Suspect: // no list agrees, and reads alone prove nothing however many there are
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

// youngUntil returns from when on a read counts that does not find a linked record: when the settle
// time is over, after the record was linked and after our last write to it.
func (r *Run) youngUntil(ctx context.Context, side record.Side, e record.Entry) (time.Time, error) {
	pair, _, err := r.store.Pair(ctx, e.Link)
	last := pair.Made
	if e.Acked.After(last) {
		last = e.Acked
	}
	return last.Add(r.Side(side).Settle), err
}

// Trail is where a system leads us from a record that was merged into another, or has a newer version.
type Trail struct {
	To    record.Ref // the last record that was named
	Newer bool       // on the way a newer version stood in the place of a record
	Lost  string     // why nobody knows which record it is now, "" if that is known
	Found bool       // To is there
	Err   error      // why To could not be read
}

// Nowhere reports whether the last record of a trail is not there.
func (t Trail) Nowhere() bool {
	return t.Lost == "" && connectors.ClassOf(t.Err) == connectors.NotFound
}

// Unread reports whether the last record of a trail may be there, and can't be read.
func (t Trail) Unread() bool {
	return t.Lost == "" && t.Err != nil && !t.Nowhere() && connectors.ClassOf(t.Err) != connectors.OutOfScope
}

// Aside reports whether a record is gone, or its id names another one. If a record still has such a
// state after a read by id, the read did not count.
func Aside(st record.EntryState) bool { return st == record.Gone || st == record.Stranger }
