package merge

import (
	"strings"
	"testing"

	"nightporter/sync/record"
)

// stays is a group of three: arrival and departure, which a stay can't be without,
// and a unit. A side is written "a d u": "-" is not shown, "0" empty.
func stays(policy Policy, more func(*Rule)) []Rule {
	rules := []Rule{
		{Field: "arrival", Group: "stay", Policy: policy, Required: true},
		{Field: "departure", Group: "stay", Policy: policy, Required: true},
		{Field: "unit", Group: "stay", Policy: policy},
	}
	for i := range rules {
		if more != nil {
			more(&rules[i])
		}
	}
	return rules
}

func fieldsOf(s string) record.Fields {
	f := record.Fields{}
	for i, w := range strings.Fields(s) {
		name := []string{"arrival", "departure", "unit"}[i]
		switch w {
		case "-":
		case "0":
			f[name] = record.Nothing()
		default:
			f[name] = text(w)
		}
	}
	return f
}

func sideOf(base, now string) Side {
	return Side{Base: record.BaseOf(fieldsOf(base)), Now: fieldsOf(now), Changed: noon}
}

// acts shows decisions as the tables do.
func acts(ds []Decision) string {
	words := make([]string, len(ds))
	for i, d := range ds {
		words[i] = glyphs[d.Act]
	}
	return strings.Join(words, " ")
}

