package plan

import (
	"fmt"
	"testing"
	"time"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// history is the settled writes of a field, the latest just before now: "R:a" is a to the right.
func history(now time.Time, writes ...string) []record.Intent {
	made := make([]record.Intent, len(writes))
	for i, w := range writes {
		a := writing(w)
		made[i] = record.Intent{
			State: record.Settled, Place: record.Place{Side: a.Side}, Fields: a.Fields,
			EndedAt: now.Add(-time.Duration(len(writes)-i) * time.Minute),
		}
	}
	return made
}

func writing(w string) Action {
	side := record.Left
	if w[0] == 'R' {
		side = record.Right
	}
	return Action{Side: side, Fields: []record.FieldReason{{Field: "note", Policy: "newest", After: record.OfText(w[2:])}}}
}

// What goes to and fro swings; what is new each time, from one side, is edited.
func TestOutsideWhatSwings(t *testing.T) {
	now := time.Date(2027, 4, 1, 12, 0, 0, 0, time.UTC)
	var edits, turns []string
	for i := range 30 {
		edits = append(edits, fmt.Sprint("R:", i))
		turns = append(turns, fmt.Sprint([]string{"L:", "R:"}[i%2], i))
	}
	for name, tt := range map[string]struct {
		made []string
		next string
		want bool
	}{
		"the same to one side":                    {[]string{"R:a", "R:a", "R:a", "R:a"}, "R:a", true},
		"the same to one side, a few times":       {[]string{"R:a", "R:a", "R:a"}, "R:a", false},
		"the same, and something new now":         {[]string{"R:a", "R:a", "R:a", "R:a"}, "R:b", false},
		"to and fro between three":                {[]string{"R:a", "R:b", "R:c", "R:a", "R:b", "R:c", "R:a", "R:b", "R:c", "R:a", "R:b", "R:c"}, "R:a", true},
		"new each time, from one side":            {edits, "R:new", false},
		"new each time, now from the other":       {edits, "L:new", false},
		"each makes something new of the other's": {turns, "L:new", true},
		"in turns, a few times":                   {turns[:11], "R:new", false},
		"in turns, often enough":                  {turns[:12], "L:new", true},
	} {
		got := Swinging(writing(tt.next), history(now, tt.made...), now)
		if (len(got) == 1) != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
	a := writing("R:a")
	a.Fields[0].Policy = string(merge.Person)
	if got := Swinging(a, history(now, "R:a", "R:a", "R:a", "R:a"), now); len(got) != 0 {
		t.Errorf("what a person chose is said to swing: %v", got)
	}
}
