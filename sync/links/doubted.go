package links

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Distrust takes out of the bases of a link what differs from them, if the state was put back to an older copy.
// Nobody knows who changed such a value since: even a value that a side seems to hold still may have been entered
// there again. Once both sides were read since then, all that is left of the bases counts again. The error is
// run.ErrUnread if only the copy tells of a record, and the record can't be read now.
func (r *Room) Distrust(ctx context.Context, p record.Pair) (record.Pair, error) {
	if !p.Doubted {
		return p, nil
	}
	compared, err := r.match.BothRead(ctx)
	if err != nil {
		return p, err
	}
	paths := r.unlikeBases(p)
	if !compared && len(paths[record.Left])+len(paths[record.Right]) > 0 {
		if p, err = r.readStale(ctx, p); err != nil {
			return p, err
		}
		paths = r.unlikeBases(p)
	}
	for _, side := range record.Sides {
		base := maps.Clone(p.Sides[side].Base)
		for _, path := range paths[side] {
			delete(base, path)
		}
		p.Sides[side].Base = base
	}
	over := compared && p.Sides[record.Left].State == record.InStep && p.Sides[record.Right].State == record.InStep
	if r.Options.Dry || !over && len(paths[record.Left])+len(paths[record.Right]) == 0 {
		return p, nil
	}
	p.Doubted = !over
	if err := r.store.Distrust(ctx, r.Lease, p.Link, paths, over); err != nil {
		return p, fmt.Errorf("decide link %d anew, since the state was put back: %w", p.Link, err)
	}
	return p, nil
}

// readStale reads the records of a link that nobody has seen since the state was put back. Both records may have
// been changed since. The older values that the copy has would be written over that.
func (r *Room) readStale(ctx context.Context, p record.Pair) (record.Pair, error) {
	var stale []record.Side
	for _, side := range record.Sides {
		seen := p.Sides[side].Seen
		if r.trust.Scanned[side] || seen != nil && !seen.At.Before(r.observe.Restored) {
			continue
		}
		switch whole, err := r.match.WholeSince(ctx, side); {
		case err != nil:
			return p, err
		case whole:
		case !r.CanRead(side):
			r.Note(side, p.Sides[side].Ref, record.Waiting,
				"the state was put back to an older copy: what it holds now is not known until its list has been read")
			return p, run.ErrUnread
		default:
			stale = append(stale, side)
		}
	}
	if len(stale) == 0 {
		return p, nil
	}
	if _, err := r.observe.ReadPair(ctx, p, stale); err != nil {
		return p, err
	}
	p, ok, err := r.store.Pair(ctx, p.Link)
	if err == nil && (!ok || slices.ContainsFunc(stale, func(side record.Side) bool { return p.Sides[side].State != record.InStep })) {
		err = run.ErrUnread // what became of the record is found out as for any other
	}
	return p, err
}

// unlikeBases returns unlikeBase of both sides.
func (r *Room) unlikeBases(p record.Pair) (paths [2][]string) {
	edited := r.editedOf(p)
	for _, side := range record.Sides {
		paths[side] = r.unlikeBase(side, p.Sides[side], edited)
	}
	return paths
}

// editedOf returns, for each side, the fields in which it shows something else than was settled.
func (r *Room) editedOf(p record.Pair) (edited [2]map[string]bool) {
	for _, side := range record.Sides {
		edited[side] = map[string]bool{}
		e := p.Sides[side]
		now := e.Last()
		for _, f := range r.Job.Mapping.Fields() {
			edited[side][f.Name] = slices.ContainsFunc(r.Job.Mapping.Inputs(side, f.Name), func(p string) bool {
				return now[p].Observed() && !r.AsSettled(e.Base[p], now[p])
			})
		}
	}
	return edited
}

// unlikeBase returns the paths of a side's base that belong to a field which is not as it was settled. A field may
// also have been edited across, while this side was only sent its value and never showed it. The paths of such a
// field are among them: as at a first meeting, it has to be read first.
func (r *Room) unlikeBase(side record.Side, e record.Entry, edited [2]map[string]bool) []string {
	var out []string
	for _, f := range r.Job.Mapping.Fields() {
		paths := r.Job.Mapping.Inputs(side, f.Name)
		sent := slices.ContainsFunc(paths, func(p string) bool { return slices.Contains(e.Sent, p) })
		if !edited[side][f.Name] && (!sent || !edited[side.Other()][f.Name]) {
			continue
		}
		if r.Refs[f.Name] {
			paths = append(slices.Clone(paths), plan.RefPath(f.Name))
		}
		for _, p := range paths {
			if e.Base[p].Known() && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// NamesOf returns the names of the records that a record waits for.
func NamesOf(on []record.Wait) (names []string) {
	for _, w := range on {
		names = append(names, w.Ref.String())
	}
	return names
}
