package match

import (
	"nightporter/sync/record"
)

// PromisedElse reports whether this run has promised an entry to another link, which may go on with it. A run may
// decide the same link more than once, so a promise to that link itself is no obstacle.
func (r *Room) PromisedElse(num int64, link record.LinkID) bool {
	to, is := r.Promised[num]
	return is && to != link
}
