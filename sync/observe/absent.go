package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// hops is how often a record that was merged into another is followed.
const hops = 5

// Moved deals with a record that its system says is another one now. Where that leads
// nowhere it is gone; where the system does not say which it is put aside, for its link
// can't follow it.
func (r *Room) Moved(ctx context.Context, side record.Side, e record.Entry, cause error) error {
	at := time.Now()
	return r.MovedTo(ctx, side, e, r.Follow(ctx, side, e.Ref, cause), at)
}

// Follow goes on reading from a record of which its system said that it moved.
func (r *Room) Follow(ctx context.Context, side record.Side, from record.Ref, cause error) (t run.Trail) {
	for range hops {
		t.To, t.Newer = pointer(cause, from), t.Newer || IsNewer(cause)
		if t.To.ID == "" {
			t.Lost = cause.Error()
			return t
		}
		if t.Found, t.Err = r.ReadRef(ctx, side, t.To); connectors.ClassOf(t.Err) != connectors.Moved {
			return t
		}
		cause = t.Err
	}
	t.Lost = "it was merged into a record that was merged, and so on without an end"
	return t
}

// MovedTo deals with a record by where its trail leads, of which the first read was begun
// at a moment.
func (r *Room) MovedTo(ctx context.Context, side record.Side, e record.Entry, t run.Trail, at time.Time) error {
	switch {
	case t.Lost != "":
		return r.untraced(ctx, e, t.Lost)
	case t.Nowhere():
		return r.NotThere(ctx, side, e, at)
	case connectors.ClassOf(t.Err) == connectors.OutOfScope:
		return r.Judge(ctx, e, record.OutOfScope, fmt.Sprintf("it was merged into %s, which is outside of what is to be read", t.To))
	case t.Err != nil || !t.Found:
		return t.Err
	case t.Newer:
		return r.buryReplaced(ctx, side, e, t.To, at)
	}
	return r.buryMerged(ctx, side, e, t.To, at)
}

// untraced puts aside a record that was merged into nobody knows which. Without a link
// it is gone: put aside for what a system refused of it, it would be made across one day.
func (r *Room) untraced(ctx context.Context, e record.Entry, why string) error {
	if e.Link == 0 {
		return r.Judge(ctx, e, record.Gone, why)
	}
	return r.store.Park(ctx, r.Lease, e.Num, record.Quarantined, "", why)
}

// buryMerged notes that a record is another one of its system now. Of one that was never
// made across a version that never changes is followed over it, as in buryReplaced.
func (r *Room) buryMerged(ctx context.Context, side record.Side, e record.Entry, to record.Ref, at time.Time) error {
	why := fmt.Sprintf("it was merged into %s", to)
	r.Count(side.String()+".merged", 1)
	r.Note(side, e.Ref, record.Gone, why)
	if e.Link == 0 && !r.Side(side).Can.Immutable {
		return r.Judge(ctx, e, record.Gone, why)
	}
	r.Buried[e.Num] = at
	return r.store.Bury(ctx, r.Lease, record.Tombstone{Entry: e.Num, Evidence: record.EvidenceMerged, Why: why, Moved: to.ID, At: at})
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
