package engine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/sync/mapping"
	"nightporter/sync/plan/trial"
	"nightporter/sync/pull"
	"nightporter/sync/record"
)

// Lists may show what a read by id hides. What an update does there, and what putting back does, only
// the next list tells: a trial of a record that has such a path is over once a list shows it again.

// sentWhole is what reads showed of the record of an update besides what it writes, where records are sent
// whole.
func (r *run) sentWhole(ctx context.Context, in record.Intent) (record.Beside, error) {
	s := r.side(in.Place.Side)
	if _, whole := s.Conn.(connectors.Whole); !whole || s.Can.WholeKey != "" {
		return record.Beside{}, nil
	}
	return r.knownBeside(ctx, in)
}

// knownBeside is what reads showed of the record of an update besides what it writes: what is mapped and
// is there. What was only sent, or comes later by itself, no read showed.
func (r *run) knownBeside(ctx context.Context, in record.Intent) (record.Beside, error) {
	side := in.Place.Side
	e, ok, err := r.Store.Entry(ctx, in.Place, in.Change.Ref)
	if err != nil || !ok {
		return record.Beside{}, err
	}
	var sent []string
	if len(e.Sent) > 0 {
		if sent, err = r.Store.SentOnly(ctx, e.Num); err != nil {
			return record.Beside{}, err
		}
	}
	known := record.Fields{}
	for _, p := range r.job.Mapping.Paths(side) {
		v := e.Base[p].Value()
		if e.Seen != nil && e.Seen.Fields[p].Observed() {
			v = e.Seen.Fields[p]
		}
		empty := v.Empty() || e.Base[p].Digested() && e.Base[p].Same(r.job.Seal, record.Nothing())
		late := r.side(side).Can.ComesLater(p) || e.Unfinished != nil && slices.Contains(e.Unfinished.Lacks, p)
		if r.trials.read[side][p] { // what reads by id show of others they hide of none
			continue
		}
		if v.Observed() && !empty && !late && !slices.Contains(sent, p) && !strings.Contains(v.Encode(), mapping.CardMark) {
			known[p] = v
		}
	}
	known = trial.Unread(known, nil, in.Change.Fields.Names(), r.fixed(side))
	out := record.Beside{Fields: known}
	still, err := r.versionStands(ctx, side)
	if v := e.LastVersion(); !still && e.Vouches(v, known.Names()) {
		out.Version = v
	}
	return out, err
}

// listedAlone is what is known of the record of a trial, and that its reads by id hide.
func (r *run) listedAlone(ctx context.Context, t *record.Trial, whole record.Fields) (record.Fields, error) {
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
	get, ok := r.side(side).Conn.(connectors.Getter)
	if len(hidden) == 0 || !ok {
		return record.Fields{}, nil
	}
	rec, err := r.get(ctx, side, get, t.Ref) // with what stands at addresses of its own
	r.count(side.String()+".reads", 1)
	if err != nil {
		return nil, err
	}
	return trial.Unread(hidden, []record.Fields{rec.Fields}, t.Sent, r.fixed(side)), nil
}

// shownAs is what a list of this run showed of the record of a trial; absent says that it was read
// whole and did not show it.
type shownAs struct {
	fields record.Fields
	at     time.Time
	absent bool
}

// glimpse is a store of what a list shows that also keeps how it shows the records of trials.
type glimpse struct {
	pull.Sink
	of    map[string]*shownAs
	begun time.Time
}

// SeePage keeps what a page shows of them.
func (g *glimpse) SeePage(ctx context.Context, l record.Lease, place record.Place, p record.PageSeen) (int, error) {
	n, err := g.Sink.SeePage(ctx, l, place, p)
	for _, item := range p.Items {
		if item.Problem != "" || item.Away || err != nil {
			continue
		}
		if s, is := g.of[item.Ref.ID]; is {
			s.fields, s.at = item.Observation.Fields, item.Observation.At
		}
	}
	return n, err
}

// EndScan notes those that a whole list did not show.
func (g *glimpse) EndScan(ctx context.Context, l record.Lease, scan int64, c record.Certificate) (int, error) {
	n, err := g.Sink.EndScan(ctx, l, scan, c)
	for _, s := range g.of {
		if s.fields == nil && c.Complete && err == nil {
			s.absent, s.at = true, g.begun
		}
	}
	return n, err
}

// awaitsList is the trials of a side that are over once a list shows their record.
func (r *run) awaitsList(side record.Side) (out []*record.Trial) {
	for _, t := range r.trials.all() {
		if t.Place.Side == side && len(t.Listed) > 0 && (!t.Over() || t.State == record.TrialBack) {
			out = append(out, t)
		}
	}
	return out
}

// glimpsed is a sink that keeps what a list shows of the records of trials that wait for it.
func (r *run) glimpsed(side record.Side, sink pull.Sink) (out pull.Sink, waits bool) {
	g := &glimpse{Sink: sink, of: map[string]*shownAs{}, begun: time.Now()}
	for _, t := range r.awaitsList(side) {
		s := &shownAs{}
		g.of[t.Ref.ID], r.trials.shown[t] = s, s
	}
	if len(g.of) == 0 {
		return sink, false
	}
	return g, true
}

// shownSince is what a list of this run showed, since a trial, where reads by id show nothing: none where
// no list showed the record since, or one that may lag. Of a record that a whole list lacks, and of what a list
// leaves out, nobody knows: it counts as it was.
func (r *run) shownSince(ctx context.Context, t *record.Trial) (shown record.Fields, known bool, err error) {
	s := r.trials.shown[t]
	if s == nil || s.fields == nil && !s.absent {
		return nil, false, nil
	}
	e, _, err := r.Store.Entry(ctx, t.Place, t.Ref)
	if err != nil {
		return nil, false, err
	}
	settle := r.side(t.Place.Side).Settle
	for _, since := range []time.Time{t.At.Add(settle), t.Ended.Add(settle), e.SettleUntil} {
		if !s.at.After(since) {
			return nil, false, nil
		}
	}
	out := record.Fields{}
	for _, p := range t.Listed {
		if out[p] = t.Original[p]; s.fields[p].Observed() {
			out[p] = s.fields[p]
		}
	}
	return out, true, nil
}

// only is some of the fields of a record.
func only(f record.Fields, paths []string) record.Fields {
	f = maps.Clone(f)
	maps.DeleteFunc(f, func(p string, _ record.Value) bool { return !slices.Contains(paths, p) })
	return f
}

// leavingOut is a record without some of its fields.
func leavingOut(f record.Fields, paths []string) record.Fields {
	f = maps.Clone(f)
	maps.DeleteFunc(f, func(p string, _ record.Value) bool { return slices.Contains(paths, p) })
	return f
}

// endListed ends the trials of which the lists of this run showed what reads by id hide.
func (r *run) endListed(ctx context.Context) error {
	for _, side := range record.Sides {
		for _, t := range r.awaitsList(side) {
			if r.waitsAside(t) {
				continue
			}
			if _, known, err := r.shownSince(ctx, t); err != nil || !known || r.opt.Dry {
				if err != nil {
					return err
				}
				continue
			}
			if open, err := r.underWay(ctx, t); err != nil {
				return err
			} else if open {
				continue
			}
			end := func() error { return r.judgeTrial(ctx, t, t.Original, false) }
			if t.State == record.TrialBack {
				end = func() error { return r.seeSettled(ctx, t) }
			}
			if err := end(); err != nil {
				return err
			}
		}
	}
	return nil
}
