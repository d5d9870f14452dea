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

// A field is mapped to another column, and what that asks for waits for a person. What is edited
// meanwhile, on either side, before a run has seen it or after, is an edit like any other: it goes
// over, or meets the other by the policy, whatever the person says. The set never shows it.
func TestOutsideEditsWhileAChangedMappingWaits(t *testing.T) {
	for _, say := range []record.Choice{record.Approved, record.Refusal} {
		for _, c := range []struct{ seen, sealed, before bool }{{}, {seen: true}, {before: true}, {seen: true, before: true}, {sealed: true}, {seen: true, sealed: true}} {
			t.Run(fmt.Sprintf("%s, %+v", say, c), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := setting{guards: tenCancels, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.Person}}
					if c.sealed {
						s.sealed = filepath.Join(t.TempDir(), "key")
					}
					if c.before { // the column was read already, for the same field
						s.renamed = map[string]string{"note": "their_remark"}
					}
					w := house(t, 8, s)
					defer w.close()
					to := "their_remark"
					if c.before {
						w.renamed, to = nil, "their_note"
					}
					for _, r := range w.sys[record.Right].All(kinds[record.Right]) {
						w.sys[record.Right].Edit(kinds[record.Right], r.Ref.ID, record.Fields{to: record.OfText("other")})
					}
					if !c.before {
						w.renamed = map[string]string{"note": "their_remark"}
					}
					w.restart()
					w.run(engine.Options{})
					w.tick(settle)
					desk := func(i int, v string) {
						w.sys[record.Right].Edit(kinds[record.Right], w.ref(record.Right, i).ID, record.Fields{to: record.OfText(v)})
					}
					held := func(side record.Side, i int) string {
						for _, r := range w.sys[side].All(kinds[side]) {
							if r.Ref == w.ref(side, i) {
								return r.Fields[map[record.Side]string{record.Left: "note", record.Right: to}[side]].Text()
							}
						}
						return ""
					}
					desk(3, "desk")
					w.set(record.Left, 4, 5, "note", "crm")
					w.set(record.Left, 5, 6, "note", "crm")
					desk(5, "desk")
					w.set(record.Left, 6, 7, "name", "renamed") // which says nothing of the note
					if c.seen {
						rep := w.run(engine.Options{})
						if len(rep.Staged) != 1 || len(rep.Staged[0].Actions) != 5 {
							t.Fatalf("held: %+v", rep.Staged)
						}
					}
					w.say(w.staged()[0].Set, say)
					for range 3 {
						w.run(engine.Options{})
						w.tick(settle)
					}
					rest := map[record.Choice]string{record.Approved: "other", record.Refusal: "confirmed"}[say]
					for i, want := range map[int][2]string{3: {"desk", "desk"}, 4: {"crm", "crm"}, 5: {"desk", "desk"}, 6: {rest, "other"}, 0: {rest, "other"}} {
						for _, side := range record.Sides {
							if got := held(side, i); got != want[side] {
								t.Errorf("record %d on the %s: got %q, want %q", i, side, got, want[side])
							}
						}
					}
					causes := w.run(engine.Options{Dry: true, Verify: true, Full: true}).Verified.Causes
					if say == record.Refusal && !c.sealed && causes[plan.ByRule] == 0 || causes[plan.Unexplained] > 0 {
						t.Errorf("verify names %v", causes)
					}
					for _, st := range w.staged() {
						if st.Choice == record.Undecided {
							t.Errorf("still asked: %+v", st)
						}
					}
					before := w.mutations()
					w.run(engine.Options{})
					wantCount(t, "writes afterwards", w.mutations()-before, 0)
					desk(3, "later") // it is a field like any other
					w.run(engine.Options{})
					if got := held(record.Left, 3); got != "later" {
						t.Errorf("a later edit: got %q", got)
					}
				})
			})
		}
	}
}

// A mapping is changed, changed back, and changed again. What was edited while it was as before
// is no edit since the change: what the change asks for waits for a person again.
func TestOutsideAMappingIsChangedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 8, setting{guards: tenCancels, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.Person}})
		defer w.close()
		w.remap(func(int) string { return "other" })
		w.run(engine.Options{})
		w.say(w.staged()[0].Set, record.Refusal)
		w.run(engine.Options{})
		w.tick(settle)
		w.renamed = nil
		w.restart()
		w.run(engine.Options{})
		w.tick(settle)
		w.set(record.Left, 0, 8, "note", "new")
		w.run(engine.Options{Yes: true})
		w.tick(settle)
		w.run(engine.Options{})
		w.renamed = map[string]string{"note": "their_remark"}
		w.restart()
		for range 2 {
			rep := w.run(engine.Options{})
			if len(rep.Staged) != 1 || len(rep.Staged[0].Actions) != 8 {
				t.Errorf("held: %+v", rep.Staged)
			}
		}
		n := 0
		for _, r := range w.sys[record.Right].All(kinds[record.Right]) {
			if r.Fields["their_remark"].Text() == "other" {
				n++
			}
		}
		wantCount(t, "left as they are on the right", n, 8)
	})
}
