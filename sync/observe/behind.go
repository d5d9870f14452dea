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

// NotBehind is the rule for every read by id that was begun at a moment: it may be older than the
// list, for some systems answer it from a copy. One that shows a value as it was settled, where the
// list just showed another, is not believed and stored nowhere. It would take the edit away, and a
// list of what changed does not show it again. An edit that its user took back is no different: the
// record waits until its system has settled. Its error is errBehind.
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

// SeeIfNew stores what a read by id showed, and notes a record of which that is behind its list.
func (r *Room) SeeIfNew(ctx context.Context, side record.Side, rec record.Record, at time.Time) error {
	err := r.See(ctx, side, rec, at, "get")
	if errors.Is(err, run.ErrBehind) {
		r.NoteUnread(side, rec.Ref, err)
		return nil
	}
	return err
}

// behind reports whether a read shows a value as it was settled, of which the list itself showed
// another. What a list hides is known by an earlier read, and stands for nothing here.
func (r *Room) behind(side record.Side, e record.Entry, now record.Fields) bool {
	return slices.ContainsFunc(r.Job.Mapping.Paths(side), func(p string) bool {
		if slices.Contains(e.Seen.Earlier, p) {
			return false
		}
		kept, seen := e.Base[p], e.Seen.Fields[p]
		return kept.Known() && seen.Observed() && now[p].Observed() && !kept.Same(r.Job.Seal, seen) && kept.Same(r.Job.Seal, now[p])
	})
}
