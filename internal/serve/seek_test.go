package serve

import (
	"context"
	"fmt"
	"testing"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// nobody is a state file in which everybody still waits and nobody was found.
type nobody struct{}

func (nobody) Entry(context.Context, record.Place, record.Ref) (record.Entry, bool, error) {
	return record.Entry{State: record.Waiting}, true, nil
}

func (nobody) Matching(context.Context, record.Place, []record.Key) ([]record.Entry, error) {
	return nil, nil
}

// More than are looked for at once: their turn comes without anybody else's.
func TestSeekLeavesNobodyOut(t *testing.T) {
	var s seek
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var sought []engine.Sought
	for i := range singly + 5 {
		sought = append(sought, engine.Sought{
			Waiting: record.Place{Binding: "stays"}, Ref: record.Ref{Kind: "stays", ID: fmt.Sprint(i)},
			Place: record.Place{Binding: "guests"}, Key: record.Key{Name: "phone", Text: phone(i)},
		})
	}
	s.begin(sought, now)
	looked := map[string]bool{}
	for turn := range 2 {
		if got := s.calls(now); len(got) != 1 || got[0] != "guests" {
			t.Fatalf("turn %d: called for %v, want guests", turn, got)
		}
		for _, k := range s.due(t.Context(), nobody{}, "guests", now) {
			looked[k.Key.Text] = true
		}
	}
	if len(looked) != singly+5 {
		t.Errorf("looked for: got %d, want %d", len(looked), singly+5)
	}
	if got := s.calls(now); len(got) != 0 {
		t.Errorf("called for once all were looked for: got %v, want none", got)
	}
}

// What could not be read, and of which no hint is left, is not remembered for good; what
// can't be read for long is tried every minute.
func TestAsideForgets(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	place, ref := record.Place{Binding: "guests"}, record.Ref{Kind: "contacts", ID: "7"}
	for name, hinted := range map[string]bool{"no hint is left": false, "it is hinted at still": true} {
		t.Run(name, func(t *testing.T) {
			var a aside
			a.put(place, ref, now)
			tries := 0
			for m := range 180 {
				at := now.Add(time.Duration(m) * time.Minute)
				if due := a.due(at); len(due) > 0 && hinted {
					tries++
					a.put(place, ref, at)
				}
			}
			if hinted && tries < 80 {
				t.Errorf("tries in three hours: got %d, want one every other minute at least", tries)
			}
			if got, want := len(a.by), map[bool]int{true: 1}[hinted]; got != want {
				t.Errorf("remembered: got %d, want %d", got, want)
			}
		})
	}
}
