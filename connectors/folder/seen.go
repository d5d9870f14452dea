package folder

import (
	"slices"
	"sync"
	"time"

	"nightporter/connectors/internal/dockit"
)

const (
	// coarsest is more than any file system rounds the time of a change by.
	coarsest = 2 * time.Second
	// seenFor is how long a file is believed to be as it was read, whatever is seen of it.
	seenFor = 24 * time.Hour
)

// imprint is what changes with a file, as far as can be seen without reading it.
type imprint struct {
	size, mtime, ctime, inode, device int64
}

// seen is what files held when they were read, by their paths. A file is not read again
// while nothing that is seen of it has changed.
//
// What was read counts only where an earlier look, longer ago than any rounding of times,
// had shown the same: a change that came after it was read then has another time, by
// whatever clock the disk goes.
type seen struct {
	mu sync.Mutex
	by map[string]sight
}

// sight is a file as it was read.
type sight struct {
	imprint
	first time.Time // when a look was over that showed it so
	read  time.Time // when it was begun to be read
	doc   dockit.Doc
	err   error
}

// of is what a file holds that looks like this now; false where it must be read.
func (s *seen) of(name string, p imprint, now time.Time) (dockit.Doc, error, bool) { //nolint:revive // the error is a value here, as it was found
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.by[name]
	if !ok || k.imprint != p || k.read.Sub(k.first) < coarsest || now.Before(k.read) || now.Sub(k.read) > seenFor {
		return dockit.Doc{}, nil, false
	}
	d := k.doc
	d.Tags = slices.Clone(d.Tags)
	return d, k.err, true
}

// keep notes what a file held that was begun to be read at a moment, and looked so until
// another one.
func (s *seen) keep(name string, p imprint, d dockit.Doc, err error, read, looked time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := looked
	if k, ok := s.by[name]; ok && k.imprint == p && !k.first.After(read) {
		first = k.first
	}
	if s.by == nil {
		s.by = map[string]sight{}
	}
	s.by[name] = sight{p, first, read, d, err}
}

// only forgets all files but these.
func (s *seen) only(names map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.by {
		if !names[name] {
			delete(s.by, name)
		}
	}
}
