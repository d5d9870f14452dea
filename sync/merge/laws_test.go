package merge

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nightporter/sync/record"
)

// world is a link with its rules, drawn at random, and what its two systems make of
// what they are given.
type world struct {
	rules   []Rule
	side    [2]Side
	choices map[string]Choice
	skew    time.Duration
	stores  [2]func(record.Value) record.Value
}

func plain(v record.Value) record.Value { return v }

// lowers is a system that keeps texts in small letters, and cuts them short.
func lowers(v record.Value) record.Value {
	if v.Type() != record.Text {
		return v
	}
	s := strings.ToLower(v.Text())
	return text(s[:min(2, len(s))])
}

var policies = []Policy{LeftWins, RightWins, Newest, Union, Max, Min, FillEmpty, Rules, Consent, Person, ""}

// values is what the fields of a policy may hold; the first is not shown.
func values(p Policy) []record.Value {
	vs := []record.Value{{}, record.Nothing(), text("")}
	switch p {
	case Union:
		return append(vs, tags(), tags("a"), tags("b", "a"), tags("a", "b"), tags("a", "c"))
	case Rules:
		return append(vs, text("pending"), text("confirmed"), text("cancelled"), text("checked_in"), text("no_show"), text("completed"))
	case Consent:
		return append(vs, record.OfBool(true), record.OfBool(false), text("revoked"))
	case LeftWins, RightWins, Newest, Max, Min, FillEmpty, Person:
	}
	return append(vs, text("a"), text("Abc"), text("ab"), text("b"), text("B"))
}

func drawRule(t *rapid.T, group string) Rule {
	r := Rule{
		Group:    group,
		Policy:   rapid.SampledFrom(policies).Draw(t, "policy"),
		Initial:  rapid.SampledFrom(append([]Policy{"", ""}, policies...)).Draw(t, "initial"),
		To:       rapid.SampledFrom([]Direction{Both, Both, ToLeft, ToRight}).Draw(t, "to"),
		Enforce:  rapid.Bool().Draw(t, "enforce"),
		Clear:    rapid.SampledFrom([]Clear{"", Propagate, IgnoreClear, HoldClear}).Draw(t, "clear"),
		Required: rapid.Bool().Draw(t, "required"),
		Lossy:    rapid.Bool().Draw(t, "lossy"),
	}
	if r.Policy == Rules {
		r.Machine = Stay(rapid.SampledFrom(record.Sides[:]).Draw(t, "authority"))
	} else if r.Initial == Rules {
		r.Initial = Person
	}
	return r
}

// draw makes a world in which anything may be the case: half-known bases, fields
// that are not shown, digests, choices made on older values.
func draw(t *rapid.T) world {
	w := world{choices: map[string]Choice{}, stores: [2]func(record.Value) record.Value{plain, plain}}
	w.skew = rapid.SampledFrom([]time.Duration{-1, 0, time.Minute}).Draw(t, "skew")
	lower := rapid.IntRange(-1, 1).Draw(t, "which side lowers")
	if lower >= 0 {
		w.stores[lower] = lowers
	}
	for n, group := range []string{"", "", "g", "g", "h", "h", ""}[:rapid.IntRange(1, 7).Draw(t, "fields")] {
		r := drawRule(t, group)
		if n > 0 && group != "" && w.rules[n-1].Group == group { // one policy a group
			first := w.rules[n-1]
			r.Policy, r.Initial, r.To, r.Enforce, r.Machine = first.Policy, first.Initial, first.To, first.Enforce, first.Machine
		}
		r.Field = string(rune('a' + n))
		if r.Policy != Rules {
			r.Same = func(x, y record.Value) bool { return w.stores[1](x).Equal(y) || w.stores[0](y).Equal(x) }
		}
		w.rules = append(w.rules, r)
	}
	for s := range w.side {
		w.side[s] = drawSide(t, w.rules)
	}
	for _, r := range w.rules {
		v := rapid.SampledFrom(values(r.Policy))
		if rapid.IntRange(0, 3).Draw(t, "chosen") == 0 {
			c := Choice{Take: rapid.SampledFrom([]record.Choice{"", record.ChoiceLeft, record.ChoiceRight, record.ChoiceValue}).Draw(t, "take"), Value: v.Draw(t, "value")}
			c.Left, c.Right = w.side[0].Now[r.Field], w.side[1].Now[r.Field]
			c.Again = rapid.IntRange(0, 3).Draw(t, "asked again") == 0
			c.Force = c.Again
			if rapid.IntRange(0, 3).Draw(t, "stale") == 0 {
				c.Left = v.Draw(t, "saw")
			}
			w.choices[r.Field] = c
		}
	}
	return w
}

