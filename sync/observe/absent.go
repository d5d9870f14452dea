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

// hops is how many merges are followed from one record, each into the next.
const hops = 5

// Moved handles a record that its system says is now another one, as cause names it. If the trail leads to a record
// that is not there, this record is gone, too. If the system does not say which record it is now, the record is put
// aside: its link can't follow it.
func (r *Room) Moved(ctx context.Context, side record.Side, e record.Entry, cause error) error {
	at := time.Now()
	return r.MovedTo(ctx, side, e, r.Follow(ctx, side, e.Ref, cause), at)
}

// Follow reads the record that cause names in place of from. As long as the answer names yet another record, Follow
// goes on with that one. It returns where the trail ends.
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

// MovedTo stores what became of a record, by where its trail leads. at is when the first read of the trail was
// begun. If the last record of the trail can't be read now, nothing is stored and the error of that read is
// returned.
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

// untraced handles a record that was merged into an unknown one. A linked record is put aside. A record without a
// link counts as gone: put aside as one that can't be read or written, it would be created across one day.
func (r *Room) untraced(ctx context.Context, e record.Entry, why string) error {
	if e.Link == 0 {
		return r.Judge(ctx, e, record.Gone, why)
	}
	return r.store.Park(ctx, r.Lease, e.Num, record.Quarantined, "", why)
}

// buryMerged notes that a record was merged into another one of its system, and keeps a tombstone that names the
// other one. A record without a link gets no tombstone, unless the records of its side never change: there an old
// version is followed to the newest one through the tombstones between them, as in buryReplaced.
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

// pointer returns the record that an error of the class Moved names. It is the zero Ref for any other error, and
// where the error names the record that was asked for.
func pointer(err error, from record.Ref) record.Ref {
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || e.Class != connectors.Moved || e.Ref.ID == from.ID {
		return record.Ref{}
	}
	return record.Ref{Kind: from.Kind, ID: e.Ref.ID}
}
