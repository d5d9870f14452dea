package pull

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What two scans of one pull noticed is added up, also where the second could not even
// begin.
func TestNoticedInTwoScans(t *testing.T) {
	first := Noticed{Looked: 3, Showed: map[string]int{"name": 2}, Without: map[string][]int64{"mail": {7}}}
	for name, c := range map[string]struct{ second, want Noticed }{
		"the second could not begin": {Noticed{}, first},
		"both": {
			Noticed{Looked: 2, Showed: map[string]int{"name": 1, "mail": 1}, Without: map[string][]int64{"mail": {8}}},
			Noticed{Looked: 3, Showed: map[string]int{"name": 3, "mail": 1}, Without: map[string][]int64{"mail": {8, 7}}},
		},
	} {
		if diff := cmp.Diff(c.want, c.second.and(first)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
