package run

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nightporter/sync/record"
)

// Once reports whether creates on a side can't be taken back, as where they reach a person.
func (r *Run) Once(side record.Side) bool { return len(r.Side(side).Can.Once) > 0 }

// MarkOf returns the mark that our records of an entity carry.
func (r *Run) MarkOf(entity string) string { return "np:" + r.Install + ":" + entity }

// Ours reports whether a mark is one of this installation.
func (r *Run) Ours(stamp string) bool { return strings.HasPrefix(stamp, "np:"+r.Install+":") }

// IsNew reports whether a record was first seen after a whole list of its own side had ended. It is
// asked before a create that can't be taken back. Such a record is new, so that nobody can have sent it
// across yet, and no list of the other side is needed to know that.
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

// ComparedTrait is the name of the trait that keeps when both sides were compared after the state was put back.
const ComparedTrait = "compared"

// NotePutBackOver keeps that both sides have been compared by now since the state was put back. It does
// so for each side on which creates can't be taken back.
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
