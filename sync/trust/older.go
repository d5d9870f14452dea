package trust

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// lately is what a run knows of a side without having compared it whole.
type lately struct {
	written []record.Landed // our last writes, the newest first
	newest  []newest        // the records that were changed last
}

// ShowsOlder reports whether a record of a link is older than it was seen before: its side may have been put back to
// an older copy. One record alone proves nothing, so the link is left as it is until a run has looked at the lists.
// If a read by id made the record older and may lag behind, the link waits until that read is made once more.
func (r *Room) ShowsOlder(ctx context.Context, p record.Pair) (bool, error) {
	for _, side := range record.Sides {
		if r.Examined && !r.Single() && !mayLagBehind(p.Sides[side]) {
			continue
		}
		older, err := r.isOlder(ctx, side, p.Sides[side])
		if err != nil {
			return false, fmt.Errorf("look whether %s was put back: %w", r.Side(side).System, err)
		}
		if older {
			r.Count("postponed", 1)
			r.Note(side, p.Sides[side].Ref, record.Waiting,
				"it is older than it was seen to be: nothing is written because of it before a run has read all lists")
			return true, nil
		}
	}
	return false, nil
}

func (r *Room) isOlder(ctx context.Context, side record.Side, e record.Entry) (bool, error) {
	if _, said := r.AnsweredBack(side); said || e.Seen == nil {
		return false, nil
	}
	known, err := r.knownLately(ctx, side)
	if err != nil {
		return false, err
	}
	// An edit may take back what we wrote. In a run of all records that edit waits only until the lists
	// were looked at. In a run of its own it would wait for hours, and is no sign there.
	return known.saysOlder(e, r.Now.Add(-r.Side(side).Settle), !r.Examined && !r.Single()), nil
}

// mayLagBehind reports whether a record is known by a read by id that is to be made once more. Such a
// read may be older than what the lists showed.
func mayLagBehind(e record.Entry) bool {
	return e.Seen != nil && e.Seen.View == "get" && !e.Recheck.IsZero()
}

// tellsNoAge reports whether what is known of a record says nothing about the age of its side:
// the last list does not show it, or a read by id may lag behind.
func tellsNoAge(e record.Entry) bool {
	return run.Absent(e.State) || mayLagBehind(e)
}

// ReadOnceMore returns when a record is to be read by its id once more. If the last read made the
// record older than it was, the read may lag behind, and it is repeated after the settle time; the
// second read is believed. In all other cases the time that was noted before stays.
func (r *Room) ReadOnceMore(ctx context.Context, side record.Side, was, now record.Entry) (time.Time, error) {
	older, err := r.isOlder(ctx, side, now)
	if err != nil || !older {
		return now.Recheck, err
	}
	if before, err := r.isOlder(ctx, side, was); err != nil || before {
		return now.Recheck, err
	}
	if again := now.Seen.At.Add(r.Side(side).Settle); now.Recheck.Before(again) {
		return again, nil
	}
	return now.Recheck, nil
}

// saysOlder reports whether a record shows something older than what is known of it. Our last write to
// it counts if it was answered before settled, because reads must show it by now. takenBack says
// whether the record also counts as older if it only holds again what that write replaced.
func (k *lately) saysOlder(e record.Entry, settled time.Time, takenBack bool) bool {
	switch {
	case regressed(e.BaseVersion, e.Seen.Version):
		return true
	case regressed(e.Seen.Version, e.BaseVersion): // it was changed since
		return false
	}
	for _, n := range k.newest {
		if n.ID == e.Ref.ID && before(e.Seen.Changed, n.Changed) {
			return true
		}
	}
	i := slices.IndexFunc(k.written, func(l record.Landed) bool { return l.Ref == e.Ref })
	if i < 0 {
		return false
	}
	l := k.written[i]
	switch {
	case l.At.After(settled), before(l.Changed, e.Seen.Changed):
		return false
	case before(e.Seen.Changed, l.Changed):
		return true
	}
	return takenBack && l.Op != record.Create && undone(l, e.Seen.Fields)
}

// knownLately returns what is known of a side without comparing it whole. The state is asked once a run.
func (r *Room) knownLately(ctx context.Context, side record.Side) (*lately, error) {
	if r.lately[side] != nil {
		return r.lately[side], nil
	}
	var known lately
	var err error
	if known.written, err = r.store.Landed(ctx, r.Place(side), r.Now.Add(-recentFor), recentWrites); err != nil {
		return nil, err
	}
	if known.newest, err = r.newestKnown(ctx, side); err != nil {
		return nil, err
	}
	r.lately[side] = &known
	return &known, nil
}
