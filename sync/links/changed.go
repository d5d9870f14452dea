package links

import (
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Changed reports whether a side of a link shows an edit: a value that can be read and is not the one that was
// settled. A value that can't be read counts as not shown; its link stays marked until the value is mended. A
// value that was never settled, because it was not mapped or not shown before, is nobody's edit.
func (r *Room) Changed(side record.Side, s plan.Side) bool {
	if !s.Seen {
		return false
	}
	unread := map[string]bool{}
	for f := range r.Book.Remapped { // what only a changed configuration reads is nobody's edit
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
