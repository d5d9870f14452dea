package engine

import (
	"slices"
	"time"

	"nightporter/sync/record"
)

// allUntaken reports whether no read has shown anything of what a change wrote.
func allUntaken(l record.Landed, e record.Entry) bool {
	return !slices.ContainsFunc(l.After.Names(), func(p string) bool {
		return !l.Before[p].Equal(l.After[p]) && !slices.Contains(e.Seen.Untaken, p)
	})
}

// mayStillShow reports whether a side's answer to an update showed what stood there before it,
// and a read may yet show what was sent.
func mayStillShow(p record.Pair, now time.Time) bool {
	for _, e := range p.Sides {
		if e.Seen != nil && len(e.Seen.Untaken) > 0 && now.Before(e.SettleUntil) {
			return true
		}
	}
	return false
}
