package links

import (
	"slices"
	"testing"

	"nightporter/sync/run"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// After a restore an edit does not meet what was sent across and never shown there: whether it
// came to stand there is not known (seed 3617 of the histories).
func TestOutside03WhatWasOnlySentMeetsNoEdit(t *testing.T) {
	m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"one", "two"}, Fields: []mapping.FieldSpec{
		{Name: "note", Sides: [2]mapping.SideSpec{{Path: "note"}, {Path: "their_note"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := &Room{Run: &run.Run{Job: &run.Job{Mapping: m}}}
	kept := func(path, v string) record.Base { return record.Base{path: record.Keep(record.OfText(v))} }
	for _, c := range []struct {
		name       string
		sent       []string
		shown      string // by the right
		want, ours []string
	}{
		{"an edit across from what was only sent", []string{"note"}, "two", []string{"note"}, []string{"their_note"}},
		{"an edit across from what was shown", nil, "two", nil, []string{"their_note"}},
		{"no edit", []string{"note"}, "one", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := record.Pair{Sides: [2]record.Entry{
				{Base: kept("note", "one"), Sent: c.sent},
				{Base: kept("their_note", "one"), Seen: &record.Observation{Fields: record.Fields{"their_note": record.OfText(c.shown)}}},
			}}
			edited := r.editedOf(p)
			if got := r.unlikeBase(record.Left, p.Sides[record.Left], edited); !slices.Equal(got, c.want) {
				t.Errorf("of the left %v is in doubt, want %v", got, c.want)
			}
			if got := r.unlikeBase(record.Right, p.Sides[record.Right], edited); !slices.Equal(got, c.ours) {
				t.Errorf("of the right %v is in doubt, want %v", got, c.ours)
			}
		})
	}
}
