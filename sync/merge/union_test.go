package merge

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"nightporter/sync/record"
)

func unionOf(rule Rule, base, l, r record.Value) Decision {
	rule.Policy = Union
	return Cell(rule, Seen{Now: l, Base: record.Keep(base)}, Seen{Now: r, Base: record.Keep(base)}, 0)
}

func TestUnion(t *testing.T) {
	lower := Rule{Element: func(v record.Value) string { return strings.ToLower(v.Text()) }}
	tests := []struct {
		name       string
		rule       Rule
		base, l, r record.Value
		act        Act
		want       record.Value
	}{
		{"both add", Rule{}, tags("a"), tags("a", "l"), tags("a", "r"), WriteBoth, tags("a", "l", "r")},
		{"one adds, one removes", Rule{}, tags("a", "b"), tags("a", "b", "l"), tags("a"), WriteBoth, tags("a", "l")},
		{"one added what both have", Rule{}, tags("a"), tags("a", "x"), tags("x", "a", "y"), WriteLeft, tags("a", "x", "y")},
		{"left has all", Rule{}, tags("a"), tags("a", "x", "y"), tags("a", "x"), WriteRight, tags("a", "x", "y")},
		{"another order", Rule{}, tags("a", "b"), tags("b", "a"), tags("a", "b"), Adopt, record.Value{}},
		{"one emptied, one added", Rule{}, tags("a"), tags(), tags("a", "r"), WriteBoth, tags("r")},
		{"a null is an empty set", Rule{}, tags("a"), record.Nothing(), tags("a", "r"), WriteBoth, tags("r")},
		{"all removed by both, a required field", Rule{Required: true}, tags("a", "b"), tags("a"), tags("b"), Hold, record.Value{}},
		{"all removed by both, clears held", Rule{Clear: HoldClear}, tags("a", "b"), tags("a"), tags("b"), Hold, record.Value{}},
		{"all removed by both", Rule{}, tags("a", "b"), tags("a"), tags("b"), WriteBoth, tags()},
		{"respelt on the right", lower, tags("vip"), tags("vip", "l"), tags("VIP"), WriteBoth, tags("VIP", "l")},
		{"respelt on the left", lower, tags("vip"), tags("VIP"), tags("vip", "r"), WriteBoth, tags("VIP", "r")},
		{"respelt on both", lower, tags("vip"), tags("VIP"), tags("Vip"), WriteLeft, tags("Vip")},
		{"twice in one list", Rule{}, tags("a"), tags("a", "l", "l"), tags("a", "r"), WriteBoth, tags("a", "l", "r")},
		{"no list", Rule{}, tags("a"), text("l"), tags("a", "r"), Hold, record.Value{}},
	}
	for _, tt := range tests {
		d := unionOf(tt.rule, tt.base, tt.l, tt.r)
		if d.Act != tt.act || !d.Value.Equal(tt.want) {
			t.Errorf("%s: got %v %v, want %v %v", tt.name, d.Act, d.Value, tt.act, tt.want)
		}
	}
}

// What a side never took, or has for itself since long, is not removed by what the
// other side does.
func TestUnionKeepsStandingDifferences(t *testing.T) {
	l := Seen{Now: tags("a", "x"), Base: record.Keep(tags("a", "x"))} // the right side does not take x
	r := Seen{Now: tags("a", "n"), Base: record.Keep(tags("a"))}
	d := Cell(Rule{Policy: Union}, l, r, 0)
	if d.Act != WriteLeft || !d.Value.Equal(tags("a", "x", "n")) {
		t.Errorf("got %v %v", d.Act, d.Value)
	}
}

// A union reached one side alone. What the other one lacks of it is brought there later,
// though that side alone shows a change by then; what was removed meanwhile may come
// back, for it is not told from what that side has for itself.
func TestUnionHalfWritten(t *testing.T) {
	lower := Rule{Policy: Union, Element: func(v record.Value) string { return strings.ToLower(v.Text()) }}
	seen := func(base, now record.Value) Seen { return Seen{Now: now, Base: record.Keep(base)} }
	for _, tt := range []struct {
		name             string
		rule             Rule
		done, base, lack record.Value // the side that has the union; the other one's base, and what it holds
		act              Act          // where that is the right side
		want             record.Value
	}{
		{"each added one", Rule{}, tags("a", "l", "r"), tags("a"), tags("a", "r"), WriteRight, tags("a", "l", "r")},
		{"one more since", Rule{}, tags("a", "l", "r"), tags("a"), tags("a", "r", "s"), WriteBoth, tags("a", "l", "r", "s")},
		{"one added, it removed", Rule{}, tags("a", "l"), tags("a", "x"), tags("a"), WriteRight, tags("a", "l")},
		{"one removed, it added", Rule{}, tags("a", "r"), tags("a", "x"), tags("a", "x", "r"), WriteLeft, tags("a", "r", "x")},
		{"one added, it respelt", lower, tags("VIP", "l"), tags("vip"), tags("VIP"), WriteRight, tags("VIP", "l")},
		{"only one side may be written", Rule{To: ToLeft}, tags("a", "l", "r"), tags("a"), tags("a", "r"), Adopt, record.Value{}},
	} {
		tt.rule.Policy = Union
		d := Cell(tt.rule, seen(tt.done, tt.done), seen(tt.base, tt.lack), 0)
		if d.Act != tt.act || !d.Value.Equal(tt.want) {
			t.Errorf("%s: got %v %v, want %v %v", tt.name, d.Act, d.Value, tt.act, tt.want)
		}
	}
}

