package pull

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/record"
)

func TestLacking(t *testing.T) {
	lacks := func(paths ...string) *record.Unfinished {
		return &record.Unfinished{Lacks: paths, Since: time.Unix(1, 0), Within: time.Hour}
	}
	for _, tt := range []struct {
		name    string
		u, want *record.Unfinished
	}{
		{"finished", nil, nil},
		{"all of it is mapped", lacks("text", "sum"), lacks("text", "sum")},
		{"some of it is mapped", lacks("audio", "sum"), lacks("sum")},
		{"none of it is mapped", lacks("audio"), nil},
		{"it goes on", lacks(), lacks()},
	} {
		if diff := cmp.Diff(tt.want, lacking(tt.u, []string{"id", "sum", "text"})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
