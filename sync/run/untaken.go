package run

import (
	"slices"

	"nightporter/sync/record"
)

// AllUntaken reports whether no read has shown any of the values that a change of ours wrote.
func AllUntaken(l record.Landed, e record.Entry) bool {
	return !slices.ContainsFunc(l.After.Names(), func(p string) bool {
		return !l.Before[p].Equal(l.After[p]) && !e.Seen.Untaken[p].Observed()
	})
}