// Whichever half of a union is lost, and whatever was added, no side stays without what
// the other one added.
func TestUnionHalfWrittenLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.SliceOfNDistinct(rapid.SampledFrom(strings.Split("abcde", "")), 0, 5, rapid.ID)
		base, now := gen.Draw(t, "base"), [2][]string{gen.Draw(t, "left"), gen.Draw(t, "right")}
		d := unionOf(Rule{}, tags(base...), tags(now[0]...), tags(now[1]...))
		if d.Act != WriteBoth {
			return
		}
		done := record.Side(rapid.IntRange(0, 1).Draw(t, "done"))
		var seen [2]Seen
		seen[done] = Seen{Now: d.Value, Base: record.Keep(d.Value)}
		seen[done.Other()] = Seen{Now: tags(now[done.Other()]...), Base: record.Keep(tags(base...))}
		rule := Rule{Policy: Union}
		again := Cell(rule, seen[0], seen[1], 0)
		for _, s := range record.Sides {
			if again.Act.Writes(s) {
				seen[s].Now = again.Value
			}
		}
		if !rule.sameElements(seen[0].Now, seen[1].Now) {
			t.Fatalf("%v of %v: the sides hold %v and %v", again.Act, again.Value, seen[0].Now, seen[1].Now)
		}
		_, held, _ := rule.elements(seen[0].Now)
		for _, e := range d.Value.List() {
			if !has(held, e.Encode()) {
				t.Fatalf("%v is lost of %v: the sides hold %v", e, d.Value, seen[0].Now)
			}
		}
	})
}

// A digest can't be taken apart: one side's change is followed, two are held.
func TestUnionOfDigests(t *testing.T) {
	key := []byte("k")
	base := record.KeepDigest(key, tags("a"))
	seen := func(v record.Value) Seen { return Seen{Now: v, Base: base, Key: key} }
	if d := Cell(Rule{Policy: Union}, seen(tags("a", "l")), seen(tags("a")), 0); d.Act != WriteRight || !d.Value.Equal(tags("a", "l")) {
		t.Errorf("one side: got %v %v", d.Act, d.Value)
	}
	if d := Cell(Rule{Policy: Union}, seen(tags("a", "l")), seen(tags("a", "r")), 0); d.Act != Hold {
		t.Errorf("both sides: got %v, want hold", d.Act)
	}
}

// The laws of the union: from one base both sides end with exactly what both kept
// and what either added; the sides may be swapped; doing it again does nothing.
func TestUnionLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.SliceOfNDistinct(rapid.SampledFrom(strings.Split("abcdefg", "")), 0, 7, rapid.ID)
		base, left, right := gen.Draw(t, "base"), gen.Draw(t, "left"), gen.Draw(t, "right")
		in := func(s []string, e string) bool { return slices.Contains(s, e) }
		var want []string
		for e := range strings.SplitSeq("abcdefg", "") {
			if in(left, e) && in(right, e) || (in(left, e) || in(right, e)) && !in(base, e) {
				want = append(want, e)
			}
		}
		now := [2]record.Value{tags(left...), tags(right...)}
		d := unionOf(Rule{}, tags(base...), now[0], now[1])
		for _, s := range record.Sides {
			if d.Act.Writes(s) {
				now[s] = d.Value
			}
		}
		rule := Rule{}
		for _, s := range record.Sides {
			if !rule.sameElements(now[s], tags(want...)) {
				t.Fatalf("%v: the %v side holds %v, want %v", d.Act, s, now[s], want)
			}
		}
		swapped := unionOf(Rule{}, tags(base...), tags(right...), tags(left...))
		if swapped.Act != mirrored(d.Act) || !rule.sameElements(swapped.Value, d.Value) {
			t.Fatalf("swapped: %v %v, want %v %v", swapped.Act, swapped.Value, mirrored(d.Act), d.Value)
		}
		again := Cell(Rule{Policy: Union}, Seen{Now: now[0], Base: record.Keep(now[0])}, Seen{Now: now[1], Base: record.Keep(now[1])}, 0)
		if again.Act != Keep {
			t.Fatalf("again: %v", again.Act)
		}
	})
}

// mirrored is the act with left and right swapped.
func mirrored(a Act) Act {
	switch a {
	case WriteLeft:
		return WriteRight
	case WriteRight:
		return WriteLeft
	case Keep, Adopt, WriteBoth, Pending, Hold, Drift:
	}
	return a
}

// The same elements in another order are no difference worth telling.
func TestUnionOrderIsNoDifference(t *testing.T) {
	seen := func(v record.Value) Seen { return Seen{Now: v, Base: record.Keep(v)} }
	d := Cell(Rule{Policy: Union}, seen(tags("a", "b")), seen(tags("b", "a")), 0)
	if d.Act != Keep || d.Reason.Text != "nothing changed" {
		t.Errorf("got %v, %q", d.Act, d.Reason)
	}
}
