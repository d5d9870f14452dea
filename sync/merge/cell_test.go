package merge

import (
	"strings"
	"testing"
	"time"

	"nightporter/sync/record"
)

var noon = time.Date(2031, 5, 4, 12, 0, 0, 0, time.UTC)

func text(s string) record.Value { return record.OfText(s) }

func tags(names ...string) record.Value {
	vs := make([]record.Value, len(names))
	for i, n := range names {
		vs[i] = text(n)
	}
	return record.OfList(vs...)
}

// glyphs are the acts as the tables here show them.
var glyphs = map[Act]string{
	Keep: ".", Adopt: "=", WriteLeft: "<", WriteRight: ">", WriteBoth: "x", Pending: "?", Hold: "!", Drift: "~",
}

// sample is the values of a table: what both sides were settled on, and what each
// was changed to.
type sample struct{ base, left, right record.Value }

var (
	words    = sample{text("old"), text("Left"), text("Right")}
	lists    = sample{tags("a", "b"), tags("a", "b", "l"), tags("a", "b", "r")}
	consents = sample{text("asked"), text("granted"), text("revoked")}
	statuses = sample{text("pending"), text("confirmed"), text("cancelled")}
	days     = sample{text("2031-01-05"), text("2031-01-07"), text("2031-01-06")}
)

// side gives one side of a cell: hidden, still, cleared or set.
func (s sample) side(m move, now record.Value) Seen {
	seen := Seen{Base: record.Keep(s.base), Changed: noon}
	switch m {
	case hidden:
	case still:
		seen.Now = s.base
	case cleared:
		seen.Now = record.Nothing()
	case set:
		seen.Now = now
	}
	return seen
}

func stay() *Machine { return Stay(record.Right) }

