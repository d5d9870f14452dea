package run

import (
	"context"
	"time"

	"nightporter/sync/pull"
	"nightporter/sync/record"
)

// Showing stores what a list shows. For the rest of the run it also remembers which records the last
// list has shown, and not only which ones it left out.
type Showing struct {
	pull.Sink
	Ours func(stamp string) bool

	nums     map[int64]bool
	ids      map[string]bool
	resumed  bool
	complete bool
	Marked   bool // a record that was shown bore a mark of ours
}

// BeginScan forgets what the list before this one has shown.
func (s *Showing) BeginScan(ctx context.Context, l record.Lease, place record.Place, spec record.ScanSpec, now time.Time, maxAge time.Duration) (record.Scan, error) {
	scan, err := s.Sink.BeginScan(ctx, l, place, spec, now, maxAge)
	s.nums, s.ids, s.resumed, s.complete = map[int64]bool{}, map[string]bool{}, scan.Pages > 0, false
	return scan, err
}

// SeePage notes what a page shows.
func (s *Showing) SeePage(ctx context.Context, l record.Lease, place record.Place, p record.PageSeen) (int, error) {
	for _, num := range p.Present {
		s.nums[num] = true
	}
	for _, item := range p.Items {
		s.ids[item.Ref.ID] = true
		s.Marked = s.Marked || s.Ours(item.Observation.Stamp)
	}
	return s.Sink.SeePage(ctx, l, place, p)
}

// EndScan notes whether the list was whole.
func (s *Showing) EndScan(ctx context.Context, l record.Lease, scan int64, c record.Certificate) (int, error) {
	s.complete = c.Complete
	return s.Sink.EndScan(ctx, l, scan, c)
}

// Whole reports whether this run has read the last list from its beginning to its end, and the list was complete.
func (s *Showing) Whole() bool { return s != nil && s.complete && !s.resumed }

// Has reports whether the last list has shown a record.
func (s *Showing) Has(e record.Entry) bool { return s != nil && (s.nums[e.Num] || s.ids[e.Ref.ID]) }
