package run

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nightporter/sync/record"
)

// Once reports whether creates on a side can't be taken back.
func (r *Run) Once(side record.Side) bool { return len(r.Side(side).Can.Once) > 0 }

// Ours reports whether a mark is one of this installation.
func (r *Run) Ours(stamp string) bool { return strings.HasPrefix(stamp, "np:"+r.Install+":") }

// IsNew reports whether a record that is to be made across, where that can't be taken
// back, came to be known after a whole list of its side had ended: then nobody has asked
// for it yet, and no list of the other side need be read to know.
func (r *Run) IsNew(ctx context.Context, from record.Side, since time.Time) (bool, error) {
	scans, err := r.store.Ended(ctx, r.Place(from), 8)
	if err != nil || since.IsZero() {
		return false, err
	}
	for _, s := range scans {
		if s.Certificate.Complete && s.Certificate.Ended.Before(since) && s.Scan.Spec.Mapping == r.Job.Mapping.Fingerprint(from) {
			return true, nil
		}
	}
	return false, nil
}

// comparedTrait is the name under which it is kept when both sides were compared after the state was put back.
const ComparedTrait = "compared"

// NotePutBackOver keeps when that was, on sides where creates can't be taken back.
func (r *Run) NotePutBackOver(ctx context.Context) error {
	for _, side := range record.Sides {
		if !r.Once(side) {
			continue
		}
		if err := r.store.Witness(ctx, r.Lease, side, ComparedTrait, "", time.Now()); err != nil {
			return fmt.Errorf("note when both sides of %s were compared: %w", r.Job.Binding, err)
		}
	}
	return nil
}