// TestSettledCells is the table of a field that has a base on both sides: rows are
// the left side not shown, unchanged, cleared, changed; columns the right side.
func TestSettledCells(t *testing.T) {
	tests := []struct {
		name string
		rule Rule
		of   sample
		late time.Duration // by which the left record changed after the right one
		want [4]string
	}{
		{"left", Rule{Policy: LeftWins}, words, 0, [4]string{". . ? ?", ". . < <", "? > = <", "? > > >"}},
		{"right", Rule{Policy: RightWins}, words, 0, [4]string{". . ? ?", ". . < <", "? > = <", "? > > <"}},
		{"newest, left", Rule{Policy: Newest}, words, time.Hour, [4]string{". . ? ?", ". . < <", "? > = <", "? > > >"}},
		{"newest, right", Rule{Policy: Newest}, words, -time.Hour, [4]string{". . ? ?", ". . < <", "? > = <", "? > > <"}},
		{"newest, tie", Rule{Policy: Newest}, words, time.Second, [4]string{". . ? ?", ". . < <", "? > = <", "? > > !"}},
		{"max", Rule{Policy: Max}, days, 0, [4]string{". . ? ?", ". . < <", "? > = <", "? > > >"}},
		{"min", Rule{Policy: Min}, days, 0, [4]string{". . ? ?", ". . < <", "? > = <", "? > > <"}},
		{"hold", Rule{Policy: Person}, words, 0, [4]string{". . ? ?", ". . < <", "? > = <", "? > > !"}},
		{"none", Rule{}, words, 0, [4]string{". . ? ?", ". . < <", "? > = <", "? > > !"}},
		{"unknown", Rule{Policy: "newset"}, words, 0, [4]string{". . ? ?", ". . < <", "? > = <", "? > > !"}},
		{"union", Rule{Policy: Union}, lists, 0, [4]string{". . ? ?", ". . < <", "? > = x", "? > x x"}},
		{"union, no clears", Rule{Policy: Union, Clear: IgnoreClear}, lists, 0, [4]string{". . ? ?", ". . = <", "? = = <", "? > > x"}},
		{"fill_empty", Rule{Policy: FillEmpty}, words, 0, [4]string{". . ? ?", ". . = =", "? = = <", "? = > ="}},
		{"consent", Rule{Policy: Consent}, consents, 0, [4]string{". . ? ?", ". . < <", "? > = =", "? > < <"}},
		{"rules", Rule{Policy: Rules, Machine: stay()}, statuses, 0, [4]string{". . ? ?", ". . ~ <", "? ~ = <", "? > > <"}},
		{"rules, none given", Rule{Policy: Rules}, statuses, 0, [4]string{". . ? ?", ". . ! !", "? ! = !", "? ! ! !"}},
		{"clear ignored", Rule{Policy: LeftWins, Clear: IgnoreClear}, words, 0, [4]string{". . ? ?", ". . = <", "? = = <", "? > > >"}},
		{"clear held", Rule{Policy: LeftWins, Clear: HoldClear}, words, 0, [4]string{". . ? ?", ". . ! <", "? ! = <", "? > > >"}},
		{"required", Rule{Policy: LeftWins, Required: true}, words, 0, [4]string{". . ? ?", ". . ! <", "? ! = <", "? > > >"}},
		{"to right", Rule{To: ToRight}, words, 0, [4]string{". . ~ ~", ". . ~ ~", "? > = ~", "? > > >"}},
		{"to left", Rule{To: ToLeft}, words, 0, [4]string{". . ? ?", ". . < <", "~ ~ = <", "~ ~ ~ <"}},
		{"to right, enforced", Rule{To: ToRight, Enforce: true}, words, 0, [4]string{". . ~ ~", ". . > >", "? > = >", "? > > >"}},
		{"to right, fill_empty", Rule{To: ToRight, Policy: FillEmpty}, words, 0, [4]string{". . ~ ~", ". . ~ ~", "? = = ~", "? = > ="}},
		{"to right, rules", Rule{To: ToRight, Policy: Rules, Machine: stay()}, statuses, 0, [4]string{". . ~ ~", ". . ~ ~", "? ~ = ~", "? > > ~"}},
		{"to right, consent", Rule{To: ToRight, Policy: Consent}, consents, 0, [4]string{". . ~ ~", ". . ~ ~", "? > = =", "? > ~ ~"}},
		{"to right, union", Rule{To: ToRight, Policy: Union}, lists, 0, [4]string{". . ~ ~", ". . ~ ~", "? > = ~", "? > > >"}},
	}
	moves := []move{hidden, still, cleared, set}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for row, lm := range moves {
				var got []string
				for _, rm := range moves {
					l, r := tt.of.side(lm, tt.of.left), tt.of.side(rm, tt.of.right)
					l.Changed = l.Changed.Add(tt.late)
					got = append(got, checked(t, tt.rule, l, r, tt.of))
				}
				if g := strings.Join(got, " "); g != tt.want[row] {
					t.Errorf("row %d: got %q, want %q", row, g, tt.want[row])
				}
			}
		})
	}
}

