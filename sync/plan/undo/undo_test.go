package undo

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// stay is what the PMS held before the run.
func stay() record.Fields {
	return texts("guest", "Anna Rossi", "remark", "quiet room", "arr", "2026-06-01", "dep", "2026-06-04", "state", "ok")
}

// madeOf is an update of the run that wrote values over what was there.
func madeOf(r plan.Rules, was record.Fields, op record.Op, values record.Fields) Made {
	now := was.With(values)
	before, after := record.Fields{}, record.Fields{}
	var reasons []record.FieldReason
	canonicalWas, _ := r.Mapping.Read(record.Right, was)
	canonicalNow, _ := r.Mapping.Read(record.Right, now)
	for _, f := range r.Mapping.Fields() {
		wrote := false
		for _, p := range r.Touched(record.Right, f.Name) {
			wrote = wrote || values[p].Observed()
		}
		if !wrote {
			continue
		}
		for _, p := range r.Touched(record.Right, f.Name) {
			before[p] = was[p]
		}
		reasons = append(reasons, record.FieldReason{Field: f.Name, Before: canonicalWas[f.Name], After: canonicalNow[f.Name], Policy: "left"})
	}
	maps.Copy(after, values)
	m := Made{Receipt: record.Receipt{Ref: record.Ref{Kind: "stays", ID: "9"}, Fields: now}}
	m.Change = record.Change{Op: op, Ref: record.Ref{Kind: "stays", ID: "9"}, Fields: after, Before: before}
	m.Fields = reasons
	return m
}

func undoing(now record.Fields, made ...Made) Undoing {
	return Undoing{
		Run: 4, Side: record.Right, Link: 7, Entity: "E7", Entry: 2, Ref: record.Ref{Kind: "stays", ID: "9"}, Version: "w3",
		Made: made, There: now != nil, Now: now,
	}
}

