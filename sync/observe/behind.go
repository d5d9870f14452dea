package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// NotBehind checks a read by id against the list: some systems answer such a read from an older copy. If the read
// shows the settled value of a field, and the list has just shown another value, the read is not believed: its
// error is run.ErrBehind, and nothing of it is stored. Stored, it would take the edit away, and a list of changes
// would not show the edit again. An edit that its user took back looks the same: then the record waits until its
// system has settled. at is when the read was begun.
func (r *Room) NotBehind(ctx context.Context, side record.Side, ref record.Ref, now record.Fields, at time.Time) error {
	e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
	if err != nil {
		return fmt.Errorf("look what the list showed of %s: %w", ref, err)
	}
	if ok && e.Seen != nil && e.Seen.View == "list" && at.Sub(e.Seen.At) < r.Side(side).Settle && r.behind(side, e, now) {
		return run.ErrBehind
	}
	return nil
}

// SeeIfNew stores what a read by id showed. If the read is behind its list (run.ErrBehind), the record is only
// noted.
func (r *Room) SeeIfNew(ctx context.Context, side record.Side, rec record.Record, at time.Time) error {
	err := r.See(ctx, side, rec, at, "get")
	if errors.Is(err, run.ErrBehind) {
		r.NoteUnread(side, rec.Ref, err)
		return nil
	}
	return err
}

// behind reports whether a read shows the settled value of a field for which the list itself showed another value.
// Fields that the list hides don't count: what is known of them comes from an earlier read.
func (r *Room) behind(side record.Side, e record.Entry, now record.Fields) bool {
	return slices.ContainsFunc(r.Job.Mapping.Paths(side), func(p string) bool {
		if slices.Contains(e.Seen.Earlier, p) {
			return false
		}
		kept, seen := e.Base[p], e.Seen.Fields[p]
		return kept.Known() && seen.Observed() && now[p].Observed() && !kept.Same(r.Job.Seal, seen) && kept.Same(r.Job.Seal, now[p])
	})
}
