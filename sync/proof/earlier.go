package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// ReadEarlier reads by id each linked record of a side that a new record of that side may be, entered anew. It does
// so if no whole list of this run told what is there. A record that turns out to be missing is then among the
// bereft links. The text says why nothing is created now: one of these records can't be read. It is "" otherwise.
func (r *Room) ReadEarlier(ctx context.Context, d *run.Draft, side record.Side, s run.Stranger) (string, error) {
	if d.Facts.Links == 0 || r.trust.Scanned[side] || r.Side(side).Can.Immutable || r.Side(side.Other()).Gone.Policy == away.GoneIgnore || !r.CanRead(side) {
		return "", nil
	}
	for _, k := range s.Keys {
		if !r.Refers(k.Name) {
			continue
		}
		es, err := r.earlier(ctx, side, s, k)
		if err != nil {
			return "", err
		}
		for _, e := range es {
			if why, err := r.lookFor(ctx, d, side, e); err != nil || why != "" {
				return why, err
			}
		}
	}
	return "", nil
}

// earlier returns the linked records of a side that share a key with a new record, as far as they are known, and
// that no read or list has missed yet.
func (r *Room) earlier(ctx context.Context, side record.Side, s run.Stranger, k record.Key) ([]record.Entry, error) {
	names := slices.DeleteFunc(strings.Split(k.Name, "+"), func(f string) bool { return !r.Refs[f] })
	es, err := r.store.Naming(ctx, r.Place(side), plan.RefPath(names[0]), s.Now[names[0]])
	if err != nil {
		return nil, err
	}
	var out []record.Entry
	for _, e := range es {
		if e.State.Doubted() {
			continue
		}
		same, err := r.hasKey(ctx, side, e, s, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Ref, err)
		}
		if same {
			out = append(out, e)
		}
	}
	return out, nil
}

// hasKey reports whether a linked record has the key of a new record. Both name the same. If only digests of the
// linked record are kept, it has the key if its values are spelt in the same way.
func (r *Room) hasKey(ctx context.Context, side record.Side, e record.Entry, s run.Stranger, k record.Key) (bool, error) {
	if r.observe.Hides(side, e) {
		for f := range strings.SplitSeq(k.Name, "+") {
			for _, p := range r.Job.Mapping.Inputs(side, f) {
				if kept := e.Base[p]; kept.Known() && !kept.Same(r.Job.Seal, s.Native[p]) {
					return false, nil
				}
			}
		}
		return true, nil
	}
	was, err := r.refer.SideOf(ctx, side, e)
	if err != nil {
		return false, err
	}
	return slices.Contains(r.Job.Mapping.Keys(side, was.Native, run.ResolvedOnly(was.Now)), k), nil
}

// lookFor reads a linked record by its id, once a run. It says why nobody knows whether the record is there, "" if
// that is known.
func (r *Room) lookFor(ctx context.Context, d *run.Draft, side record.Side, e record.Entry) (string, error) {
	if r.Looked[e.Num] {
		return "", nil
	}
	unread := r.observe.ReadEntry(ctx, side, e)
	if stop := r.observe.PassOver(side, unread, new(int)); stop != nil {
		return "", fmt.Errorf("look whether %s is still there: %w", e.Ref, stop)
	}
	fresh, _, err := r.store.Entry(ctx, r.Place(side), e.Ref)
	if err != nil {
		return "", err
	}
	if known := unread == nil && fresh.State != record.Quarantined; known {
		r.Looked[e.Num], d.Bereft[side] = true, nil
		return "", nil
	}
	return fmt.Sprintf("it may be %s, entered anew: whether that is still there can't be read now", e.Ref), nil
}
