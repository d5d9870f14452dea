package engine_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// Numbers that pass as payment cards, of the ranges that such cards have.
var passAsCards = []string{"4111111111111111", "5555555555554444", "378282246310005"}

// Two strangers whose only match key was blanked are not the same, and nothing is made of either: a
// person is told which field it is, and by which key it can be read.
func TestABlankedValueIsNoMatchKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{match: [][]string{{"note"}}, cards: true})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "Anna", "note": passAsCards[0], "mail": "anna@example.com"})
		w.put(record.Right, 1, map[string]string{"name": "Bruno", "note": passAsCards[1], "mail": "bruno@example.com"})
		w.put(record.Right, 2, map[string]string{"name": "Carla", "note": "N " + passAsCards[2]})
		want := [2][]string{w.picture(record.Left), w.picture(record.Right)}
		w.rest()
		for _, side := range record.Sides {
			if got := w.picture(side); !slices.Equal(got, want[side]) {
				t.Errorf("%v: got %q, want what stood there: %q", side, got, want[side])
			}
		}
		if got, want := blankedOf(t, w), []string{"left note", "right note", "right note"}; !slices.Equal(got, want) {
			t.Errorf("found is %q, want %q", got, want)
		}
		es, err := w.store.Unlinked(t.Context(), record.Place{Binding: job, Side: record.Right}, 0, 10)
		if err != nil || len(es) != 2 {
			t.Fatalf("%+v, %v", es, err)
		}
		for _, e := range es {
			if e.State != record.Held || !strings.Contains(e.Why, "note") || !strings.Contains(e.Why, "payment card") {
				t.Errorf("%s: %q, %q", e.Ref, e.State, e.Why)
			}
		}

		// What can be read is matched again.
		w.edit(record.Left, 0, "note", "77")
		w.edit(record.Right, 1, "note", "77")
		w.edit(record.Right, 2, "note", "88")
		w.rest()
		if got := len(w.sys[record.Left].All(kinds[record.Left])); got != 2 {
			t.Errorf("on the left are %d records, want 2", got)
		}
		if got := blankedOf(t, w); len(got) > 0 {
			t.Errorf("at rest found is %q", got)
		}
	})
}

// Where both have a key of an earlier rule, and one was blanked, a later rule alone makes them no pair.
func TestABlankedKeyIsNotOverruled(t *testing.T) {
	for name, right := range map[string]string{"blanked": passAsCards[1], "another": "12", "none": ""} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{match: [][]string{{"note"}, {"phone"}}, cards: true})
				defer w.close()
				w.put(record.Left, 0, map[string]string{"name": "Anna", "note": passAsCards[0]})
				w.put(record.Right, 0, map[string]string{"name": "Bruno", "note": right})
				w.rest()
				got := [2]string{w.value(record.Left, 0, "name"), w.value(record.Right, 0, "name")}
				want := [2]string{"Anna", "Bruno"}
				if right == "" {
					want[record.Right] = "Anna"
				}
				if got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		})
	}
}

// A value that was blanked is never written, and what stands across stays. A text with other words goes
// over without its card.
func TestABlankedValueIsNeverWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{cards: true})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "Anna", "note": "quiet"})
		w.put(record.Right, 0, map[string]string{"name": "Anna", "note": passAsCards[0]})
		w.put(record.Right, 1, map[string]string{"name": "Bruno", "note": "ref-" + passAsCards[1]})
		w.put(record.Right, 2, map[string]string{"name": "Carla", "note": "pays with " + passAsCards[2]})
		w.rest()
		for n, want := range []string{"quiet", "", "pays with ****"} {
			if got := w.value(record.Left, n, "note"); got != want {
				t.Errorf("%d: on the left stands %q, want %q", n, got, want)
			}
		}
		for n, want := range []string{passAsCards[0], "ref-" + passAsCards[1], "pays with " + passAsCards[2]} {
			if got := w.value(record.Right, n, "note"); got != want {
				t.Errorf("%d: on the right stands %q, want %q", n, got, want)
			}
		}
		w.edit(record.Left, 0, "note", "loud")
		w.edit(record.Right, 1, "note", passAsCards[2])
		w.rest()
		if l, r := w.value(record.Left, 0, "note"), w.value(record.Right, 0, "note"); l != "loud" || r != passAsCards[0] {
			t.Errorf("got %q and %q", l, r)
		}
		if got, want := blankedOf(t, w), []string{"right note", "right note"}; !slices.Equal(got, want) {
			t.Errorf("found is %q, want %q", got, want)
		}
		rep := w.run(engine.Options{Dry: true, Verify: true, Full: true, Yes: true})
		if got := rep.Verified.Causes["unreadable"]; got != 2 {
			t.Errorf("verify calls %d unreadable: %v", got, rep.Verified.Causes)
		}
	})
}

// blankedOf is the sides and fields of what is named as blanked.
func blankedOf(t *testing.T, w *world) (out []string) {
	t.Helper()
	all, err := w.store.Findings(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.Name == record.FindBlanked {
			out = append(out, f.Place.Side.String()+" "+f.About)
		}
	}
	slices.Sort(out)
	return out
}
