package pull

import (
	"slices"

	"nightporter/sync/record"
)

// lacking is what a record lacks of the paths that are mapped: nobody waits for the
// others. One that goes on is unfinished whatever is mapped.
func lacking(u *record.Unfinished, mapped []string) *record.Unfinished {
	if u == nil || len(u.Lacks) == 0 {
		return u
	}
	out := *u
	out.Lacks = nil
	for _, path := range u.Lacks {
		if slices.Contains(mapped, path) {
			out.Lacks = append(out.Lacks, path)
		}
	}
	if len(out.Lacks) == 0 {
		return nil
	}
	return &out
}