func TestTakeBack(t *testing.T) {
	able, key := Able{Create: true, Delete: true}, []byte("k")
	tests := []struct {
		name      string
		able      Able
		undoing   func(r *plan.Rules) Undoing
		actions   []string
		conflicts []string
		beyond    string
		already   int
	}{
		{
			name: "what holds our value is put back",
			undoing: func(r *plan.Rules) Undoing {
				m := madeOf(*r, stay(), record.Update, texts("remark", "cot"))
				return undoing(m.Receipt.Fields, m)
			},
			actions: []string{`right update 9 {"remark":"quiet room"}`},
		},
		{
			name: "what was edited since is a conflict, and the rest goes back",
			undoing: func(r *plan.Rules) Undoing {
				m := madeOf(*r, stay(), record.Update, texts("remark", "cot", "guest", "Anna Neri"))
				return undoing(m.Receipt.Fields.With(texts("remark", "two cots")), m)
			},
			actions:   []string{`right update 9 {"guest":"Anna Rossi"}`},
			conflicts: []string{"note: quiet room / cot / two cots"},
		},
		{
			name: "days of one stay go back together or not at all",
			undoing: func(r *plan.Rules) Undoing {
				m := madeOf(*r, stay(), record.Update, texts("arr", "2026-07-01", "dep", "2026-07-04"))
				return undoing(m.Receipt.Fields.With(texts("dep", "2026-07-05")), m)
			},
			conflicts: []string{"arrival: 2026-06-01 / 2026-07-01 / 2026-07-01", "departure: 2026-06-04 / 2026-07-04 / 2026-07-05"},
		},
		{
			name: "a status goes back by a request of its own",
			undoing: func(r *plan.Rules) Undoing {
				r.Kinds[record.Right].Status = "state"
				a := madeOf(*r, stay(), record.Update, texts("remark", "cot"))
				b := madeOf(*r, a.Receipt.Fields, record.Action, texts("state", "off"))
				return undoing(b.Receipt.Fields, a, b)
			},
			actions: []string{`right update 9 {"remark":"quiet room"}`, `right action 9 {"state":"ok"} after it`},
		},
		{
			name: "two changes of one value go back to what was before the first",
			undoing: func(r *plan.Rules) Undoing {
				a := madeOf(*r, stay(), record.Update, texts("remark", "cot"))
				b := madeOf(*r, a.Receipt.Fields, record.Update, texts("remark", "two cots"))
				return undoing(b.Receipt.Fields, a, b)
			},
			actions: []string{`right update 9 {"remark":"quiet room"}`},
		},
		{
			name: "what the system made of it is what it wrote",
			undoing: func(r *plan.Rules) Undoing {
				m := madeOf(*r, stay(), record.Update, texts("remark", "A COT"))
				m.Receipt.Fields = m.Receipt.Fields.With(texts("remark", "a cot"))
				return undoing(m.Receipt.Fields, m)
			},
			actions: []string{`right update 9 {"remark":"quiet room"}`},
		},
		{
			name: "a card that was entered where we wrote asterisks is an edit",
			undoing: func(r *plan.Rules) Undoing {
				m := madeOf(*r, stay(), record.Update, texts("remark", "card "+mapping.CardMark))
				return undoing(m.Receipt.Fields.With(texts("remark", "card "+mapping.HeldMark)), m)
			},
			conflicts: []string{"note: quiet room / card **** / card ****"},
		},
		{
			name: "a text with a card goes back with asterisks",
			undoing: func(r *plan.Rules) Undoing {
				m := madeOf(*r, stay().With(texts("remark", "card "+mapping.HeldMark)), record.Update, texts("remark", "paid"))
				return undoing(m.Receipt.Fields, m)
			},
			actions: []string{`right update 9 {"remark":"card ****"}`},
		},
		{
			name: "what was filled is emptied again",
			undoing: func(r *plan.Rules) Undoing {
				was := stay()
				was["remark"] = record.Nothing()
				m := madeOf(*r, was, record.Update, texts("remark", "cot"))
				return undoing(m.Receipt.Fields, m)
			},
			actions: []string{`right update 9 {"remark":null}`},
		},
		{
			name: "undone before",
			undoing: func(r *plan.Rules) Undoing {
				return undoing(stay(), madeOf(*r, stay(), record.Update, texts("remark", "cot")))
			},
			already: 1,
		},
		{
			name: "only a digest is kept",
			undoing: func(r *plan.Rules) Undoing {
				m := madeOf(*r, stay(), record.Update, texts("remark", "cot"))
				m.Change.Fields, m.Change.Before, m.Receipt.Fields = m.Change.Fields.Seal(key), m.Change.Before.Seal(key), m.Receipt.Fields.Seal(key)
				u := undoing(stay().With(texts("remark", "cot")), m)
				u.Key = key
				return u
			},
			beyond: "only a digest is kept of what its note was",
		},
		{
			name: "a digest tells that it was edited",
			undoing: func(r *plan.Rules) Undoing {
				m := madeOf(*r, stay(), record.Update, texts("remark", "cot"))
				m.Change.Fields, m.Change.Before, m.Receipt.Fields = m.Change.Fields.Seal(key), m.Change.Before.Seal(key), m.Receipt.Fields.Seal(key)
				u := undoing(stay().With(texts("remark", "two cots")), m)
				u.Key = key
				return u
			},
			conflicts: []string{"note: quiet room / cot / two cots"},
		},
		{
			name: "it is gone",
			undoing: func(r *plan.Rules) Undoing {
				return undoing(nil, madeOf(*r, stay(), record.Update, texts("remark", "cot")))
			},
			beyond: "it is not there any more",
		},
		{
			name: "it can't be changed",
			undoing: func(r *plan.Rules) Undoing {
				r.Kinds[record.Right].NoUpdate = true
				m := madeOf(*r, stay(), record.Update, texts("remark", "cot"))
				return undoing(m.Receipt.Fields, m)
			},
			beyond: "pms can't change stays",
		},
		{
			name: "it can't be read", undoing: func(r *plan.Rules) Undoing {
				u := undoing(nil, madeOf(*r, stay(), record.Update, texts("remark", "cot")))
				u.Unread = "it can't be read now"
				return u
			}, beyond: "it can't be read now",
		},
		{
			name: "a field that the rules have no more", undoing: func(*plan.Rules) Undoing {
				var m Made
				m.Change = record.Change{Op: record.Update, Fields: texts("colour", "red"), Before: texts("colour", "blue")}
				return undoing(stay().With(texts("colour", "red")), m)
			},
			actions: []string{`right update 9 {"colour":"blue"}`},
		},
		{
			name: "what was made is deleted", able: able,
			undoing: func(r *plan.Rules) Undoing {
				return undoing(stay(), madeOf(*r, record.Fields{}, record.Create, stay()))
			},
			actions: []string{`right delete 9 {}`},
		},
		{
			name: "what was made and is gone already", able: able,
			undoing: func(r *plan.Rules) Undoing { return undoing(nil, madeOf(*r, record.Fields{}, record.Create, stay())) },
			already: 1,
		},
		{
			name: "what was made can't be deleted",
			undoing: func(r *plan.Rules) Undoing {
				return undoing(stay(), madeOf(*r, record.Fields{}, record.Create, stay()))
			},
			beyond: "pms has no way to delete stays: it stays, delete it there",
		},
		{
			name: "what was made and edited since", able: able,
			undoing: func(r *plan.Rules) Undoing {
				return undoing(stay().With(texts("remark", "cot")), madeOf(*r, record.Fields{}, record.Create, stay()))
			},
			conflicts: []string{"note: (not shown) / quiet room / cot"},
		},
		{
			name: "what was made, and filled since where nothing was written", able: able,
			undoing: func(r *plan.Rules) Undoing {
				was := stay()
				delete(was, "remark")
				return undoing(stay(), madeOf(*r, record.Fields{}, record.Create, was))
			},
			conflicts: []string{"note: (not shown) / (not shown) / quiet room"},
		},
		{
			name: "what was deleted is made anew", able: able,
			undoing: func(*plan.Rules) Undoing { return undoing(nil, deleted(stay())) },
			actions: []string{`right create  {"arr":"2026-06-01","channel":"voice","dep":"2026-06-04","guest":"Anna Rossi","remark":"quiet room","state":"ok"}`},
		},
		{
			name: "what was deleted can't be made", able: Able{Delete: true},
			undoing: func(*plan.Rules) Undoing { return undoing(nil, deleted(stay())) }, beyond: "pms can't take new stays",
		},
		{
			name: "what was deleted is there", able: able, undoing: func(*plan.Rules) Undoing { return undoing(stay(), deleted(stay())) }, already: 1,
		},
		{
			name: "what was deleted was made anew", able: able, already: 1,
			undoing: func(*plan.Rules) Undoing {
				u := undoing(nil, deleted(stay()))
				u.Again.ID = "10"
				return u
			},
		},
		{
			name: "nothing is known of what was deleted", able: able, beyond: "nothing is known of its name, which pms needs",
			undoing: func(*plan.Rules) Undoing { return undoing(nil, deleted(texts("remark", "cot"))) },
		},
		{
			name: "changed and deleted by one run", able: able,
			undoing: func(r *plan.Rules) Undoing {
				m := madeOf(*r, stay(), record.Update, texts("remark", "cot"))
				return undoing(nil, m, deleted(m.Receipt.Fields))
			},
			actions: []string{`right create  {"arr":"2026-06-01","channel":"voice","dep":"2026-06-04","guest":"Anna Rossi","remark":"quiet room","state":"ok"}`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := rulesForTests(t)
			u := tt.undoing(&r)
			got := TakeBack(r, tt.able, u)
			if diff := cmp.Diff(tt.actions, told(got.Actions)); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
			var conflicts []string
			for _, c := range got.Conflicts {
				conflicts = append(conflicts, c.Field+": "+c.Before.String()+" / "+c.Written.String()+" / "+c.Now.String())
			}
			if diff := cmp.Diff(tt.conflicts, conflicts); diff != "" {
				t.Errorf("conflicts (-want +got):\n%s", diff)
			}
			why := ""
			for _, b := range got.Beyond {
				why += b.Why
			}
			if why != tt.beyond || got.Already != tt.already {
				t.Errorf("got beyond %q and %d already, want %q and %d", why, got.Already, tt.beyond, tt.already)
			}
		})
	}
}

