package pull

import (
	"slices"

	"nightporter/sync/record"
)

// More reports whether a read by id may show what another read did not show: a path that other reads may hide, or a
// path that was named as coming later, which may have come by now.
func More(unshown []string, u *record.Unfinished, hides func(path string) bool) bool {
	return slices.ContainsFunc(unshown, func(path string) bool {
		return hides(path) || u != nil && slices.Contains(u.Lacks, path)
	})
}

// lacking returns u with only the mapped paths among those that the record lacks: nobody waits for the others. For
// a path that is not mapped itself, the mapped paths below or above it count. It is nil if no mapped path is
// lacking. A record that lacks no path still goes on itself: it is unfinished whatever is mapped.
func lacking(u *record.Unfinished, mapped []string) *record.Unfinished {
	if u == nil || len(u.Lacks) == 0 {
		return u
	}
	out := *u
	out.Lacks = nil
	for _, path := range u.Lacks {
		for _, m := range mapped {
			if (record.Under(m, path) || record.Under(path, m)) && !slices.Contains(out.Lacks, m) {
				out.Lacks = append(out.Lacks, m)
			}
		}
	}
	if len(out.Lacks) == 0 {
		return nil
	}
	return &out
}
