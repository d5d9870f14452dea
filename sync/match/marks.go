package match

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// A record that we made carries our mark, which names its entity. So a mark on a record without a link tells
// something. If the state was lost, it tells which records belong together. If the state knows the mark, there is a
// second record for the same entity.

// EntityOfMark returns the entity that a mark of this installation names, "" for any other text.
func (r *Room) EntityOfMark(mark string) string {
	entity, ours := strings.CutPrefix(mark, "np:"+r.Install+":")
	if !ours {
		return ""
	}
	return entity
}

func markOf(e record.Entry) string {
	if e.Seen == nil {
		return ""
	}
	return e.Seen.Stamp
}

// OurMark names our mark in sentences about a record of which nothing else is known.
const OurMark = "a mark of ours"

// Orphan reports whether a record carries our mark although this state knows of nothing that gave it the mark.
func (r *Room) Orphan(ctx context.Context, side record.Side, c run.Candidate) (bool, error) {
	if c.State == record.Held && (c.Cause == run.UnknownMark || c.Cause == run.Orphans) {
		return true, nil // that was found out before, and the record waits for a person
	}
	if _, known, err := r.store.ByEntity(ctx, r.Job.Binding, r.EntityOfMark(c.Mark)); err != nil || known {
		return false, err
	}
	// Another job of this system may have made it: what stands for a guest here stands for
	// a customer there.
	elsewhere, ok, err := r.store.EntityOf(ctx, r.Side(side).System, c.Ref)
	if err != nil || ok && elsewhere == r.EntityOfMark(c.Mark) {
		return false, err
	}
	_, ok, err = r.store.Stamped(ctx, r.Place(side), c.Mark)
	return !ok, err
}

// together is how long after an orphan a record across may be first seen and still count as one of the same time:
// both were in the first lists of a new state.
const together = time.Hour

// MayBeOrphans says why a record is not created on a side that has orphans: one of the orphans may have been made
// from it. It returns "" if the record came long after the last orphan.
func (r *Room) MayBeOrphans(to record.Side, s run.Stranger) string {
	last := r.Orphaned[to]
	if last.IsZero() || s.Brief.Since.After(last.Add(together)) {
		return ""
	}
	return fmt.Sprintf("%s has records that carry %s, and nothing is known of what they were made from: it may be one of them; say which, or that it is new",
		r.Side(to).System, OurMark)
}

// Duplicate says that a record is there a second time, and alerts a person once.
func (r *Room) Duplicate(ctx context.Context, side record.Side, c run.Candidate, first record.Ref) (string, error) {
	const kind = "duplicate"
	why := fmt.Sprintf("%s has it twice: it was made for the same as %s, which is linked", r.Side(side).System, first)
	told, err := r.store.Alerted(ctx, r.Job.Binding, c.Num, kind)
	if err != nil || told || r.Options.Dry {
		return why, err
	}
	r.Count("duplicates", 1)
	return why, r.Alert(ctx, c.Num, kind, fmt.Sprintf("%s: %s; merge or delete one of the two there", c.Ref, why))
}
