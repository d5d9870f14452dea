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

// What is lacked of a path counts for what is mapped of it, and of what it is a part of.
func TestOutside30LackingParts(t *testing.T) {
	for lack, want := range map[string][]string{
		"summary": {"summary.text", "summary.lang"}, "summary.text": {"summary.text"}, "call.text": {"call"}, "sum": nil,
	} {
		got := lacking(&record.Unfinished{Lacks: []string{lack}}, []string{"id", "summary.text", "summary.lang", "call"})
		if want == nil && got != nil || want != nil && (got == nil || !cmp.Equal(got.Lacks, want)) {
			t.Errorf("lacking %s: got %v, want %v", lack, got, want)
		}
	}
}
