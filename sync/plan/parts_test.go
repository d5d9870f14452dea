package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/record"
)

// An update falls into the parts that can be written without each other, and what
// the parts write, look at and settle is together just what the whole does.
func TestParts(t *testing.T) {
	r := rulesForTests(t)
	c := settledCase(r)
	edit(r, &c, record.Right, texts("guest", "Anna Bianchi", "arr", "2026-06-02", "state", "off"))
	actions := Pair(r, c).Actions
	if len(actions) != 1 {
		t.Fatalf("%d actions, want 1: %v", len(actions), told(actions))
	}
	whole := actions[0]
	parts := Parts(r, whole)
	if diff := cmp.Diff([][]string{{"name"}, {"arrival"}, {"status"}}, parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	sum := Action{Bases: [2]record.Fields{{}, {}}, Change: record.Change{Fields: record.Fields{}, Before: record.Fields{}}}
	for _, p := range parts {
		one := Only(r, whole, p)
		sum.Change.Fields = sum.Change.Fields.With(one.Change.Fields)
		sum.Change.Before = sum.Change.Before.With(one.Change.Before)
		sum.Fields = append(sum.Fields, one.Fields...)
		for side := range one.Bases {
			sum.Bases[side] = sum.Bases[side].With(one.Bases[side])
		}
	}
	for name, got := range map[string][2]any{
		"fields": {whole.Change.Fields, sum.Change.Fields}, "before": {whole.Change.Before, sum.Change.Before},
		"reasons": {whole.Fields, sum.Fields}, "bases": {whole.Bases, sum.Bases},
	} {
		if diff := cmp.Diff(got[0], got[1]); diff != "" {
			t.Errorf("%s of the parts (-whole +parts):\n%s", name, diff)
		}
	}
	stay := Only(r, whole, []string{"arrival"})
	want := record.Fields{"from": record.OfText("2026-06-01"), "to": record.OfText("2026-06-04")}
	if diff := cmp.Diff(want, stay.Change.Before); diff != "" {
		t.Errorf("a stay's arrival is written whatever its departure is (-want +got):\n%s", diff)
	}
	if got, want := stay.Reason, "arrival of pms differs from platform"; got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
}

// Fields that are one in the rules are never parted.
func TestPartsKeepAGroup(t *testing.T) {
	r := rulesForTests(t)
	c := settledCase(r)
	edit(r, &c, record.Right, texts("remark", "", "arr", "2026-06-02", "dep", "2026-06-05", "state", "off"))
	a := Pair(r, c).Actions[0]
	if diff := cmp.Diff([][]string{{"note"}, {"arrival", "departure"}, {"status"}}, Parts(r, a)); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}
