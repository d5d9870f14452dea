package serve

import (
	"context"
	"slices"
	"sync"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// How often somebody whom nobody has seen is looked for: firstLook after the first
// time, four times as long each time, at least every longestLook. A list is read for
// them no more than once in listEvery, and where there are more than singly of them it
// is read instead of asking for each.
const (
	firstLook   = 5 * time.Second
	longestLook = 10 * time.Minute
	listEvery   = time.Minute
	singly      = 20
)

// whom is a record that is known by a key alone.
type whom struct {
	place record.Place
	key   record.Key
}

// search is what is known of a search for one.
type search struct {
	waiting []named // the records that wait for it
	tries   int
	next    time.Time
	told    bool // its job was asked to look
}

// seek is the searches under way. They are not kept: a record that waits for somebody
// unknown is looked at again with the next list of its side, after a restart too.
type seek struct {
	mu    sync.Mutex
	by    map[whom]*search
	lists map[record.Place]time.Time // when a list was last asked for
}

// begin notes whom a record waits for.
func (s *seek) begin(found []engine.Sought, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by, s.lists = map[whom]*search{}, map[record.Place]time.Time{}
	}
	for _, f := range found {
		w, n := whom{f.Place, f.Key}, named{f.Waiting, f.Ref}
		x := s.by[w]
		if x == nil {
			x = &search{next: now}
			s.by[w] = x
		}
		if !slices.Contains(x.waiting, n) {
			x.waiting = append(x.waiting, n)
		}
	}
}

// calls is the jobs that are to look for somebody, each given once.
func (s *seek) calls(now time.Time) []record.Binding {
	s.mu.Lock()
	defer s.mu.Unlock()
	var due []record.Binding
	for w, x := range s.by {
		if x.told || now.Before(x.next) {
			continue
		}
		x.told = true
		if !slices.Contains(due, w.place.Binding) {
			due = append(due, w.place.Binding)
		}
	}
	return due
}

// waits reads single records of the state file.
type waits interface {
	Entry(ctx context.Context, p record.Place, ref record.Ref) (record.Entry, bool, error)
	Matching(ctx context.Context, p record.Place, keys []record.Key) ([]record.Entry, error)
}

// due is whom a job is to look for now. Who is looked for in vain is looked for again
// after a while, as long as the record that waits still does.
func (s *seek) due(ctx context.Context, kept waits, b record.Binding, now time.Time) []engine.Kick {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kicks []engine.Kick
	for w, x := range s.by {
		if w.place.Binding != b || now.Before(x.next) {
			continue
		}
		if len(kicks) >= singly { // their turn is the next run's, which is to be called for
			x.told = false
			continue
		}
		x.waiting = slices.DeleteFunc(x.waiting, func(n named) bool {
			e, ok, err := kept.Entry(ctx, n.place, n.ref)
			return err == nil && (!ok || e.Link != 0 || e.State != record.Waiting)
		})
		if len(x.waiting) == 0 {
			delete(s.by, w)
			continue
		}
		x.next, x.told = now.Add(min(firstLook<<(2*min(x.tries, 10)), longestLook)), false
		x.tries++
		kicks = append(kicks, engine.Kick{Side: w.place.Side, Key: w.key})
	}
	return kicks
}

// unfound says that a place can't be asked for these. It gives the places whose list
// is to be read now; the others' turn comes when they are asked for again.
func (s *seek) unfound(b record.Binding, kicks []engine.Kick, now time.Time) []record.Place {
	s.mu.Lock()
	defer s.mu.Unlock()
	var read []record.Place
	for _, k := range kicks {
		p := record.Place{Binding: b, Side: k.Side}
		if last, ok := s.lists[p]; !ok || now.Sub(last) >= listEvery || now.Before(last) {
			s.lists[p] = now
			read = append(read, p)
		}
		if x := s.by[whom{p, k.Key}]; x != nil {
			if again := s.lists[p].Add(listEvery); x.next.Before(again) {
				x.next = again
			}
		}
	}
	return read
}

// found ends the searches of a job for those who are known now, and gives the records
// that waited for them.
func (s *seek) found(ctx context.Context, kept waits, b record.Binding) ([]named, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var free []named
	for w, x := range s.by {
		if w.place.Binding != b {
			continue
		}
		for _, side := range record.Sides {
			es, err := kept.Matching(ctx, record.Place{Binding: b, Side: side}, []record.Key{w.key})
			if err != nil {
				return free, err
			}
			if len(es) > 0 {
				free = append(free, x.waiting...)
				delete(s.by, w)
				break
			}
		}
	}
	return free, nil
}
