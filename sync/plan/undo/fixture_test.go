package undo

import (
	"slices"
	"testing"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// rulesForTests is a job with a name, a phone and a note, two days that belong
// together and a status.
func rulesForTests(t *testing.T) plan.Rules {
	t.Helper()
	both := func(l, r string) [2]mapping.SideSpec { return [2]mapping.SideSpec{{Path: l}, {Path: r}} }
	m, err := mapping.Compile(mapping.Spec{
		Systems: [2]string{"platform", "pms"},
		Fields: []mapping.FieldSpec{
			{Name: "name", Required: true, Sides: [2]mapping.SideSpec{{Path: "full_name"}, {Path: "guest", MaxRunes: 40}}},
			{Name: "note", Sides: both("details", "remark")},
			{Name: "arrival", As: mapping.Date, Together: "stay", Sides: both("from", "arr")},
			{Name: "departure", As: mapping.Date, Together: "stay", Sides: both("to", "dep")},
			{Name: "status", As: mapping.Enum, Sides: both("status", "state"), Table: []mapping.EnumRow{
				{Word: "confirmed", Sides: [2][]string{{"CONFIRMED"}, {"ok"}}},
				{Word: "cancelled", Sides: [2][]string{{"CANCELLED"}, {"off"}}},
			}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan.Rules{
		Mapping: m, Skew: -1, Day: "arrival", Urgent: 3,
		Merge: []merge.Rule{
			{Field: "name", Policy: merge.Person, Required: true},
			{Field: "note", Policy: merge.LeftWins},
			{Field: "arrival", Group: "stay", Policy: merge.RightWins},
			{Field: "departure", Group: "stay", Policy: merge.RightWins},
			{Field: "status", Policy: merge.RightWins},
		},
		Kinds: [2]plan.Kind{
			{System: "platform", Kind: "bookings"},
			{System: "pms", Kind: "stays", Required: []string{"guest"}, Constants: texts("channel", "voice")},
		},
	}
}

func texts(pairs ...string) record.Fields {
	f := record.Fields{}
	for p := range slices.Chunk(pairs, 2) {
		f[p[0]] = record.OfText(p[1])
	}
	return f
}

// told is what an action does, short enough for a table.
func told(as []plan.Action) []string {
	var out []string
	for _, a := range as {
		b, err := a.Change.Fields.MarshalJSON()
		if err != nil {
			return []string{err.Error()}
		}
		said := a.Side.String() + " " + a.Change.Op.String() + " " + a.Change.Ref.ID + " " + string(b)
		if a.Step > 0 {
			said += " after it"
		}
		out = append(out, said)
	}
	return out
}
