package plan

import (
	"testing"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Both sides are settled on one person under two of our names for them: that of a link that is over, and
// that of the link that leads to the same record by now. What is not written because it stands there is
// no difference, and whoever else is named is one.
func TestSameNamed(t *testing.T) {
	m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"one", "two"}, Fields: []mapping.FieldSpec{
		{Name: "guest", As: mapping.Reference, Refer: "guests", Sides: [2]mapping.SideSpec{
			{Parts: map[string]string{mapping.PartID: "guest_id", mapping.PartName: "guest_name"}}, {Parts: map[string]string{mapping.PartID: "guest_id"}},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := Rules{Mapping: m, Skew: -1, Merge: []merge.Rule{{Field: "guest", Policy: merge.Person}}}
	side := func(native, entity string) Side {
		f := record.Fields{"guest": record.OfText(entity)}
		return Side{Native: record.Fields{"guest_id": record.OfText(native), "guest_name": record.OfText("Anna")}, Now: f, Settled: record.BaseOf(f)}
	}
	for name, c := range map[string]struct {
		id, text string // as which the left knows whom the right names
		same     bool
	}{
		"the same":                {"101", "Anna", true},
		"somebody else":           {"102", "Anna", false},
		"the same, by a new name": {"101", "Anna Maria", false},
		"nobody":                  {"", "Anna", false},
	} {
		t.Run(name, func(t *testing.T) {
			parts := map[string]record.Value{mapping.PartName: record.OfText(c.text)}
			if c.id != "" {
				parts[mapping.PartID] = record.OfText(c.id)
			}
			x := Case{Sides: [2]Side{side("101", "the old link"), side("3", "the new link")}}
			x.Parts[record.Left] = record.Fields{"guest": record.OfMap(parts)}
			diffs, _ := Compare(r, x)
			if same := len(diffs) == 0; same != c.same {
				t.Errorf("differs: %v, want the same: %t", diffs, c.same)
			}
			v := Pair(r, x)
			settled := v.Adopt[record.Left][RefPath("guest")].Text() == "the new link"
			if settled != c.same || len(v.Actions)+len(v.Conflicts) != 0 {
				t.Errorf("settled as the same: %t, want %t; and %v, %v", settled, c.same, v.Actions, v.Conflicts)
			}
			if got := x.Sides[record.Left].Now["guest"].Text(); got != "the old link" {
				t.Errorf("the input was changed: %q", got)
			}
		})
	}
}
