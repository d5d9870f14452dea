package match

import (
	"nightporter/sync/record"
)

// PromisedElse reports whether another link may go on with a record. A run may decide the same link more than
// once, and what it promised to that link itself is no obstacle then.
func (r *Room) PromisedElse(num int64, link record.LinkID) bool {
	to, is := r.Promised[num]
	return is && to != link
}
