package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// tags has the job read a note as a set of which each side's elements count.
func (w *world) tags() {
	w.Helper()
	split := func(path string) mapping.SideSpec { return mapping.SideSpec{Path: path, Split: ","} }
	m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"one", "two"}, Match: [][]string{{"phone"}}, Fields: []mapping.FieldSpec{
		{Name: "phone", As: mapping.Phone, Region: []string{"IT"}, Sides: [2]mapping.SideSpec{{Path: "phone"}, {Path: "their_phone"}}},
		{Name: "tags", As: mapping.Set, Sides: [2]mapping.SideSpec{split("note"), split("their_note")}},
	}})
	if err != nil {
		w.Fatal(err)
	}
	j := w.eng.Jobs[job]
	j.Mapping, j.Rules.Mapping = m, m
	j.Rules.Merge = []merge.Rule{{Field: "phone", Policy: merge.LeftWins}, {Field: "tags", Policy: merge.Union}}
}

// tagged is the tags that the first person has on a side.
func (w *world) tagged(side record.Side) []string {
	tags := strings.Split(w.value(side, 1, "note"), ",")
	slices.Sort(tags)
	return tags
}

// One side added to a set, the other one did as well or emptied it, and one of the two
// writes is lost: that side gets later what the other one added, and both hold the same.
func TestUnionReachesBothSides(t *testing.T) {
	for _, tt := range []struct {
		edits [2]string // of "a"
		added []string
	}{
		{[2]string{"a,l", "a,r"}, []string{"l", "r"}},
		{[2]string{"", "a,r"}, []string{"r"}},
		{[2]string{"a,l", ""}, []string{"l"}},
	} {
		for _, late := range record.Sides {
			for _, class := range []connectors.ErrorClass{connectors.Transient, connectors.Ambiguous, connectors.Rejected} {
				t.Run(fmt.Sprintf("%q, %s on the %s", tt.edits, class, late), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := newWorld(t, setting{})
						defer w.close()
						w.tags()
						w.put(record.Left, 1, map[string]string{"note": "a"})
						w.rest()
						for side, v := range tt.edits {
							w.edit(record.Side(side), 1, "note", v)
						}
						w.sys[late].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Class: class})
						w.run(engine.Options{Yes: true})
						w.rest()
						w.rest()
						l, r := w.tagged(record.Left), w.tagged(record.Right)
						lacks := func(e string) bool { return !slices.Contains(l, e) }
						if !slices.Equal(l, r) || slices.ContainsFunc(tt.added, lacks) {
							t.Errorf("got %q and %q, want the same, and what was added in it", l, r)
						}
						w.idle(3)
					})
				})
			}
		}
	}
}
