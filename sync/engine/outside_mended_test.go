package engine_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"

	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// mends is a job of which a field is mapped to a wrong column of one side for a while.
type mends struct {
	wrong  record.Side // which side's column is wrong
	policy merge.Policy
	seen   bool // a run has seen the edits while the mapping was wrong
	sealed bool
}

// start is eight guests in step, and then the wrong mapping, which asks for what is held.
func (m mends) start(t *testing.T) *world {
	t.Helper()
	s := setting{guards: tenCancels, policies: map[string]merge.Policy{"name": m.policy, "note": merge.RightWins, "mail": merge.Person}}
	if m.sealed {
		s.sealed = filepath.Join(t.TempDir(), "key")
	}
	w := house(t, 8, s)
	for _, r := range w.sys[m.wrong].All(kinds[m.wrong]) {
		w.sys[m.wrong].Edit(kinds[m.wrong], r.Ref.ID, record.Fields{"their_remark": record.OfText("other")})
	}
	m.column(w, map[string]string{"name": "their_remark"})
	w.run(engine.Options{})
	w.tick(settle)
	return w
}

// column has fields of the side found at other paths.
func (m mends) column(w *world, paths map[string]string) {
	w.moved, w.renamed = nil, nil
	if m.wrong == record.Left {
		w.moved = paths
	} else {
		w.renamed = paths
	}
	w.restart()
}

// name is what a side holds of the i-th guest where the name belongs.
func (w *world) name(side record.Side, i int) string {
	w.Helper()
	for _, r := range w.sys[side].All(kinds[side]) {
		if r.Ref == w.ref(side, i) {
			return r.Fields[spell(side, "name")].Text()
		}
	}
	return ""
}

// A field is mapped to a wrong column by mistake, and mended before anybody has agreed to it. What
// was settled before the mistake counts again, and what was edited meanwhile, on either side, is
// an edit like any other. What a run took across under the wrong mapping proves nothing under the
// right one: there a person is asked, and what a user typed stands until then.
func TestOutsideAWrongMappingIsMended(t *testing.T) {
	for _, wrong := range record.Sides {
		for _, policy := range []merge.Policy{merge.LeftWins, merge.RightWins, merge.FillEmpty, merge.Person} {
			for _, c := range []mends{{}, {seen: true}, {sealed: true}} {
				c.wrong, c.policy = wrong, policy
				t.Run(fmt.Sprintf("wrong on the %s, %s, %+v", wrong, policy, c), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { c.mended(t) })
				})
			}
		}
	}
}

func (m mends) mended(t *testing.T) {
	w := m.start(t)
	defer w.close()
	user, desk := m.wrong.Other(), m.wrong
	w.set(user, 3, 4, "name", "Edited")
	w.set(desk, 5, 6, "name", "desk") // in the column that is not read now
	if m.seen {
		for range 2 {
			w.run(engine.Options{})
			w.tick(settle)
		}
	}
	m.column(w, nil)
	kept := w.kept(t.TempDir())
	dry := w.run(engine.Options{Dry: true})
	if got := w.kept(t.TempDir()); got != kept {
		t.Error("a dry run changed what is kept")
	}
	rep := w.run(engine.Options{})
	if len(dry.Actions) != len(rep.Actions) || len(dry.Staged) != len(rep.Staged) {
		t.Errorf("a dry run shows %+v %+v, the run did %+v %+v", dry.Actions, dry.Staged, rep.Actions, rep.Staged)
	}
	for range 2 {
		w.tick(settle)
		w.run(engine.Options{})
	}
	if got := w.name(user, 3); got != "Edited" {
		t.Errorf("what the user typed is %q", got)
	}
	across := m.policy == merge.LeftWins || m.policy == merge.RightWins
	if got := w.name(desk, 3); !m.seen && across && got != "Edited" {
		t.Errorf("it arrived as %q", got)
	}
	if got := w.name(user, 5); across && got != "desk" {
		t.Errorf("what the desk typed meanwhile arrived as %q", got)
	}
	if got := w.name(desk, 5); got != "desk" {
		t.Errorf("what the desk typed is %q", got)
	}
	for _, i := range []int{0, 1, 2, 4, 6, 7} {
		for _, side := range record.Sides {
			if got := w.name(side, i); got != fmt.Sprint("guest ", i) {
				t.Errorf("guest %d on the %s: %q", i, side, got)
			}
		}
	}
	asked := len(w.open())
	for _, st := range w.staged() {
		if st.Choice == record.Undecided && st.Risk == string(plan.RiskMapping) {
			asked += st.Left
		}
	}
	switch {
	case m.policy == merge.Person: // who was asked while the mapping was wrong is asked still
		if asked == 0 {
			t.Error("nobody is asked")
		}
	case m.seen && across:
		wantCount(t, "asked about", asked, 1)
	default:
		wantCount(t, "asked about", asked, 0)
	}
	before := w.mutations()
	w.run(engine.Options{})
	wantCount(t, "writes afterwards", w.mutations()-before, 0)
}

// Who approved a mapping once has not approved what it asks for after another one was tried: the
// same is asked again.
func TestOutsideAnAgreedMappingIsMended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := mends{wrong: record.Right, policy: merge.RightWins}
		w := m.start(t)
		defer w.close()
		w.say(w.staged()[0].Set, record.Approved)
		for range 2 {
			w.run(engine.Options{})
			w.tick(settle)
		}
		wantCount(t, "approved", w.have(record.Left, "name", "other"), 8)
		m.column(w, nil)
		w.run(engine.Options{})
		w.tick(settle)
		w.set(record.Left, 3, 4, "name", "Edited")
		w.run(engine.Options{}) // an edit while the change waits
		w.tick(settle)
		if got := w.name(record.Right, 3); got != "Edited" {
			t.Errorf("the edit arrived as %q", got)
		}
		m.column(w, map[string]string{"name": "their_remark"})
		for range 2 {
			w.run(engine.Options{})
			w.tick(settle)
		}
		if got := w.name(record.Left, 3); got != "Edited" {
			t.Errorf("what the user typed is %q", got)
		}
		wantCount(t, "as they are", w.have(record.Left, "name", "other"), 7)
		if all := w.staged(); len(all) != 1 || all[0].Left != 1 || all[0].Risk != string(plan.RiskMapping) {
			t.Errorf("held: %+v", all)
		}
	})
}
