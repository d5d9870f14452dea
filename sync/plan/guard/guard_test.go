package guard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/record"
)

func TestCheck(t *testing.T) {
	tests := []struct {
		name string
		g    Guards
		f    Facts
		want []string
	}{
		{"half", Guards{Changed: 50}, Facts{Links: 20, Changed: [2]int{10, 0}}, nil},
		{"more than half", Guards{Changed: 50}, Facts{Links: 20, Changed: [2]int{0, 11}}, []string{"all_changed right"}},
		{"too few links to say", Guards{Changed: 50}, Facts{Links: 19, Changed: [2]int{19, 19}}, nil},
		{"no guard", Guards{}, Facts{Links: 100, Changed: [2]int{100, 100}}, nil},
	}
	for _, tt := range tests {
		tt.f.Systems = [2]record.System{"platform", "pms"}
		var got []string
		for _, h := range Check(tt.g, tt.f) {
			got = append(got, string(h.Cause)+" "+h.Side.String())
			if !strings.Contains(h.Why, string(tt.f.Systems[h.Side])) || !strings.Contains(h.Why, "sync --yes") {
				t.Errorf("%s: the halt names neither its system nor the next step: %s", tt.name, h.Why)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
