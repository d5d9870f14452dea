package trials

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/plan/trial"
	"nightporter/sync/record"
)

// Lists may show what a read by id hides. Only the next list tells what an update did there, and whether it was
// put back. So a trial of a record that has such a path is over only once a list shows the record again.

// SentWhole returns what reads showed of the record of an update besides what the update writes. It returns
// nothing for a side that does not send its records whole.
func (r *Room) SentWhole(ctx context.Context, in record.Intent) (record.Beside, error) {
	s := r.Side(in.Place.Side)
	if _, whole := s.Conn.(connectors.Whole); !whole || s.Can.WholeKey != "" {
		return record.Beside{}, nil
	}
	return r.knownBeside(ctx, in)
}

// knownBeside returns what reads showed of the record of an update besides what the update writes: the mapped
// values that are there. It leaves out what was only sent, and what comes later by itself, for no read showed
// that. It also returns the version that vouches for these values, if there is one.
func (r *Room) knownBeside(ctx context.Context, in record.Intent) (record.Beside, error) {
	side := in.Place.Side
	e, ok, err := r.store.Entry(ctx, in.Place, in.Change.Ref)
	if err != nil || !ok {
		return record.Beside{}, err
	}
	var sent []string
	if len(e.Sent) > 0 {
		if sent, err = r.store.SentOnly(ctx, e.Num); err != nil {
			return record.Beside{}, err
		}
	}
	known := record.Fields{}
	for _, p := range r.Job.Mapping.Paths(side) {
		if v := r.shownBeside(side, e, p); v.Observed() && !slices.Contains(sent, p) {
			known[p] = v
		}
	}
	known = trial.Unread(known, nil, in.Change.Fields.Names(), r.fixed(side))
	out := record.Beside{Fields: known}
	still, err := r.VersionStands(ctx, side)
	if v := e.LastVersion(); !still && e.Vouches(v, known.Names()) {
		out.Version = v
	}
	return out, err
}

// shownBeside returns what a read showed of a path. It returns a value that is not observed if the path is empty,
// comes later by itself, or holds a blanked payment card. It does the same if a read by id of this run showed the
// path in some record: then reads by id don't hide that path.
func (r *Room) shownBeside(side record.Side, e record.Entry, p string) record.Value {
	v := e.Base[p].Value()
	if e.Seen != nil && e.Seen.Fields[p].Observed() {
		v = e.Seen.Fields[p]
	}
	empty := v.Empty() || e.Base[p].Digested() && e.Base[p].Same(r.Job.Seal, record.Nothing())
	late := r.Side(side).Can.ComesLater(p) || e.Unfinished != nil && slices.Contains(e.Unfinished.Lacks, p)
	if r.Trials.Read[side][p] || empty || late || strings.Contains(v.Encode(), mapping.CardMark) {
		return record.Value{}
	}
	return v
}

// listedAlone returns what is known of the record of a trial from lists alone: its reads by id hide it.
func (r *Room) listedAlone(ctx context.Context, t *record.Trial, whole record.Fields) (record.Fields, error) {
	in := record.Intent{Place: t.Place, Change: record.Change{Ref: t.Ref, Fields: record.Fields{}}}
	for _, p := range t.Sent {
		in.Change.Fields[p] = record.Nothing()
	}
	known, err := r.knownBeside(ctx, in)
	if err != nil {
		return nil, err
	}
	side := t.Place.Side
	hidden := trial.Unread(known.Fields, []record.Fields{whole}, t.Sent, r.fixed(side))
	get, ok := r.Side(side).Conn.(connectors.Getter)
	if len(hidden) == 0 || !ok {
		return record.Fields{}, nil
	}
	rec, err := r.Get(ctx, side, get, t.Ref) // this read also shows what stands at addresses of its own
	r.Count(side.String()+".reads", 1)
	if err != nil {
		return nil, err
	}
	return trial.Unread(hidden, []record.Fields{rec.Fields}, t.Sent, r.fixed(side)), nil
}

// shownSince returns what a list of this run has shown, since a trial, at the paths that reads by id hide. known
// is false if no list has shown the record since, or only one that may lag. If a whole list lacks the record, or
// leaves a path out, nobody knows what stands there: it counts as it was before the trial.
func (r *Room) shownSince(ctx context.Context, t *record.Trial) (shown record.Fields, known bool, err error) {
	s := r.Trials.Shown[t]
	if s == nil || s.Fields == nil && !s.Absent {
		return nil, false, nil
	}
	e, _, err := r.store.Entry(ctx, t.Place, t.Ref)
	if err != nil {
		return nil, false, err
	}
	settle := r.Side(t.Place.Side).Settle
	for _, since := range []time.Time{t.At.Add(settle), t.Ended.Add(settle), e.SettleUntil} {
		if !s.At.After(since) {
			return nil, false, nil
		}
	}
	out := record.Fields{}
	for _, p := range t.Listed {
		if out[p] = t.Original[p]; s.Fields[p].Observed() {
			out[p] = s.Fields[p]
		}
	}
	return out, true, nil
}

// only returns the fields of a record at some paths.
func only(f record.Fields, paths []string) record.Fields {
	f = maps.Clone(f)
	maps.DeleteFunc(f, func(p string, _ record.Value) bool { return !slices.Contains(paths, p) })
	return f
}

// leavingOut returns a record without some of its paths.
func leavingOut(f record.Fields, paths []string) record.Fields {
	f = maps.Clone(f)
	maps.DeleteFunc(f, func(p string, _ record.Value) bool { return slices.Contains(paths, p) })
	return f
}