func deleted(was record.Fields) Made {
	var m Made
	m.Change = record.Change{Op: record.Delete, Ref: record.Ref{Kind: "stays", ID: "9"}, Before: was}
	return m
}

// An action verifies what it puts back over, a partner of its group included, and says
// whose run it undoes.
func TestTakeBackAction(t *testing.T) {
	r := rulesForTests(t)
	m := madeOf(r, stay(), record.Update, texts("arr", "2026-05-30"))
	got := TakeBack(r, Able{}, undoing(m.Receipt.Fields, m))
	if len(got.Actions) != 1 {
		t.Fatalf("got %+v, want one action", got)
	}
	a := got.Actions[0]
	if want := texts("arr", "2026-05-30", "dep", "2026-06-04"); !a.Change.Before.Equal(want) {
		t.Errorf("before: got %v, want both days %v", a.Change.Before, want)
	}
	if a.Reason != "run 4 is undone" || a.Link != 7 || a.Change.Version != "w3" || len(a.Bases[record.Left]) != 0 || a.Day == "" || !a.Let || a.Risk != plan.RiskUpdate {
		t.Errorf("got %+v", a)
	}
	if f := a.Fields[0]; f.Field != "arrival" || f.Before.Text() != "2026-05-30" || f.After.Text() != "2026-06-01" {
		t.Errorf("got %+v", f)
	}
	u := undoing(m.Receipt.Fields.With(texts("arr", "2026-05-29")), m)
	u.Later = map[string]int64{"arr": 6}
	if c := TakeBack(r, Able{}, u).Conflicts; len(c) == 0 || !strings.Contains(c[0].Why, "run 6 wrote it since") {
		t.Errorf("got %+v, want the run named that wrote it since", c)
	}
}

