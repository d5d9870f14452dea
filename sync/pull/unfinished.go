package pull

import (
	"slices"

	"nightporter/sync/record"
)

// More reports whether a read by id may show what another read did not show: what that may
// hide, and what it named as coming later, which may be there already.
func More(unshown []string, u *record.Unfinished, hides func(path string) bool) bool {
	return slices.ContainsFunc(unshown, func(path string) bool {
		return hides(path) || u != nil && slices.Contains(u.Lacks, path)
	})
}

// lacking is what a record lacks of the paths that are mapped: nobody waits for the
// others. Of a path that is not mapped itself those count that are below it, or that it is
// below. One that goes on is unfinished whatever is mapped.
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