// TestFirstContactCells is the table of a field without a base: not shown, empty,
// a value.
func TestFirstContactCells(t *testing.T) {
	tests := []struct {
		name string
		rule Rule
		of   sample
		late time.Duration
		want [3]string
	}{
		{"left", Rule{Policy: LeftWins}, words, 0, [3]string{". . .", ". = <", ". > >"}},
		{"right", Rule{Policy: RightWins}, words, 0, [3]string{". . .", ". = <", ". > <"}},
		{"hold", Rule{Policy: Person}, words, 0, [3]string{". . .", ". = <", ". > !"}},
		{"none", Rule{}, words, 0, [3]string{". . .", ". = <", ". > !"}},
		{"hold, initial left", Rule{Policy: Person, Initial: LeftWins}, words, 0, [3]string{". . .", ". = <", ". > >"}},
		{"left, initial hold", Rule{Policy: LeftWins, Initial: Person}, words, 0, [3]string{". . .", ". = <", ". > !"}},
		{"newest", Rule{Policy: Newest}, words, time.Hour, [3]string{". . .", ". = <", ". > >"}},
		{"newest, tie", Rule{Policy: Newest}, words, 0, [3]string{". . .", ". = <", ". > !"}},
		{"max", Rule{Policy: Max}, days, 0, [3]string{". . .", ". = <", ". > >"}},
		{"min", Rule{Policy: Min}, days, 0, [3]string{". . .", ". = <", ". > <"}},
		{"union", Rule{Policy: Union}, lists, 0, [3]string{". . .", ". = <", ". > x"}},
		{"fill_empty", Rule{Policy: FillEmpty}, words, 0, [3]string{". . .", ". = <", ". > ="}},
		{"consent", Rule{Policy: Consent}, consents, 0, [3]string{". . .", ". = <", ". = <"}},
		{"rules", Rule{Policy: Rules, Machine: stay()}, sample{left: text("confirmed"), right: text("checked_in")}, 0, [3]string{". . .", ". = <", ". > <"}},
		{"rules, not its word", Rule{Policy: Rules, Machine: stay()}, sample{left: text("checked_in"), right: text("confirmed")}, 0, [3]string{". . .", ". = <", ". ~ <"}},
		{"rules, one is over", Rule{Policy: Rules, Machine: stay()}, sample{left: text("cancelled"), right: text("confirmed")}, 0, [3]string{". . .", ". = <", ". > !"}},
		{"required", Rule{Policy: LeftWins, Required: true, Clear: HoldClear}, words, 0, [3]string{". . .", ". = <", ". > >"}},
		{"to right", Rule{To: ToRight}, words, 0, [3]string{". . .", ". = =", ". > >"}},
		{"to right, hold", Rule{To: ToRight, Policy: Person}, words, 0, [3]string{". . .", ". = =", ". > !"}},
		{"to right, right", Rule{To: ToRight, Policy: RightWins}, words, 0, [3]string{". . .", ". = =", ". > ="}},
		{"to right, fill_empty", Rule{To: ToRight, Policy: FillEmpty}, words, 0, [3]string{". . .", ". = =", ". > ="}},
		{"to right, union", Rule{To: ToRight, Policy: Union}, lists, 0, [3]string{". . .", ". = =", ". > >"}},
		{"to left", Rule{To: ToLeft, Policy: Newest}, words, time.Hour, [3]string{". . .", ". = <", ". = <"}},
		{"to right, enforced", Rule{To: ToRight, Enforce: true}, words, 0, [3]string{". . .", ". = =", ". > >"}},
	}
	moves := []move{hidden, cleared, set}
	bases := map[string][2]record.Stored{ // half a base is none
		"no base":    {},
		"left base":  {record.Keep(text("Left")), {}},
		"right base": {{}, record.Keep(text("Right"))},
	}
	for _, tt := range tests {
		for name, base := range bases {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				for row, lm := range moves {
					var got []string
					for _, rm := range moves {
						l, r := tt.of.side(lm, tt.of.left), tt.of.side(rm, tt.of.right)
						l.Base, r.Base, l.Changed = base[0], base[1], l.Changed.Add(tt.late)
						if tt.rule.Policy == Union {
							l.Base, r.Base = record.Stored{}, record.Stored{}
						}
						got = append(got, checked(t, tt.rule, l, r, tt.of))
					}
					if g := strings.Join(got, " "); g != tt.want[row] {
						t.Errorf("row %d: got %q, want %q", row, g, tt.want[row])
					}
				}
			})
		}
	}
}

// checked decides a cell and checks what holds in all of them.
func checked(t *testing.T, rule Rule, l, r Seen, of sample) string {
	t.Helper()
	d := Cell(rule, l, r, time.Minute)
	if why := d.Reason.Text; why == "" || strings.Contains(why, of.left.String()) || strings.Contains(why, of.right.String()) {
		t.Errorf("%v: reason %q is missing or shows a value", d.Act, why)
	}
	writes := d.Act.Writes(record.Left) || d.Act.Writes(record.Right)
	if writes != d.Value.Observed() {
		t.Errorf("%v with value %v", d.Act, d.Value)
	}
	if (d.Act == WriteRight && rule.Policy != Union) && !d.Value.Equal(l.Now) || (d.Act == WriteLeft && rule.Policy != Union) && !d.Value.Equal(r.Now) {
		t.Errorf("%v writes %v, which is not what stands across", d.Act, d.Value)
	}
	if writes && rule.Required && d.Value.Empty() {
		t.Errorf("%v empties a required field", d.Act)
	}
	return glyphs[d.Act]
}

