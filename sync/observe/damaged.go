package observe

import (
	"context"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// NoteDamaged reports whether a link can't be decided because what is kept of one of its records is damaged. It
// notes that as a finding, and puts the record aside. The link is not decided as at a first meeting: the record had
// a base.
func (r *Room) NoteDamaged(ctx context.Context, p record.Pair) (damaged bool, err error) {
	for _, side := range record.Sides {
		if e := p.Sides[side]; e.Damaged != "" && err == nil {
			r.NoteFinding(record.Finding{Place: record.Place{Side: side}, Name: record.FindDamaged, Op: record.Update, Link: p.Link, Ref: e.Ref, Text: e.Damaged})
			damaged, err = true, r.parkDamaged(ctx, side, e)
		}
	}
	return damaged, err
}

// NamesDamaged notes that a record is not written because it names another record, and what is kept of that other
// record is damaged. The finding stands until a backup is put back. For any other cause nothing is noted.
func (r *Room) NamesDamaged(why *run.UnnamedError, f record.Finding) {
	if why.Damaged != "" {
		f.Name, f.Text = record.FindDamaged, why.Error()
		r.NoteFinding(f)
	}
}

// CantTell reports whether nothing can be said about a record without a link because what is kept of it is damaged:
// any record across may be its partner. The record is put aside, and the next list shows it anew.
func (r *Room) CantTell(ctx context.Context, side record.Side, e record.Entry) (bool, error) {
	if e.Damaged == "" {
		return false, nil
	}
	r.Unknowable[side] = true
	return true, r.parkDamaged(ctx, side, e)
}

func (r *Room) parkDamaged(ctx context.Context, side record.Side, e record.Entry) error {
	r.Note(side, e.Ref, record.Quarantined, e.Damaged)
	if r.Options.Dry {
		return nil
	}
	return r.store.Damaged(ctx, r.Lease, e.Num)
}