func TestGroups(t *testing.T) {
	ignore := func(r *Rule) { r.Clear = IgnoreClear }
	toRight := func(r *Rule) { r.To = ToRight }
	enforced := func(r *Rule) { r.To, r.Enforce = ToRight, true }
	tests := []struct {
		name        string
		policy      Policy
		more        func(*Rule)
		base        string // of both sides, unless baseR is given
		left, right string
		baseR       string
		want        string
	}{
		{"nobody moved", LeftWins, nil, "1 3 x", "1 3 x", "1 3 x", "", ". . ."},
		{"one side moved one field", LeftWins, nil, "1 3 x", "1 3 x", "2 3 x", "", "< = ="},
		{"one side moved two", LeftWins, nil, "1 3 x", "2 4 x", "1 3 x", "", "> > ="},
		{"what differed since long is brought along", Person, nil, "1 3 x", "2 3 x", "1 3 y", "1 3 y", "> = >"},
		{"each moved another field", Person, nil, "1 3 x", "2 3 x", "1 4 x", "", "! ! ."},
		{"each moved another field, right wins whole", RightWins, nil, "1 3 x", "2 3 x", "1 4 x", "", "< < ="},
		{"each moved another field, left wins whole", LeftWins, nil, "1 3 x", "2 3 x", "1 4 x", "", "> > ="},
		{"both moved to the same", Person, nil, "1 3 x", "2 4 x", "2 4 x", "", "= = ="},
		{"one part the same, one not", Person, nil, "1 3 x", "2 4 x", "2 5 x", "", ". ! ."},
		{"tie of times", Newest, nil, "1 3 x", "2 3 x", "1 4 x", "", "! ! ."},
		{"a policy that can't weigh groups", Max, nil, "1 3 x", "2 3 x", "1 4 x", "", "! ! ."},
		{"union can't", Union, nil, "1 3 x", "2 3 x", "1 4 x", "", "! ! ."},
		{"consent can't", Consent, nil, "1 3 x", "2 3 x", "1 4 x", "", "! ! ."},
		{"rules can't", Rules, nil, "1 3 x", "2 3 x", "1 3 x", "", "! . ."},

		{"not shown by the side that moved", LeftWins, nil, "1 3 x", "2 3 -", "1 3 x", "", "? ? ?"},
		{"not shown by the other side", LeftWins, nil, "1 3 x", "2 3 x", "1 3 -", "", "? ? ?"},
		{"not shown, nobody moved", LeftWins, nil, "1 3 x", "1 3 -", "1 3 x", "", ". . ."},

		{"an emptied part travels", LeftWins, nil, "1 3 x", "1 3 0", "1 3 x", "", "= = >"},
		{"an emptied part is ignored", LeftWins, ignore, "1 3 x", "1 3 0", "1 3 x", "", "= = ="},
		{"an emptied part of a change travels with it", LeftWins, ignore, "1 3 x", "2 3 0", "1 3 x", "", "> = >"},
		{"a required part is not emptied", LeftWins, nil, "1 3 x", "2 0 x", "1 3 x", "", "! ! ."},
		{"a required part is not emptied by winning", LeftWins, nil, "1 3 x", "2 0 x", "1 4 x", "", "! ! ."},
		{"setting beats emptying", LeftWins, nil, "1 3 x", "1 3 0", "2 3 x", "", "< = <"},

		{"fill_empty writes over nothing", FillEmpty, nil, "1 3 x", "2 3 x", "1 3 x", "", "= = ="},
		{"fill_empty fills", FillEmpty, nil, "0 0 0", "2 3 0", "0 0 0", "", "> > ="},

		{"first contact, one is empty", Person, nil, "", "1 3 x", "0 0 0", "", "> > >"},
		{"first contact, one lacks a part", Person, nil, "", "1 3 x", "1 3 0", "", "= = >"},
		{"first contact, both have what the other lacks", Person, nil, "", "1 3 0", "2 3 x", "", "! . !"},
		{"first contact, the same", Person, nil, "", "1 3 x", "1 3 x", "", "= = ="},
		{"first contact, not all shown", Person, nil, "", "1 3 x", "1 3 -", "", "= = ."},
		{"a new part agrees", Person, nil, "1 3", "1 3 x", "1 3 x", "", "= = ="},
		{"a new part is filled", Person, nil, "1 3", "1 3 x", "1 3 0", "", "= = >"},
		{"a new part differs", Person, func(r *Rule) { r.Initial = RightWins }, "1 3", "1 3 x", "1 3 y", "", "= = <"},
		{"a new part differs, another moved", Person, func(r *Rule) { r.Initial = RightWins }, "1 3", "2 3 x", "1 3 y", "", "! . !"},
		{"a new part is empty where another moved", LeftWins, nil, "1 3", "2 3 0", "1 3 y", "", "! . !"},
		{"a new part is empty where another moved, and across", LeftWins, nil, "1 3", "2 3 0", "1 3 0", "", "> = ="},
		{"a new part is filled where another moved", LeftWins, nil, "1 3", "2 3 x", "1 3 0", "", "> = >"},

		{"one way", Person, toRight, "1 3 x", "2 3 x", "1 4 x", "", "> > ="},
		{"one way, only the receiver", Person, toRight, "1 3 x", "1 3 x", "1 4 x", "", ". ~ ."},
		{"one way, put back", Person, enforced, "1 3 x", "1 3 x", "1 4 x", "", "= > ="},
		{"one way, origin half shown", Person, toRight, "1 3 x", "2 3 -", "1 3 x", "", "? ? ?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.baseR == "" {
				tt.baseR = tt.base
			}
			l, r := sideOf(tt.base, tt.left), sideOf(tt.baseR, tt.right)
			if got := acts(Merge(stays(tt.policy, tt.more), l, r, nil, 0)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Fields of a group need not stand together, and one field's hold stops no other's.
func TestOneDecisionARuleInTheirOrder(t *testing.T) {
	rules := []Rule{
		{Field: "arrival", Group: "stay", Policy: Person},
		{Field: "unit", Policy: LeftWins},
		{Field: "departure", Group: "stay", Policy: Person},
	}
	ds := Merge(rules, sideOf("1 3 x", "2 3 y"), sideOf("1 3 x", "1 4 x"), nil, 0)
	if got, want := acts(ds), "! > !"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for i, d := range ds {
		if d.Field != rules[i].Field || d.Group != rules[i].Group {
			t.Errorf("decision %d is of %s, want %s", i, d.Field, rules[i].Field)
		}
	}
}

func TestChoices(t *testing.T) {
	saw := func(take, value, l, r string) Choice {
		return Choice{Take: record.Choice(take), Value: text(value), Left: text(l), Right: text(r)}
	}
	type choices = map[string]Choice
	tests := []struct {
		name        string
		rules       []Rule
		left, right string
		choices     choices
		want        string
		value       string // of the first decision, where it writes
	}{
		{"left", stays(Person, nil)[:1], "2", "4", choices{"arrival": saw("left", "", "2", "4")}, ">", "2"},
		{"right", stays(Person, nil)[:1], "2", "4", choices{"arrival": saw("right", "", "2", "4")}, "<", "4"},
		{"a value of its own", stays(Person, nil)[:1], "2", "4", choices{"arrival": saw("value", "5", "2", "4")}, "x", "5"},
		{"a value that left has", stays(Person, nil)[:1], "2", "4", choices{"arrival": saw("value", "2", "2", "4")}, ">", "2"},
		{"left moved on", stays(Person, nil)[:1], "2", "4", choices{"arrival": saw("left", "", "9", "4")}, "!", ""},
		{"right moved on", stays(Person, nil)[:1], "2", "4", choices{"arrival": saw("left", "", "2", "9")}, "!", ""},
		{"no such choice", stays(Person, nil)[:1], "2", "4", choices{"arrival": saw("both", "", "2", "4")}, "!", ""},
		{"never empties what is required", stays(Person, nil)[:1], "2", "4", choices{"arrival": saw("value", "", "2", "4")}, "!", ""},
		{"nothing is held", stays(LeftWins, nil)[:1], "2", "4", choices{"arrival": saw("right", "", "2", "4")}, ">", "2"},
		{"against the direction", []Rule{{Field: "arrival", To: ToRight, Policy: Person, Required: true}}, "0", "1", choices{"arrival": {Take: "right", Left: record.Nothing(), Right: text("1")}}, "=", ""},
		{"half a group", stays(Person, nil), "2 3 x", "1 4 x", choices{"arrival": saw("left", "", "2", "1")}, "! ! .", ""},
		{"a whole group", stays(Person, nil), "2 3 x", "1 4 x", choices{"arrival": saw("left", "", "2", "1"), "departure": saw("left", "", "3", "4")}, "> > =", "2"},
		{"a group, stale in one", stays(Person, nil), "2 3 x", "1 4 x", choices{"arrival": saw("left", "", "2", "1"), "departure": saw("left", "", "3", "9")}, "! ! .", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ds := Merge(tt.rules, sideOf("1 3 x", tt.left), sideOf("1 3 x", tt.right), tt.choices, 0)
			if got := acts(ds); got != tt.want {
				t.Fatalf("got %q, want %q: %s", got, tt.want, ds[0].Reason)
			}
			if v := ds[0].Value; v.Text() != tt.value {
				t.Errorf("writes %v, want %q", v, tt.value)
			}
		})
	}
}

// A value that a person typed reached one side alone, and both bases say that nobody
// moved since. It is brought to the other; decided otherwise meanwhile, or asked about as
// it stands, it is a person's still, and never forgotten.
func TestChoiceHalfCarriedOut(t *testing.T) {
	asked := func(take, l, r string) map[string]Choice {
		return map[string]Choice{"arrival": {Take: record.Choice(take), Value: text("5"), Left: text(l), Right: text(r)}}
	}
	for _, tt := range []struct {
		name    string
		right   string // now; 1 is settled there, and 5 on the left
		choices map[string]Choice
		want    string // with the sides exchanged as well
	}{
		{"as it was decided", "1", asked("value", "2", "1"), ">"},
		{"the other side moved on", "9", asked("value", "2", "1"), "!"},
		{"decided anew on what was shown", "1", asked("left", "2", "1"), "!"},
		{"decided anew on what stands", "1", asked("left", "5", "1"), ">"},
		{"asked about what stands", "1", asked("", "5", "1"), "!"},
		{"asked about what is no more", "1", asked("", "2", "1"), "."},
		{"not asked", "1", nil, "."},
		{"not shown", "-", asked("value", "2", "1"), "."},
		{"once and for all is for what is held", "1", map[string]Choice{"arrival": {Take: "left", Always: true}}, "."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			left, right := sideOf("5", "5"), sideOf("1", tt.right)
			rules := stays(Person, nil)[:1]
			if got := acts(Merge(rules, left, right, tt.choices, 0)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			mirrored := map[string]Choice{}
			for f, c := range tt.choices {
				c.Left, c.Right = c.Right, c.Left
				c.Take = record.Choice(strings.NewReplacer("left", "right").Replace(string(c.Take)))
				mirrored[f] = c
			}
			want := strings.NewReplacer("<", ">", ">", "<").Replace(tt.want)
			if got := acts(Merge(rules, right, left, mirrored, 0)); got != want {
				t.Errorf("with the sides exchanged: got %q, want %q", got, want)
			}
		})
	}
}