// What one side makes of the other's value is the same value, whoever moved.
func TestEquivalentValuesAreAdopted(t *testing.T) {
	lower := func(l, r record.Value) bool { return strings.ToLower(l.Text()) == r.Text() }
	tests := []struct{ name, baseL, baseR, l, r string }{
		{"both moved", "Old", "old", "New", "new"},
		{"left alone, to what right has", "Old", "new", "New", "new"},
		{"right alone, to what left gives", "New", "old", "New", "new"},
		{"first contact", "", "", "New", "new"},
	}
	for _, p := range []Policy{LeftWins, RightWins, Newest, FillEmpty, Person, ""} {
		for _, to := range []Direction{Both, ToLeft, ToRight} {
			for _, tt := range tests {
				l, r := Seen{Now: text(tt.l)}, Seen{Now: text(tt.r)}
				if tt.baseL != "" {
					l.Base, r.Base = record.Keep(text(tt.baseL)), record.Keep(text(tt.baseR))
				}
				if d := Cell(Rule{Policy: p, To: to, Same: lower}, l, r, 0); d.Act != Adopt {
					t.Errorf("%s, policy %q, direction %d: got %v, want adopt", tt.name, p, to, d.Act)
				}
			}
		}
	}
}

func TestPolicyNames(t *testing.T) {
	for _, p := range policies {
		if got, want := p.Known(), p != ""; got != want {
			t.Errorf("policy %q known: %v", p, got)
		}
	}
	if Policy("newset").Known() {
		t.Error("a mistyped policy is known")
	}
	if got := Drift.String() + ", " + Act(99).String(); got != "drift, unknown" {
		t.Errorf("acts: %s", got)
	}
}

// A standing difference is told, never written.
func TestUnchangedNeverWrites(t *testing.T) {
	l := Seen{Now: text("Ada"), Base: record.Keep(text("Ada"))}
	r := Seen{Now: text("Bob"), Base: record.Keep(text("Bob"))}
	if d := Cell(Rule{Policy: LeftWins, To: ToRight, Enforce: true}, l, r, 0); d.Act != Keep || d.Reason != Standing() {
		t.Errorf("got %v, %q", d.Act, d.Reason)
	}
	if d := Cell(Rule{Policy: LeftWins, Lossy: true}, l, r, 0); d.Act != Keep || d.Reason == Standing() {
		t.Errorf("lossy: got %v, %q", d.Act, d.Reason)
	}
}

// Nothing is nothing, however a system spells it.
func TestEmptinessHasManySpellings(t *testing.T) {
	empties := []record.Value{record.Nothing(), text(""), tags(), record.OfMap(nil)}
	key := []byte("k")
	for _, base := range empties {
		for _, now := range empties {
			for _, kept := range []record.Stored{record.Keep(base), record.KeepDigest(key, base)} {
				l := Seen{Now: now, Base: kept, Key: key}
				r := Seen{Now: text("Bob"), Base: record.Keep(text("Bob"))}
				if d := Cell(Rule{Policy: LeftWins}, l, r, 0); d.Act != Keep {
					t.Errorf("base %v, now %v: got %v, want keep", base.Type(), now.Type(), d.Act)
				}
			}
		}
	}
}

