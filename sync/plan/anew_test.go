package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
)

// reads is a mapping of fields, each with its path on the left and on the right.
func reads(t *testing.T, fields ...[3]string) *mapping.Mapping {
	t.Helper()
	spec := mapping.Spec{Systems: [2]string{"one", "two"}}
	for _, f := range fields {
		spec.Fields = append(spec.Fields, mapping.FieldSpec{Name: f[0], Sides: [2]mapping.SideSpec{{Path: f[1]}, {Path: f[2]}}})
	}
	m, err := mapping.Compile(spec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Where a field is read from something else one side has no base of it any more, and all others
// keep theirs.
func TestWeakAnew(t *testing.T) {
	was := reads(t, [3]string{"name", "name", "full"}, [3]string{"phone", "phone", "tel"}, [3]string{"cell", "cell", "mobile"})
	for name, c := range map[string]struct {
		now  *mapping.Mapping
		want [2][]string
	}{
		"as it was": {now: was},
		"to a column that another field had": {
			now:  reads(t, [3]string{"name", "name", "full"}, [3]string{"phone", "phone", "mobile"}),
			want: [2][]string{nil, {"mobile"}},
		},
		"swapped": {
			now:  reads(t, [3]string{"name", "name", "full"}, [3]string{"phone", "phone", "mobile"}, [3]string{"cell", "cell", "tel"}),
			want: [2][]string{nil, {"mobile", "tel"}},
		},
		"a new field": {
			now:  reads(t, [3]string{"name", "name", "full"}, [3]string{"phone", "phone", "tel"}, [3]string{"cell", "cell", "mobile"}, [3]string{"mail", "mail", "email"}),
			want: [2][]string{{"mail"}, {"email"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := plan.Anew(c.now, was.ReadPrints(), c.now.ReadPrints())
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("paths without a base (-want +got):\n%s", diff)
			}
		})
	}
	if got := plan.Anew(was, nil, was.ReadPrints()); len(got[0])+len(got[1]) > 0 {
		t.Errorf("nothing is known of before: %q", got)
	}
}