func drawSide(t *rapid.T, rules []Rule) Side {
	s := Side{Now: record.Fields{}, Base: map[string]record.Stored{}}
	if rapid.Bool().Draw(t, "digests") {
		s.Key = []byte("key")
	}
	s.Changed = rapid.SampledFrom([]time.Time{{}, noon, noon.Add(30 * time.Second), noon.Add(time.Hour)}).Draw(t, "changed")
	for _, r := range rules {
		v := rapid.SampledFrom(values(r.Policy))
		if b := v.Draw(t, "base"); b.Observed() {
			s.Base[r.Field] = kept(s.Key, b)
			if rapid.Bool().Draw(t, "unchanged") {
				s.Now[r.Field] = b
				continue
			}
		}
		s.Now[r.Field] = v.Draw(t, "now")
	}
	return s
}

func (w *world) merge() []Decision {
	return Merge(w.rules, w.side[0], w.side[1], w.choices, w.skew)
}

// apply does what the decisions say, as an engine would: what was written is read
// back, and that is the base; a choice lasts as long as its field is held, or another of
// its group. It gives the number of writes.
func (w *world) apply(ds []Decision) (writes int) {
	for _, d := range ds {
		for _, s := range record.Sides {
			if d.Act.Writes(s) {
				w.side[s].Now[d.Field] = w.stores[s](d.Value)
				writes++
			}
		}
		isHeld := func(x Decision) bool {
			return x.Act == Hold && (x.Field == d.Field || d.Group != "" && x.Group == d.Group)
		}
		if !slices.ContainsFunc(ds, isHeld) {
			delete(w.choices, d.Field)
		}
		if d.Act == Adopt || d.Value.Observed() {
			for s := range w.side {
				w.side[s].Base[d.Field] = kept(w.side[s].Key, w.side[s].Now[d.Field])
			}
		}
	}
	return writes
}

// A field that one side did not show is never written, on neither side; a required
// one never emptied; a one-way one never written against its direction; and one that
// moved on neither side only where a person decided so.
func TestLawNoUnjustifiedWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t)
		for i, d := range w.merge() {
			r := w.rules[i]
			for _, s := range record.Sides {
				if !d.Act.Writes(s) {
					continue
				}
				f := field{rule: &r, seen: [2]Seen{w.side[0].seen(r.Field), w.side[1].seen(r.Field)}}
				switch {
				case !d.Left.Observed() || !d.Right.Observed():
					t.Fatalf("%s: %v, and a side does not show it", d.Field, d.Act)
				case r.Required && d.Value.Empty():
					t.Fatalf("%s: %v empties a required field", d.Field, d.Act)
				case !r.To.allows(s):
					t.Fatalf("%s: %v against its direction", d.Field, d.Act)
				case r.Group == "" && f.move(0) == still && f.move(1) == still && !w.chosen(&f, d):
					t.Fatalf("%s: %v, and nobody moved", d.Field, d.Act)
				}
			}
		}
	})
}

// chosen reports whether a person decided what a decision writes, on what is seen now.
func (w *world) chosen(f *field, d Decision) bool {
	c := w.choices[d.Field]
	return d.Policy == Person && d.Value.Equal(c.pick(f)) && c.holds(f)
}

// Every value that somebody entered is, afterwards, where it was entered, or in the
// decision that replaced it.
func TestLawNoLostUpdate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t)
		for i, d := range w.merge() {
			r := w.rules[i]
			f := field{rule: &r, seen: [2]Seen{w.side[0].seen(r.Field), w.side[1].seen(r.Field)}}
			if d.Policy == Union || d.Act == WriteBoth {
				continue // elements have their own law; Left and Right of a person's value tell both
			}
			for _, s := range record.Sides {
				if d.Act.Writes(s) && f.move(s) > still && !d.Loser.Equal(f.now(s)) {
					t.Fatalf("%s: %v replaces %v, which was meant, loser %v", d.Field, d.Act, f.now(s), d.Loser)
				}
			}
		}
	})
}

// A lone edit of a two-way field arrives, or waits for a person: it is never undone. A
// union may give that side what it lacks: what was added stays, what was removed as well.
func TestLawLoneEditIsNeverUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t)
		w.choices = nil
		for i, d := range w.merge() {
			r := w.rules[i]
			f := field{rule: &r, seen: [2]Seen{w.side[0].seen(r.Field), w.side[1].seen(r.Field)}}
			for _, s := range record.Sides {
				alone := r.Group == "" && r.To == Both && !r.Enforce && f.settled() && f.move(s) > still && f.move(s.Other()) == still
				if alone && d.Act.Writes(s) && (d.Policy != Union || !f.keeps(s, d.Value)) {
					t.Fatalf("%s: only the %v side moved, and %v", d.Field, s, d.Act)
				}
			}
		}
	})
}

// keeps reports whether a set has all that side s has, and nothing that was removed there.
func (f *field) keeps(s record.Side, v record.Value) bool {
	es, ok := f.elements(s)
	_, set, _ := f.rule.elements(v)
	for k := range es.now {
		ok = ok && has(set, k)
	}
	for k := range es.base {
		ok = ok && (has(es.now, k) || !has(set, k))
	}
	return ok
}