// drawnRun is what a run did to a stay: some updates, one upon the other.
func drawnRun(t *rapid.T, r plan.Rules, was record.Fields) (made []Made, now record.Fields) {
	values := map[string][]string{
		"guest": {"Anna Rossi", "Anna Neri", "Otto"}, "remark": {"", "cot", "quiet room"}, "arr": {"2026-05-30", "2026-06-01", "2026-06-02"},
		"dep": {"2026-06-04", "2026-06-05"}, "state": {"ok", "off"},
	}
	now = was
	for range rapid.IntRange(1, 3).Draw(t, "changes") {
		change := record.Fields{}
		for _, p := range slices.Sorted(maps.Keys(values)) {
			if rapid.Bool().Draw(t, p) {
				change[p] = record.OfText(rapid.SampledFrom(values[p]).Draw(t, p+" value"))
			}
		}
		if len(change) == 0 {
			continue
		}
		m := madeOf(r, now, record.Update, change)
		made, now = append(made, m), m.Receipt.Fields
	}
	return made, now
}

// carriedOut is a record after an undo.
func carriedOut(now record.Fields, u Undone) record.Fields {
	for _, a := range u.Actions {
		now = now.With(a.Change.Fields)
	}
	return now
}

// Undoing a run on a record that nobody touched restores every value, and a second
// undo does nothing.
func TestF47_UndoRestoresWhatNobodyTouched(t *testing.T) {
	r := rulesForTests(t)
	r.Kinds[record.Right].Status = "state"
	rapid.Check(t, func(t *rapid.T) {
		made, now := drawnRun(t, r, stay())
		u := TakeBack(r, Able{}, undoing(now, made...))
		if len(u.Conflicts)+len(u.Beyond) > 0 {
			t.Fatalf("got %+v, want everything put back", u)
		}
		back := carriedOut(now, u)
		if !back.Equal(stay()) {
			t.Fatalf("got %v, want %v", back, stay())
		}
		if again := TakeBack(r, Able{}, undoing(back, made...)); len(again.Actions)+len(again.Conflicts)+len(again.Beyond) > 0 {
			t.Fatalf("a second undo: got %+v, want nothing", again)
		}
	})
}

// Undoing never writes a value that somebody edited since, and names each.
func TestF47_UndoNeverWritesOverAnEdit(t *testing.T) {
	r := rulesForTests(t)
	rapid.Check(t, func(t *rapid.T) {
		made, now := drawnRun(t, r, stay())
		edits := record.Fields{}
		for p, v := range map[string]string{"guest": "Edited", "remark": "edited", "dep": "2026-06-09"} {
			if rapid.Bool().Draw(t, "edit "+p) {
				edits[p] = record.OfText(v)
			}
		}
		now = now.With(edits)
		u := TakeBack(r, Able{}, undoing(now, made...))
		back := carriedOut(now, u)
		if !back.Agrees(edits) {
			t.Fatalf("got %v, want the edits %v in it", back, edits)
		}
		written := record.Fields{}
		for _, m := range made {
			written = written.With(m.Change.Fields)
		}
		for p := range edits {
			field := map[string]string{"guest": "name", "remark": "note", "dep": "departure"}[p]
			named := slices.ContainsFunc(u.Conflicts, func(c Conflict) bool { return c.Field == field })
			if written[p].Observed() && !named {
				t.Fatalf("%s was edited over what the run wrote, and is no conflict: %+v", p, u)
			}
		}
	})
}
