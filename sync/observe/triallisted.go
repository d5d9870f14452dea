package observe

import (
	"context"
	"time"

	"nightporter/sync/pull"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// glimpse is a sink for a list that also keeps how the list shows the records of trials, by their ids.
type glimpse struct {
	pull.Sink
	of    map[string]*run.ShownAs
	begun time.Time
}

// SeePage stores a page, and keeps what it shows of these records.
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

// EndScan ends the scan, and notes which of these records a complete list did not show.
func (g *glimpse) EndScan(ctx context.Context, l record.Lease, scan int64, c record.Certificate) (int, error) {
	n, err := g.Sink.EndScan(ctx, l, scan, c)
	for _, s := range g.of {
		if s.Fields == nil && c.Complete && err == nil {
			s.Absent, s.At = true, g.begun
		}
	}
	return n, err
}

// AwaitsList returns the trials of a side that end only when a list shows their record.
func (r *Room) AwaitsList(side record.Side) (out []*record.Trial) {
	for _, t := range r.Trials.All() {
		if t.Place.Side == side && len(t.Listed) > 0 && (!t.Over() || t.State == record.TrialBack) {
			out = append(out, t)
		}
	}
	return out
}

// glimpsed returns a sink that also keeps how a list shows the records of trials that wait for a list. waits is
// false, and the sink is the one that was given, if no trial waits.
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
