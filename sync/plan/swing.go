package plan

import (
	"time"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Swings is the policy of a conflict about a field that swings: something else changes
// it back as often as it is written, or each of the systems makes something new of what
// the other has.
const Swings = "swings"

// A field swings if it was written too often within SwingSpan: swingsSame times with the very value that is to be
// written once more, or swingsTurns times in turns, now to one side and now to the other. A new value each time
// that comes from one side is an edit, however often.
const (
	SwingSpan   = time.Hour
	swingsSame  = 4
	swingsTurns = 12
)

// Swinging names the fields of an action that swing, by the changes made to its link within SwingSpan before now.
// What a person chose never swings.
func Swinging(a Action, made []record.Intent, now time.Time) []string {
	var out []string
	for _, f := range a.Fields {
		same, turns := written(a.Side, f, made, now.Add(-SwingSpan))
		if f.Policy != string(merge.Person) && (same >= swingsSame || turns >= swingsTurns) {
			out = append(out, f.Field)
		}
	}
	return out
}

// InVain names the fields of an action that were written at least swingsSame times since a time, each time with the value that is to be
// written now: the system turns it into another value each time. Which side the value came from does not matter.
func InVain(a Action, made []record.Intent, since time.Time) []string {
	var out []string
	for _, f := range a.Fields {
		if same, _ := written(a.Side, f, made, since); same >= swingsSame {
			out = append(out, f.Field)
		}
	}
	return out
}

// written counts how often a field was written since a moment. same is how often side got the value that is to be
// written now. turns is how often another side was written than the time before, with the coming write included.
// made is in the order of time.
func written(side record.Side, f record.FieldReason, made []record.Intent, since time.Time) (same, turns int) {
	var sides []record.Side
	for _, in := range made {
		if in.State != record.Settled || in.EndedAt.Before(since) {
			continue
		}
		for _, was := range in.Fields {
			if was.Field != f.Field {
				continue
			}
			sides = append(sides, in.Place.Side)
			if in.Place.Side == side && was.After.Equal(f.After) {
				same++
			}
		}
	}
	sides = append(sides, side)
	for i := 1; i < len(sides); i++ {
		if sides[i] != sides[i-1] {
			turns++
		}
	}
	return same, turns
}
