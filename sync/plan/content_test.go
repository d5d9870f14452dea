package plan_test

import (
	"testing"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// What a side doesn't take is known before anything is sent; the other side's limits, and
// those of fields that don't go there, are of no account.
func TestUnfit(t *testing.T) {
	m, err := mapping.Compile(mapping.Spec{
		Systems: [2]string{"house", "platform"}, Match: [][]string{{"title"}},
		Fields: []mapping.FieldSpec{
			{Name: "title", Sides: [2]mapping.SideSpec{{Path: "title"}, {Path: "title"}}},
			{Name: "content", As: mapping.Content, Sides: [2]mapping.SideSpec{{Path: "content"}, {Path: "file"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		limits plan.Limits
		to     merge.Direction
		want   string
	}{
		"no limits":        {plan.Limits{}, merge.ToRight, ""},
		"as large as goes": {plan.Limits{MaxBytes: 2048, Media: []string{"text/markdown"}}, merge.ToRight, ""},
		"too large":        {plan.Limits{MaxBytes: 2047}, merge.ToRight, "its content can't be given to platform, which takes 2.0 kB at most, and this is 2.0 kB"},
		"another type": {
			plan.Limits{Media: []string{"text/plain", "application/pdf"}},
			merge.ToRight,
			"its content can't be given to platform, which takes text/plain, application/pdf, and this is text/markdown",
		},
		"it doesn't go there": {plan.Limits{MaxBytes: 1}, merge.ToLeft, ""},
	} {
		r := plan.Rules{
			Mapping: m, Merge: []merge.Rule{{Field: "title"}, {Field: "content", To: tt.to, Once: true}},
			Kinds: [2]plan.Kind{{System: "house"}, {System: "platform", Contents: map[string]plan.Limits{"file": tt.limits}}},
		}
		native := record.Fields{"title": record.OfText("a"), "content": record.OfContent("d1", 2048, "text/markdown")}
		now, _ := m.Read(record.Left, native)
		if _, got := plan.Unfit(r, plan.Side{Now: now, Native: native}, record.Left); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// A content is given with a new record and never again: a record that is there already is
// in step whatever the other side shows.
func TestContentIsGivenOnce(t *testing.T) {
	m, err := mapping.Compile(mapping.Spec{
		Systems: [2]string{"house", "platform"}, Match: [][]string{{"title"}},
		Fields: []mapping.FieldSpec{
			{Name: "title", Sides: [2]mapping.SideSpec{{Path: "title"}, {Path: "title"}}},
			{Name: "content", As: mapping.Content, Sides: [2]mapping.SideSpec{{Path: "content"}, {Path: "file"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := plan.Rules{
		Mapping: m, Skew: -1, Merge: []merge.Rule{{Field: "title"}, {Field: "content", To: merge.ToRight, Once: true}},
		Kinds: [2]plan.Kind{{System: "house"}, {System: "platform"}},
	}
	left := record.Fields{"title": record.OfText("a"), "content": record.OfContent("d1", 3, "text/plain")}
	now, _ := m.Read(record.Left, left)
	a, why := plan.New(r, plan.Case{Entity: "E", Sides: [2]plan.Side{{Native: left, Now: now}, {}}}, record.Left)
	if body, ok := a.Change.Fields["file"].Body(); !ok || body.Digest != "d1" || why.Text != "" {
		t.Errorf("a new record gets %v (%s), want the content", a.Change.Fields, why.Text)
	}
	right := record.Fields{"title": record.OfText("a")}
	v := plan.Pair(r, plan.Case{Link: 1, Sides: [2]plan.Side{
		{Native: left, Now: now, Seen: true}, {Native: right, Now: record.Fields{"title": record.OfText("a")}, Seen: true},
	}})
	if len(v.Actions)+len(v.Read)+len(v.Conflicts) > 0 {
		t.Errorf("a record that is there already: got %+v, want nothing to do", v)
	}
	if !v.Adopt[record.Left]["content"].Equal(left["content"]) {
		t.Errorf("the base takes %v, want the content in it", v.Adopt[record.Left])
	}
}
