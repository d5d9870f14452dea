package subscribe

import (
	"context"
	"maps"
	"testing"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// copyOf is a house that runs on a copy of another one's state, with an address of its own.
func copyOf(t *testing.T, h *house, address string) *house {
	t.Helper()
	other := newHouse(t)
	other.platform, other.API = h.platform, h.platform
	all, err := h.Store.Subscriptions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	other.Store = &shelf{kept: maps.Clone(all)}
	want := *h.Want
	want.URL = address
	other.Want, other.now = &want, h.now
	return other
}

// Two that run on copies of one state take the same subscription for theirs. They leave it
// alone once that shows, and say so; one that is stopped leaves it to the other.
func TestWeakCopiesOfOneStateDoNotFight(t *testing.T) {
	for name, change := range map[string]bool{"it can be changed": true, "it is made anew": false} {
		t.Run(name, func(t *testing.T) {
			one := newHouse(t)
			one.platform.means.Change = change
			one.check()
			two := copyOf(t, one, "https://copy.example.com/hooks")
			done, last := 0, time.Time{}
			var states [2]record.Subscription
			for one.now = one.now.Add(10 * time.Minute); one.now.Before(noon.Add(20 * time.Hour)); one.now = one.now.Add(10 * time.Minute) {
				two.now = one.now
				for i, h := range []*house{one, two} {
					res := h.check()
					if len(res.Done) > 0 {
						done, last = done+1, h.now
					}
					states[i] = res.Subscription
				}
			}
			if done > 2*mostMoves+1 || last.After(noon.Add(2*time.Hour)) {
				t.Errorf("it was changed in %d looks, the last time after %v", done, last.Sub(noon))
			}
			if states[0].State != record.Differs && states[1].State != record.Differs {
				t.Errorf("got states %s (%s) and %s (%s), want one that says so", states[0].State, states[0].Why, states[1].State, states[1].Why)
			}
			one.now = noon.Add(30 * time.Hour) // the copy was stopped
			if res := one.check(); res.State != record.Subscribed || one.one().URL != one.Want.URL {
				t.Errorf("a day later: %s (%s) at %s", res.State, res.Why, one.one().URL)
			}
		})
	}
}

// What a person changes now and then, what the configuration names anew, and what a system
// spells its own way is no fight.
func TestWeakWhatIsNoFight(t *testing.T) {
	for name, did := range map[string]func(h *house, n int){
		"a person, now and then": func(h *house, _ int) {
			h.platform.edit(h.one().ID, func(s *connectors.Subscription) { s.URL = "https://other.example.com" })
			h.now = h.now.Add(12 * time.Hour)
		},
		"the configuration": func(h *house, n int) {
			want := *h.Want
			want.URL += string(rune('a' + n))
			h.Want = &want
		},
		"disabled": func(h *house, _ int) {
			h.platform.edit(h.one().ID, func(s *connectors.Subscription) { s.Off = true })
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.check()
			for n := range 10 {
				did(h, n)
				h.now = h.now.Add(10 * time.Minute)
				if res := h.check(); res.State != record.Subscribed || h.one().URL != h.Want.URL {
					t.Fatalf("the %d. time: %s (%s) at %s", n+1, res.State, res.Why, h.one().URL)
				}
			}
		})
	}
	t.Run("a spelling", func(t *testing.T) {
		h := newHouse(t)
		h.check()
		h.platform.shows = func(s connectors.Subscription) connectors.Subscription { s.URL += "/"; return s }
		for range 20 {
			h.now = h.now.Add(3 * time.Hour)
			if res := h.check(); res.Moves > 1 || res.Why == rivalry {
				t.Fatalf("got %d moves (%s)", res.Moves, res.Why)
			}
		}
	})
}
