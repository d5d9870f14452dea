package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// readEarlier reads by its id each linked record of a side that a new one of that side may
// be, entered anew, where no whole list of this run told what is there. What is found to be
// missing is among the bereft then. It says why nothing is made now where one can't be read.
func (r *run) readEarlier(ctx context.Context, d *draft, side record.Side, s stranger) (string, error) {
	if d.facts.Links == 0 || r.scanned[side] || r.side(side).Can.Immutable || r.side(side.Other()).Gone.Policy == away.GoneIgnore || !r.canRead(side) {
		return "", nil
	}
	for _, k := range s.keys {
		if !r.refers(k.Name) {
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

// earlier is the linked records of a side that have a key with a new one, as far as is known
// of them, and that no read or list has missed yet.
func (r *run) earlier(ctx context.Context, side record.Side, s stranger, k record.Key) ([]record.Entry, error) {
	names := slices.DeleteFunc(strings.Split(k.Name, "+"), func(f string) bool { return !r.refs[f] })
	es, err := r.Store.Naming(ctx, r.place(side), plan.RefPath(names[0]), s.Now[names[0]])
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

// hasKey reports whether a linked record that names the same as a new one has its key. Where
// only digests are kept it has if it is spelt in the same way.
func (r *run) hasKey(ctx context.Context, side record.Side, e record.Entry, s stranger, k record.Key) (bool, error) {
	if r.hides(side, e) {
		for f := range strings.SplitSeq(k.Name, "+") {
			for _, p := range r.job.Mapping.Inputs(side, f) {
				if kept := e.Base[p]; kept.Known() && !kept.Same(r.job.Seal, s.Native[p]) {
					return false, nil
				}
			}
		}
		return true, nil
	}
	was, err := r.sideOf(ctx, side, e)
	if err != nil {
		return false, err
	}
	return slices.Contains(r.job.Mapping.Keys(side, was.Native, resolvedOnly(was.Now)), k), nil
}

// lookFor reads a linked record by its id, once a run, and says why nobody knows whether it
// is there, "" if it is known.
func (r *run) lookFor(ctx context.Context, d *draft, side record.Side, e record.Entry) (string, error) {
	if r.looked[e.Num] {
		return "", nil
	}
	unread := r.readEntry(ctx, side, e)
	if stop := r.passOver(side, unread, new(int)); stop != nil {
		return "", fmt.Errorf("look whether %s is still there: %w", e.Ref, stop)
	}
	fresh, _, err := r.Store.Entry(ctx, r.place(side), e.Ref)
	if err != nil {
		return "", err
	}
	if known := unread == nil && fresh.State != record.Quarantined; known {
		r.looked[e.Num], d.bereft[side] = true, nil
		return "", nil
	}
	return fmt.Sprintf("it may be %s, entered anew: whether that is still there can't be read now", e.Ref), nil
}