// The value that lost is in the decision, so that somebody can look it up.
func TestLoserIsKept(t *testing.T) {
	tests := []struct {
		name   string
		rule   Rule
		of     sample
		lm, rm move
		want   record.Value
	}{
		{"policy", Rule{Policy: LeftWins}, words, set, set, text("Right")},
		{"newest", Rule{Policy: Newest}, words, set, set, text("Left")},
		{"max", Rule{Policy: Max}, days, set, set, text("2031-01-06")},
		{"consent", Rule{Policy: Consent}, consents, set, set, text("granted")},
		{"absorbing", Rule{Policy: Rules, Machine: stay()}, statuses, set, set, text("confirmed")},
		{"the clear", Rule{Policy: LeftWins}, words, cleared, set, record.Nothing()},
		{"one way", Rule{To: ToRight}, words, set, set, text("Right")},
		{"enforced", Rule{To: ToRight, Enforce: true}, words, still, set, text("Right")},
		{"no conflict", Rule{Policy: LeftWins}, words, set, still, record.Value{}},
		{"no conflict, union", Rule{Policy: Union}, lists, set, set, record.Value{}},
	}
	for _, tt := range tests {
		l, r := tt.of.side(tt.lm, tt.of.left), tt.of.side(tt.rm, tt.of.right)
		r.Changed = r.Changed.Add(time.Hour)
		if d := Cell(tt.rule, l, r, time.Minute); !d.Loser.Equal(tt.want) {
			t.Errorf("%s: %v, loser %v, want %v", tt.name, d.Act, d.Loser, tt.want)
		}
	}
}

func TestNewestNeedsClocks(t *testing.T) {
	tests := []struct {
		name        string
		left, right time.Time
		skew        time.Duration
		want        Act
	}{
		{"left last", noon.Add(2 * time.Minute), noon, time.Minute, WriteRight},
		{"right last", noon, noon.Add(2 * time.Minute), time.Minute, WriteLeft},
		{"just within the skew", noon.Add(time.Minute), noon, time.Minute, Hold},
		{"no skew, a tie", noon, noon, 0, Hold},
		{"left unknown", time.Time{}, noon, 0, Hold},
		{"right unknown", noon, time.Time{}, 0, Hold},
		{"clocks can't be compared", noon.Add(time.Hour), noon, -1, Hold},
	}
	for _, tt := range tests {
		l, r := words.side(set, words.left), words.side(set, words.right)
		l.Changed, r.Changed = tt.left, tt.right
		if d := Cell(Rule{Policy: Newest}, l, r, tt.skew); d.Act != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, d.Act, tt.want)
		}
	}
}

func TestConsentVariants(t *testing.T) {
	yes, no := record.OfBool(true), record.OfBool(false)
	asked := record.Keep(text("asked"))
	tests := []struct {
		name string
		l, r record.Value
		base record.Stored
		want Act
	}{
		{"revoke on the left", no, yes, asked, WriteRight},
		{"revoke on the right, emptied", yes, record.Nothing(), asked, WriteLeft},
		{"two spellings of a revoke", no, text("Revoked"), asked, Adopt},
		{"two grants", yes, text("granted"), asked, Hold},
		{"first contact, revoke wins", yes, no, record.Stored{}, WriteLeft},
		{"first contact, a grant is not spread", yes, record.Nothing(), record.Stored{}, Adopt},
		{"first contact, a revoke is", no, record.Nothing(), record.Stored{}, WriteRight},
	}
	for _, tt := range tests {
		d := Cell(Rule{Policy: Consent, Clear: IgnoreClear}, Seen{Now: tt.l, Base: tt.base}, Seen{Now: tt.r, Base: tt.base}, 0)
		if d.Act != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, d.Act, tt.want)
		}
	}
	// A revoke by emptying is passed on even where other clears are not.
	d := Cell(Rule{Policy: Consent, Clear: IgnoreClear}, Seen{Now: record.Nothing(), Base: record.Keep(yes)}, Seen{Now: yes, Base: record.Keep(yes)}, 0)
	if d.Act != WriteRight {
		t.Errorf("emptied consent: got %v, want write right", d.Act)
	}
}

func TestExtremesCompareLikeWithLike(t *testing.T) {
	base := record.Keep(record.OfInt(1))
	tests := []struct {
		name string
		l, r record.Value
		want Act
	}{
		{"numbers by size", record.OfInt(9), record.OfInt(10), WriteLeft},
		{"a number and a text", record.OfInt(9), text("10"), Hold},
		{"lists", tags("a"), tags("b"), Hold},
	}
	for _, tt := range tests {
		if d := Cell(Rule{Policy: Max}, Seen{Now: tt.l, Base: base}, Seen{Now: tt.r, Base: base}, 0); d.Act != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, d.Act, tt.want)
		}
	}
}
