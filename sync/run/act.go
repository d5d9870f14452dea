package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/sync/record"
)

// Vouched reports whether the version that a change names vouches for all values that the change
// writes, and for all that it was decided upon. Once a record of a side was edited and kept its
// version, no version of that side vouches for anything.
func (r *Run) Vouched(ctx context.Context, in record.Intent) (bool, error) {
	if still, err := r.VersionStands(ctx, in.Place.Side); err != nil || still {
		return false, err
	}
	e, _, err := r.store.Entry(ctx, in.Place, in.Change.Ref)
	paths := slices.AppendSeq(in.Change.Fields.Names(), maps.Keys(in.Change.Before)) // also those that were not shown
	return e.Vouches(in.Change.Version, paths), err
}

// VersionStands reports whether a record of a side was seen to change while its version stayed the same.
func (r *Run) VersionStands(ctx context.Context, side record.Side) (bool, error) {
	if known := r.Versionless[side]; known != nil && !r.Listing[side] { // nothing was read since
		return *known, nil
	}
	seen, err := r.store.Witnessed(ctx, r.Place(side))
	if err != nil {
		return false, err
	}
	still, is := seen[record.VersionStands]
	stands := is && still.Value == r.Job.Mapping.Fingerprint(side)
	r.Versionless[side] = &stands
	return stands, nil
}

// Past is what a report counts an operation as, once it is done.
func Past(op record.Op) string {
	switch op {
	case record.Create:
		return "created"
	case record.Delete:
		return "deleted"
	case record.Update, record.Action:
		return "updated"
	}
	return op.String()
}

// Alert keeps what a person is told at once, and shows it in the report.
func (r *Run) Alert(ctx context.Context, entry int64, kind, text string) error {
	a := record.Alert{Run: r.Lease.Run, Binding: r.Job.Binding, Entry: entry, Kind: kind, Text: text, At: time.Now()}
	r.Report.Alerts = append(r.Report.Alerts, a)
	r.Count("alerts", 1)
	if err := r.store.Alert(ctx, r.Lease, a); err != nil {
		return fmt.Errorf("keep alert: %w", err)
	}
	return nil
}
