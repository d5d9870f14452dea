package links

import (
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Changed reports whether a side of a link shows an edit: something that can be read
// and is not what it was settled on. A value that can't be read counts as not shown;
// its link stays marked until it is mended. What was never settled, because it was not
// mapped or not shown before, is no edit of anybody.
func (r *Room) Changed(side record.Side, s plan.Side) bool {
	if !s.Seen {
		return false
	}
	unread := map[string]bool{}
	for f := range r.Book.Remapped { // what another configuration reads is nobody's edit
		for _, p := range r.Job.Mapping.Inputs(side, f) {
			unread[p] = true
		}
	}
	for f, was := range s.Settled {
		if r.Book.Remapped[f] {
			continue
		}
		now := s.Now[f]
		if now.Observed() && !was.Same(s.Key, now) {
			return true
		}
		if !now.Observed() && was.Known() {
			for _, p := range r.Job.Mapping.Inputs(side, f) {
				unread[p] = true
			}
		}
	}
	for p, v := range s.Native {
		if was, known := s.Base[p]; known && !unread[p] && !v.Equal(was) {
			return true
		}
	}
	return false
}
