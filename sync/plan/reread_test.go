package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A field that is mapped to another column and back keeps what was settled before, but where
// something was settled meanwhile, or the columns themselves can't tell that.
func TestOutsideReread(t *testing.T) {
	name, mail := [3]string{"name", "name", "full"}, [3]string{"mail", "mail", "email"}
	right := reads(t, name, mail)
	for what, c := range map[string]struct {
		since []*mapping.Mapping
		want  [2][]record.Anew
	}{
		"a column of its own": {
			since: []*mapping.Mapping{reads(t, [3]string{"name", "name", "note"}, mail)},
			want:  [2][]record.Anew{nil, {{Paths: []string{"full"}, Where: []string{"note"}}}},
		},
		"columns of its own on both sides": {
			since: []*mapping.Mapping{reads(t, [3]string{"name", "title", "note"}, mail)},
			want:  [2][]record.Anew{{{Paths: []string{"name"}, Where: []string{"title"}}}, {{Paths: []string{"full"}, Where: []string{"note"}}}},
		},
		"swapped": {
			since: []*mapping.Mapping{reads(t, [3]string{"name", "name", "email"}, [3]string{"mail", "mail", "full"})},
			want:  [2][]record.Anew{nil, {{Paths: []string{"email", "full"}}}},
		},
		"two wrong ones": {
			since: []*mapping.Mapping{reads(t, [3]string{"name", "name", "note"}, mail), reads(t, [3]string{"name", "name", "other"}, mail)},
			want:  [2][]record.Anew{nil, {{Paths: []string{"full"}}}},
		},
	} {
		t.Run(what, func(t *testing.T) {
			var fields map[string]record.Reread
			was := right
			for _, now := range c.since {
				fields, _ = plan.Reread(now, was.ReadPrints(), now.ReadPrints(), fields)
				was = now
			}
			fields, mended := plan.Reread(right, was.ReadPrints(), right.ReadPrints(), fields)
			got := plan.AnewOf(plan.Anew(right, was.ReadPrints(), right.ReadPrints()), mended)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("what bases forget (-want +got):\n%s", diff)
			}
			if _, waits := fields["name"]; !waits {
				t.Errorf("nobody has agreed to how the name is read: %+v", fields)
			}
		})
	}
}