// Doing what was decided and deciding again gives no write, whatever the systems made
// of what they were given, and nothing changes from then on.
func TestLawQuiet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t)
		if rapid.Bool().Draw(t, "a system that never stores what it is given") {
			n := 0
			w.stores[1] = func(v record.Value) record.Value { n++; return text(strings.Repeat("z", n)) }
		}
		w.apply(w.merge())
		second := w.merge()
		if n := w.apply(second); n > 0 {
			t.Fatalf("%d writes in the second round: %s", n, acts(second))
		}
		if third := w.merge(); acts(third) != acts(second) && w.apply(third) > 0 {
			t.Fatalf("third round %s after %s", acts(third), acts(second))
		}
	})
}

// Nothing depends on the order in which rules are given, as long as a group begins
// with the rule that speaks for it.
func TestLawOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t)
		want := map[string]Decision{}
		for _, d := range w.merge() {
			want[d.Field] = d
		}
		seed := rapid.Uint64().Draw(t, "seed")
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(w.rules), func(i, j int) { w.rules[i], w.rules[j] = w.rules[j], w.rules[i] })
		for i, d := range w.merge() {
			if d.Field != w.rules[i].Field {
				t.Fatalf("decision %d is of %s, rule of %s", i, d.Field, w.rules[i].Field)
			}
			if diff := cmp.Diff(want[d.Field], d); diff != "" {
				t.Fatalf("shuffled: %s", diff)
			}
		}
	})
}

// Swapping the sides, and what rules say of sides, swaps the outcome.
func TestLawSymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t)
		ds := w.merge()
		m := w.mirror()
		for i, got := range m.merge() {
			want := ds[i]
			want.Act, want.Policy, want.Reason = mirrored(want.Act), mirroredPolicy(want.Policy), mirroredReason(want.Reason)
			want.Left, want.Right = want.Right, want.Left
			want.BaseLeft, want.BaseRight = want.BaseRight, want.BaseLeft
			if (&Rule{}).sameElements(got.Value, want.Value) { // a union's order is left's
				got.Value = want.Value
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("mirrored: %s", diff)
			}
		}
	})
}

func (w *world) mirror() world {
	m := world{side: [2]Side{w.side[1], w.side[0]}, choices: map[string]Choice{}, skew: w.skew}
	for _, r := range w.rules {
		same := r.Same
		if same != nil {
			r.Same = func(l, r record.Value) bool { return same(r, l) }
		}
		r.Policy, r.Initial = mirroredPolicy(r.Policy), mirroredPolicy(r.Initial)
		r.To = []Direction{Both, ToRight, ToLeft}[r.To]
		if r.Machine != nil {
			r.Machine = Stay(r.Machine.Authority.Other())
		}
		m.rules = append(m.rules, r)
	}
	for f, c := range w.choices {
		c.Left, c.Right = c.Right, c.Left
		if i := slices.Index([]record.Choice{record.ChoiceLeft, record.ChoiceRight}, c.Take); i >= 0 {
			c.Take = []record.Choice{record.ChoiceRight, record.ChoiceLeft}[i]
		}
		m.choices[f] = c
	}
	return m
}

func mirroredPolicy(p Policy) Policy {
	switch p {
	case LeftWins:
		return RightWins
	case RightWins:
		return LeftWins
	case Newest, Union, Max, Min, FillEmpty, Rules, Consent, Person:
	}
	return p
}

func mirroredReason(r Reason) Reason {
	r.Text = strings.NewReplacer("the left side", "the right side", "the right side", "the left side").Replace(r.Text)
	return r
}

// A person chose a side's value, and one of the values has changed since. No rule writes anything but what they chose.
func TestLawNoRuleDecidesWhatAPersonDecided(t *testing.T) {
	overtaken := 0
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t)
		for _, d := range w.merge() {
			c := w.choices[d.Field]
			took := c.Take == record.ChoiceLeft || c.Take == record.ChoiceRight
			stale := !c.Left.Equal(d.Left) || !c.Right.Equal(d.Right)
			if d.Group != "" || !took || !stale || !d.Left.Observed() || !d.Right.Observed() {
				continue
			}
			if d.Act == Hold && d.Policy == Overtaken {
				overtaken++
			}
			if d.Act.Writes(record.Right) && (c.Take != record.ChoiceLeft || !d.Left.Equal(c.Left)) ||
				d.Act.Writes(record.Left) && (c.Take != record.ChoiceRight || !d.Right.Equal(c.Right)) {
				t.Fatalf("%s is written %s: %+v, chosen %+v", d.Field, d.Act, d, c)
			}
		}
	})
	if overtaken == 0 {
		t.Error("no choice was overtaken")
	}
}
