package observe

import (
	"context"
	"time"

	"nightporter/sync/pull"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// glimpse is a store of what a list shows that also keeps how it shows the records of trials.
type glimpse struct {
	pull.Sink
	of    map[string]*run.ShownAs
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
			s.Fields, s.At = item.Observation.Fields, item.Observation.At
		}
	}
	return n, err
}

// EndScan notes those that a whole list did not show.
func (g *glimpse) EndScan(ctx context.Context, l record.Lease, scan int64, c record.Certificate) (int, error) {
	n, err := g.Sink.EndScan(ctx, l, scan, c)
	for _, s := range g.of {
		if s.Fields == nil && c.Complete && err == nil {
			s.Absent, s.At = true, g.begun
		}
	}
	return n, err
}

// AwaitsList is the trials of a side that are over once a list shows their record.
func (r *Room) AwaitsList(side record.Side) (out []*record.Trial) {
	for _, t := range r.Trials.All() {
		if t.Place.Side == side && len(t.Listed) > 0 && (!t.Over() || t.State == record.TrialBack) {
			out = append(out, t)
		}
	}
	return out
}

// glimpsed is a sink that keeps what a list shows of the records of trials that wait for it.
func (r *Room) glimpsed(side record.Side, sink pull.Sink) (out pull.Sink, waits bool) {
	g := &glimpse{Sink: sink, of: map[string]*run.ShownAs{}, begun: time.Now()}
	for _, t := range r.AwaitsList(side) {
		s := &run.ShownAs{}
		g.of[t.Ref.ID], r.Trials.Shown[t] = s, s
	}
	if len(g.of) == 0 {
		return sink, false
	}
	return g, true
}
