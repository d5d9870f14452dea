package plan

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// rulesForTests is a job with a name, a phone and a note, two days that belong
// together and a status.
func rulesForTests(t *testing.T) Rules {
	t.Helper()
	both := func(l, r string) [2]mapping.SideSpec { return [2]mapping.SideSpec{{Path: l}, {Path: r}} }
	m, err := mapping.Compile(mapping.Spec{
		Systems: [2]string{"platform", "pms"},
		Fields: []mapping.FieldSpec{
			{Name: "name", Required: true, Sides: [2]mapping.SideSpec{{Path: "full_name"}, {Path: "guest", MaxRunes: 40}}},
			{Name: "note", Sides: both("details", "remark")},
			{Name: "arrival", As: mapping.Date, Together: "stay", Sides: both("from", "arr")},
			{Name: "departure", As: mapping.Date, Together: "stay", Sides: both("to", "dep")},
			{Name: "status", As: mapping.Enum, Sides: both("status", "state"), Table: []mapping.EnumRow{
				{Word: "confirmed", Sides: [2][]string{{"CONFIRMED"}, {"ok"}}},
				{Word: "cancelled", Sides: [2][]string{{"CANCELLED"}, {"off"}}},
			}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return Rules{
		Mapping: m, Skew: -1, Day: "arrival", Urgent: 3,
		Merge: []merge.Rule{
			{Field: "name", Policy: merge.Person, Required: true},
			{Field: "note", Policy: merge.LeftWins},
			{Field: "arrival", Group: "stay", Policy: merge.RightWins},
			{Field: "departure", Group: "stay", Policy: merge.RightWins},
			{Field: "status", Policy: merge.RightWins},
		},
		Kinds: [2]Kind{
			{System: "platform", Kind: "bookings"},
			{System: "pms", Kind: "stays", Required: []string{"guest"}, Constants: texts("channel", "voice")},
		},
	}
}

func texts(pairs ...string) record.Fields {
	f := record.Fields{}
	for p := range slices.Chunk(pairs, 2) {
		f[p[0]] = record.OfText(p[1])
	}
	return f
}

// settledCase is a link on which both sides agree.
func settledCase(r Rules) Case {
	left := texts("full_name", "Anna Rossi", "details", "quiet room", "from", "2026-06-01", "to", "2026-06-04", "status", "CONFIRMED")
	right := texts("guest", "Anna Rossi", "remark", "quiet room", "arr", "2026-06-01", "dep", "2026-06-04", "state", "ok")
	c := Case{Link: 7, Entity: "E7"}
	c.Sides[record.Left] = Side{Ref: record.Ref{Kind: "bookings", ID: "b1"}, Entry: 1, Version: "v1", Native: left, Base: left}
	c.Sides[record.Right] = Side{Ref: record.Ref{Kind: "stays", ID: "9"}, Entry: 2, Version: "w1", Native: right, Base: right}
	for s := range c.Sides {
		readInto(r, &c, record.Side(s))
	}
	return c
}

func readInto(r Rules, c *Case, side record.Side) {
	s := &c.Sides[side]
	s.Now, _ = r.Mapping.Read(side, s.Native)
	settled, _ := r.Mapping.Read(side, s.Base)
	s.Settled = map[string]record.Stored{}
	for f, v := range settled {
		s.Settled[f] = record.Keep(v)
	}
}

// edit changes what a side shows.
func edit(r Rules, c *Case, side record.Side, f record.Fields) {
	s := &c.Sides[side]
	s.Native, s.Seen = s.Native.With(f), true
	readInto(r, c, side)
}

// told is what an action does, short enough for a table.
func told(as []Action) []string {
	var out []string
	for _, a := range as {
		b, err := a.Change.Fields.MarshalJSON()
		if err != nil {
			return []string{err.Error()}
		}
		said := a.Side.String() + " " + a.Change.Op.String() + " " + a.Change.Ref.ID + " " + string(b)
		if a.Step > 0 {
			said += " after it"
		}
		out = append(out, said)
	}
	return out
}

func TestPair(t *testing.T) {
	tests := []struct {
		name                  string
		change                func(r *Rules, c *Case)
		actions               []string
		adoptLeft, adoptRight record.Fields
		conflicts             []string
		problem               string
		read                  []record.Side
	}{
		{name: "nothing changed", change: func(*Rules, *Case) {}},
		{
			name:    "one side changed one field",
			change:  func(r *Rules, c *Case) { edit(*r, c, record.Left, texts("details", "cot")) },
			actions: []string{`right update 9 {"remark":"cot"}`},
		},
		{
			name: "different fields on both sides both survive",
			change: func(r *Rules, c *Case) {
				edit(*r, c, record.Left, texts("details", "cot"))
				edit(*r, c, record.Right, texts("guest", "Anna Neri"))
			},
			actions: []string{`left update b1 {"full_name":"Anna Neri"}`, `right update 9 {"remark":"cot"}`},
		},
		{
			name: "the same edit on both sides writes nothing",
			change: func(r *Rules, c *Case) {
				edit(*r, c, record.Left, texts("details", "cot"))
				edit(*r, c, record.Right, texts("remark", "cot"))
			},
			adoptLeft: texts("details", "cot"), adoptRight: texts("remark", "cot"),
		},
		{
			name: "a collision goes by its policy",
			change: func(r *Rules, c *Case) {
				edit(*r, c, record.Left, texts("details", "cot"))
				edit(*r, c, record.Right, texts("remark", "sea view"))
			},
			actions: []string{`right update 9 {"remark":"cot"}`},
		},
		{
			name: "a held field stays open while the others go on",
			change: func(r *Rules, c *Case) {
				edit(*r, c, record.Left, texts("full_name", "Anna Neri", "details", "cot"))
				edit(*r, c, record.Right, texts("guest", "Anna Verdi"))
			},
			actions:   []string{`right update 9 {"remark":"cot"}`},
			conflicts: []string{"name: Anna Neri / Anna Verdi"},
		},
		{
			name: "one day moves, and its group is written as one",
			change: func(r *Rules, c *Case) {
				edit(*r, c, record.Left, texts("to", "2026-06-05"))
			},
			actions: []string{`right update 9 {"dep":"2026-06-05"}`},
		},
		{
			name: "days of one stay changed on both sides are never mixed",
			change: func(r *Rules, c *Case) {
				edit(*r, c, record.Left, texts("to", "2026-06-05"))
				edit(*r, c, record.Right, texts("arr", "2026-05-31"))
			},
			actions: []string{`left update b1 {"from":"2026-05-31","to":"2026-06-04"}`},
		},
		{
			name: "a status with a request of its own is a step of its own",
			change: func(r *Rules, c *Case) {
				r.Kinds[record.Right].Status = "state"
				edit(*r, c, record.Left, texts("status", "CANCELLED", "details", "cot"))
			},
			actions: []string{`right update 9 {"remark":"cot"}`, `right action 9 {"state":"off"} after it`},
		},
		{
			name: "what can't be written is named, and stays to be done",
			change: func(r *Rules, c *Case) {
				edit(*r, c, record.Left, texts("full_name", strings.Repeat("long ", 10)))
			},
			problem: "name can't be written to pms: ",
		},
		{
			name:   "what can't be read is not taken for settled",
			change: func(r *Rules, c *Case) { edit(*r, c, record.Left, texts("to", "soon")) },
		},
		{
			name: "a side that can't be written",
			change: func(r *Rules, c *Case) {
				r.Kinds[record.Right].ReadOnly = "pms can only be read"
				edit(*r, c, record.Left, texts("details", "cot"))
			},
			problem: "pms can only be read",
		},
		{
			name: "a kind that can't be changed",
			change: func(r *Rules, c *Case) {
				r.Kinds[record.Right].NoUpdate = true
				edit(*r, c, record.Left, texts("details", "cot"))
			},
			problem: "pms can't change stays",
		},
		{
			name: "a side that did not show the field is read first",
			change: func(r *Rules, c *Case) {
				shown := c.Sides[record.Right].Native.Clone()
				delete(shown, "remark")
				c.Sides[record.Right].Native = shown
				edit(*r, c, record.Right, nil)
				edit(*r, c, record.Left, texts("details", "cot"))
			},
			read: []record.Side{record.Right},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := rulesForTests(t)
			c := settledCase(r)
			tt.change(&r, &c)
			v := Pair(r, c)
			if diff := cmp.Diff(tt.actions, told(v.Actions)); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
			for side, want := range [2]record.Fields{tt.adoptLeft, tt.adoptRight} {
				if !v.Adopt[side].Equal(want) {
					t.Errorf("%s adopts %v, want %v", record.Side(side), v.Adopt[side], want)
				}
			}
			var conflicts []string
			for _, c := range v.Conflicts {
				conflicts = append(conflicts, c.Field+": "+c.Left.String()+" / "+c.Right.String())
			}
			if diff := cmp.Diff(tt.conflicts, conflicts); diff != "" {
				t.Errorf("conflicts (-want +got):\n%s", diff)
			}
			if (tt.problem == "") != (v.Problem == "") || !strings.HasPrefix(v.Problem, tt.problem) {
				t.Errorf("problem: got %q, want %q", v.Problem, tt.problem)
			}
			if diff := cmp.Diff(tt.read, v.Read); diff != "" {
				t.Errorf("sides to read (-want +got):\n%s", diff)
			}
		})
	}
}

// An action carries all that is needed to verify it, to explain it and to settle it.
func TestPairAction(t *testing.T) {
	r := rulesForTests(t)
	c := settledCase(r)
	edit(r, &c, record.Left, texts("to", "2026-06-05"))
	v := Pair(r, c)
	if len(v.Actions) != 1 {
		t.Fatalf("got %d actions, want 1", len(v.Actions))
	}
	a := v.Actions[0]
	if want := texts("arr", "2026-06-01", "dep", "2026-06-04"); !a.Change.Before.Equal(want) {
		t.Errorf("before: got %v, want both days %v", a.Change.Before, want)
	}
	if want := texts("to", "2026-06-05"); !a.Bases[record.Left].Agrees(want) {
		t.Errorf("base of the left: got %v, want %v in it", a.Bases[record.Left], want)
	}
	if len(a.Bases[record.Right]) != 0 {
		t.Errorf("base of the side written to: got %v, want none: it is what the system answers", a.Bases[record.Right])
	}
	if a.Link != 7 || a.Entity != "E7" || a.Source.ID != "b1" || a.Change.Version != "w1" || a.Priority != 3 || a.Day != "2026-06-05" && a.Day != "2026-06-01" {
		t.Errorf("got link %d, entity %s, source %s, version %s, priority %d, day %s", a.Link, a.Entity, a.Source, a.Change.Version, a.Priority, a.Day)
	}
	if got, want := a.Reason, "departure of platform differs from pms"; got != want {
		t.Errorf("reason: got %q, want %q", got, want)
	}
	if len(a.Fields) == 0 || a.Fields[len(a.Fields)-1].After.Text() != "2026-06-05" {
		t.Errorf("fields: got %+v", a.Fields)
	}
}

// The losing value of a collision is kept with the action.
func TestPairKeepsTheLoser(t *testing.T) {
	r := rulesForTests(t)
	c := settledCase(r)
	edit(r, &c, record.Left, texts("details", "cot"))
	edit(r, &c, record.Right, texts("remark", "sea view"))
	v := Pair(r, c)
	if len(v.Actions) != 1 || len(v.Actions[0].Fields) != 1 {
		t.Fatalf("got %+v", v.Actions)
	}
	f := v.Actions[0].Fields[0]
	if f.Loser.Text() != "sea view" || f.Policy != "left" || strings.Contains(f.Reason, "left side") {
		t.Errorf("got loser %v by %s: %s", f.Loser, f.Policy, f.Reason)
	}
}

// Nothing that a plan is given is changed by it.
func TestPairIsPure(t *testing.T) {
	r := rulesForTests(t)
	c := settledCase(r)
	edit(r, &c, record.Left, texts("details", "cot", "to", "2026-06-09"))
	before := [2]record.Fields{c.Sides[0].Native.Clone(), c.Sides[1].Native.Clone()}
	first := Pair(r, c)
	for range 3 {
		if diff := cmp.Diff(told(first.Actions), told(Pair(r, c).Actions)); diff != "" {
			t.Fatalf("another plan of the same case: %s", diff)
		}
	}
	for s := range before {
		if !before[s].Equal(c.Sides[s].Native) {
			t.Errorf("%s was changed", record.Side(s))
		}
	}
}

func TestNew(t *testing.T) {
	tests := []struct {
		name    string
		change  func(r *Rules, f record.Fields)
		want    record.Fields
		leftOut string
	}{
		{
			name: "with its constants", change: func(*Rules, record.Fields) {},
			want: texts("guest", "Anna Rossi", "arr", "2026-06-01", "dep", "2026-06-04", "state", "ok", "channel", "voice"),
		},
		{
			name:   "a field that may not be written there is left out",
			change: func(r *Rules, f record.Fields) { f["details"] = record.OfText("cot"); r.Merge[1].To = merge.ToLeft },
			want:   texts("guest", "Anna Rossi", "arr", "2026-06-01", "dep", "2026-06-04", "state", "ok", "channel", "voice"),
		},
		{
			name:   "an empty field says nothing",
			change: func(_ *Rules, f record.Fields) { f["details"] = record.Nothing() },
			want:   texts("guest", "Anna Rossi", "arr", "2026-06-01", "dep", "2026-06-04", "state", "ok", "channel", "voice"),
		},
		{
			name: "a value that can't be written is left out where it is not needed",
			change: func(r *Rules, f record.Fields) {
				f["status"] = record.OfText("CONFIRMED")
				f["from"] = record.OfText("soon")
			},
			want: texts("guest", "Anna Rossi", "dep", "2026-06-04", "state", "ok", "channel", "voice"),
		},
		{
			name:    "needed and missing",
			change:  func(_ *Rules, f record.Fields) { delete(f, "full_name") },
			leftOut: "it has no name, which pms needs",
		},
		{
			name:    "needed and empty",
			change:  func(_ *Rules, f record.Fields) { f["full_name"] = record.OfText("") },
			leftOut: "it has no name, which pms needs",
		},
		{
			name: "needed and not to be read",
			change: func(r *Rules, f record.Fields) {
				r.Kinds[record.Right].Required = []string{"arr"}
				f["from"] = record.OfText("soon")
			},
			leftOut: "its arrival can't be read: ",
		},
		{
			name:    "needed and not to be written",
			change:  func(_ *Rules, f record.Fields) { f["full_name"] = record.OfText(strings.Repeat("x", 41)) },
			leftOut: "its name can't be written to pms: ",
		},
		{
			name:    "a side that can only be read",
			change:  func(r *Rules, _ record.Fields) { r.Kinds[record.Right].ReadOnly = "pms can only be read" },
			leftOut: "pms can only be read",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := rulesForTests(t)
			f := texts("full_name", "Anna Rossi", "from", "2026-06-01", "to", "2026-06-04", "status", "CONFIRMED")
			tt.change(&r, f)
			c := Case{Entity: "E1"}
			c.Sides[record.Left] = Side{Ref: record.Ref{Kind: "bookings", ID: "b1"}, Entry: 5, Native: f}
			c.Sides[record.Right] = Side{Native: record.Fields{}, Now: record.Fields{}}
			c.Sides[record.Left].Now, _ = r.Mapping.Read(record.Left, f)
			a, unmade := New(r, c, record.Left)
			leftOut := unmade.Text
			if (leftOut == "") != (tt.leftOut == "") || !strings.HasPrefix(leftOut, tt.leftOut) {
				t.Fatalf("left out: got %q, want %q", leftOut, tt.leftOut)
			}
			if leftOut != "" {
				return
			}
			if !a.Change.Fields.Equal(tt.want) {
				t.Errorf("got %v, want %v", a.Change.Fields, tt.want)
			}
			if a.Side != record.Right || a.From != 5 || a.Source.ID != "b1" || a.Entity != "E1" || a.Change.Op != record.Create ||
				a.Change.Ref != (record.Ref{Kind: "stays"}) || !a.Bases[record.Left].Equal(f) {
				t.Errorf("got %+v", a)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	want := []Action{
		{Priority: 9, Day: "2026-06-02", Link: 8},
		{Priority: 1, Day: "2026-06-01", Link: 9},
		{Priority: 1, Day: "2026-06-03", Link: 1},
		{Priority: 1, Link: 2, Step: 0},
		{Priority: 1, Link: 2, Step: 1},
		{Priority: 1, Link: 2, Side: record.Right},
		{Priority: 1, Link: 3},
		{From: 1},
		{From: 2},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		got := slices.Clone(want)
		rng.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		Order(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("order (-want +got):\n%s", diff)
		}
	}
}

func TestDigest(t *testing.T) {
	base := func() Action {
		return Action{
			Side: record.Right, Source: record.Ref{Kind: "bookings", ID: "b1"}, Reason: "why",
			Change: record.Change{Op: record.Update, Ref: record.Ref{Kind: "stays", ID: "9"}, Fields: texts("a", "1"), Before: texts("a", "0")},
		}
	}
	differs := map[string]func(*Action){
		"side":   func(a *Action) { a.Side = record.Left },
		"op":     func(a *Action) { a.Change.Op = record.Action },
		"ref":    func(a *Action) { a.Change.Ref.ID = "10" },
		"source": func(a *Action) { a.Source.ID = "b2" },
		"after":  func(a *Action) { a.Change.Fields = texts("a", "2") },
		"before": func(a *Action) { a.Change.Before = texts("a", "2") },
		"moved":  func(a *Action) { a.Change.Before, a.Change.Fields = a.Change.Fields, a.Change.Before },
	}
	for name, change := range differs {
		a := base()
		change(&a)
		if a.Digest() == base().Digest() {
			t.Errorf("%s: two actions have one digest", name)
		}
	}
	same := map[string]func(*Action){
		"reason":  func(a *Action) { a.Reason = "another" },
		"entry":   func(a *Action) { a.From = 9 }, // the store's own number
		"entity":  func(a *Action) { a.Entity = "E9" },
		"urgency": func(a *Action) { a.Priority = 9 },
		"step":    func(a *Action) { a.Step = 1 }, // other fields of the record are written first by now
	}
	for name, change := range same {
		a := base()
		change(&a)
		if a.Digest() != base().Digest() {
			t.Errorf("%s: one action has two digests", name)
		}
	}
	other := base()
	other.Change.Ref.ID = "10"
	if DigestOf([]Action{base(), other}) != DigestOf([]Action{other, base()}) {
		t.Error("a plan's digest depends on the order of its actions")
	}
	if DigestOf([]Action{base()}) == DigestOf([]Action{base(), base()}) {
		t.Error("a plan's digest does not depend on how many actions it has")
	}
	if DigestOf(nil) == "" {
		t.Error("a plan without an action has no digest")
	}
}
