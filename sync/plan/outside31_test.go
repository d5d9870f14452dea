package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// requestsForTests is a job whose right side changes its status by requests of its own, of
// which the one for off takes the remark along. Two words of ours are off there.
func requestsForTests(t *testing.T, right Kind) Rules {
	t.Helper()
	r := rulesForTests(t)
	var spec mapping.Spec
	spec.Systems = [2]string{"platform", "pms"}
	spec.Fields = []mapping.FieldSpec{
		{Name: "note", Sides: [2]mapping.SideSpec{{Path: "details"}, {Path: "remark"}}},
		{Name: "status", As: mapping.Enum, Sides: [2]mapping.SideSpec{{Path: "status"}, {Path: "state"}}, Table: []mapping.EnumRow{
			{Word: "confirmed", Sides: [2][]string{{"CONFIRMED"}, {"ok"}}},
			{Word: "cancelled", Sides: [2][]string{{"CANCELLED"}, {"off"}}},
			{Word: "no_show", Sides: [2][]string{{"NOSHOW"}, {"off"}}},
		}},
	}
	var err error
	if r.Mapping, err = mapping.Compile(spec); err != nil {
		t.Fatal(err)
	}
	r.Merge = []merge.Rule{{Field: "note", Policy: merge.LeftWins}, {Field: "status", Policy: merge.LeftWins}}
	right.System, right.Kind, right.Status, right.Carries = "pms", "stays", "state", map[string][]string{"off": {"remark"}}
	r.Kinds[record.Right] = right
	return r
}

// What goes along with a status goes with it alone, and never without it.
func TestOutside31WhatGoesAlong(t *testing.T) {
	requestsAlone, fixed := Kind{NoUpdate: true}, Kind{Updates: []string{"guest"}}
	for name, tt := range map[string]struct {
		kind    Kind
		was     record.Fields // of the left, before
		edit    record.Fields
		actions []string
		stuck   []string // fields
	}{
		"the status and what goes along": {requestsAlone, nil, texts("status", "CANCELLED", "details", "ill"), []string{`right action 9 {"remark":"ill","state":"off"}`}, nil},
		"the status alone":               {requestsAlone, nil, texts("status", "CANCELLED"), []string{`right action 9 {"remark":"quiet room","state":"off"}`}, nil},
		"what goes along, alone":         {requestsAlone, nil, texts("details", "ill"), nil, []string{"note"}},
		"to a word that takes nothing":   {requestsAlone, texts("status", "CANCELLED"), texts("status", "CONFIRMED", "details", "ill"), []string{`right action 9 {"state":"ok"}`}, []string{"note"}},
		"a word that is the same there":  {requestsAlone, texts("status", "CANCELLED"), texts("status", "NOSHOW", "details", "ill"), nil, []string{"note"}},
		"beside an update of others":     {fixed, nil, texts("status", "CANCELLED", "details", "ill"), []string{`right action 9 {"remark":"ill","state":"off"}`}, nil},
		"that an update does not take":   {fixed, nil, texts("details", "ill"), nil, nil},
		"the same word, and an update":   {fixed, texts("status", "CANCELLED"), texts("status", "NOSHOW", "details", "ill"), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := requestsForTests(t, tt.kind)
			c := settledCase(r)
			if tt.was != nil {
				c.Sides[record.Left].Native = c.Sides[record.Left].Native.With(tt.was)
				c.Sides[record.Right].Native = c.Sides[record.Right].Native.With(texts("state", "off"))
				for s := range c.Sides {
					c.Sides[s].Base = c.Sides[s].Native
					readInto(r, &c, record.Side(s))
				}
			}
			edit(r, &c, record.Left, tt.edit)
			v := Pair(r, c)
			if diff := cmp.Diff(tt.actions, told(v.Actions)); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
			var stuck []string
			for _, s := range v.Stuck {
				stuck = append(stuck, s.Fields...)
			}
			if diff := cmp.Diff(tt.stuck, stuck); diff != "" {
				t.Errorf("stuck (-want +got):\n%s", diff)
			}
		})
	}
}
