package engine_test

import (
	"testing"
	"testing/synctest"

	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// A field is mapped to a column that was read before, for another field, and that nobody has
// edited since: both records meet anew in that field. What it asks for waits for a person, a dry
// run shows it, and what was said is done. Then it is a field like any other.
func TestWeakMappedToAColumnThatWasReadBefore(t *testing.T) {
	for _, say := range []record.Choice{record.Approved, record.Refusal} {
		synctest.Test(t, func(t *testing.T) {
			w := house(t, 40, setting{guards: tenCancels, renamed: map[string]string{"note": "their_remark"}, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.Person}})
			defer w.close()
			w.renamed = nil // as it was before
			for _, r := range w.sys[record.Right].All(kinds[record.Right]) {
				w.sys[record.Right].Edit(kinds[record.Right], r.Ref.ID, record.Fields{"their_note": record.OfText("old")})
			}
			w.restart()
			w.run(engine.Options{Yes: true})
			w.tick(settle)
			w.run(engine.Options{Yes: true})
			wantCount(t, "taken over from their_note", w.have(record.Left, "note", "old"), 40)
			w.renamed = map[string]string{"note": "their_remark"}
			w.restart()

			kept := w.kept(t.TempDir())
			dry := w.run(engine.Options{Dry: true})
			if len(dry.Staged) != 1 || len(dry.Staged[0].Actions) != 40 {
				t.Errorf("a dry run shows %+v", dry.Staged)
			}
			if got := w.kept(t.TempDir()); got != kept {
				t.Errorf("a dry run changed what is kept")
			}
			for range 2 {
				rep := w.run(engine.Options{})
				if len(rep.Halts) != 0 || len(rep.Staged) != 1 || rep.Staged[0].Stage.Risk != "mapping" || len(rep.Staged[0].Actions) != 40 {
					t.Fatalf("halts %+v, staged %+v", rep.Halts, rep.Staged)
				}
			}
			w.say(w.staged()[0].Set, say)
			w.run(engine.Options{})
			want := map[record.Choice]int{record.Approved: 40, record.Refusal: 0}[say]
			wantCount(t, string(say)+": written on the left", w.have(record.Left, "note", "confirmed"), want)
			w.tick(settle)
			before := w.mutations()
			rep := w.run(engine.Options{})
			if len(rep.Staged) != 0 || w.mutations() != before {
				t.Errorf("%s: the next run held %+v and wrote %d", say, rep.Staged, w.mutations()-before)
			}
			w.sys[record.Right].Edit(kinds[record.Right], w.ref(record.Right, 7).ID, record.Fields{"their_remark": record.OfText("an edit")})
			w.run(engine.Options{})
			wantCount(t, string(say)+": an edit afterwards", w.have(record.Left, "note", "an edit"), 1)
		})
	}
}
