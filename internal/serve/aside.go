package serve

import (
	"slices"
	"sync"
	"time"

	"nightporter/sync/record"
)

// A record that can't be read is tried again after firstRest, twice as long each
// time, and at least every longestRest.
const (
	firstRest   = 5 * time.Second
	longestRest = time.Minute
	forgotten   = time.Hour // how often it was tried, if nothing is heard of it
)

// named is one record somewhere.
type named struct {
	place record.Place
	ref   record.Ref
}

// rest is how often a record could not be read, and when it is tried again.
type rest struct {
	tries int
	until time.Time
	told  bool // its job was asked to try again
}

// aside is the hinted records that could not be read though their system answers:
// they keep the others from nothing. Hints at them stay in the store.
type aside struct {
	mu sync.Mutex
	by map[named]*rest
}

func (a *aside) put(p record.Place, ref record.Ref, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by == nil {
		a.by = map[named]*rest{}
	}
	r := a.by[named{p, ref}]
	if r == nil {
		r = &rest{}
		a.by[named{p, ref}] = r
	}
	r.until, r.told = now.Add(min(firstRest<<min(r.tries, 10), longestRest)), false
	r.tries++
}

// rests reports whether a record is left alone for now.
func (a *aside) rests(p record.Place, ref record.Ref, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.by[named{p, ref}]
	return r != nil && now.Before(r.until) && r.until.Sub(now) <= longestRest // or else the clock was set back
}

func (a *aside) forget(p record.Place, ref record.Ref) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.by, named{p, ref})
}

// due is the jobs of which a record is to be tried again, each given once.
func (a *aside) due(now time.Time) []record.Binding {
	a.mu.Lock()
	defer a.mu.Unlock()
	var due []record.Binding
	for n, r := range a.by {
		switch {
		case r.told && now.Sub(r.until) > forgotten: // no hint at it is left, or its job is gone
			delete(a.by, n)
		case !r.told && !now.Before(r.until):
			r.told = true
			if !slices.Contains(due, n.place.Binding) {
				due = append(due, n.place.Binding)
			}
		}
	}
	return due
}
