package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Several records are cancelled between two lists, and the lists of their system omit what is
// cancelled, as many do: they are read by their ids, and the cancellation goes over, however many of
// the linked ones they are. Where the rules know an end, the lists count as whole after that, and a
// new record is made.
func TestWhatIsCancelledAndListedNoMoreGoesOver(t *testing.T) {
	for _, rules := range []bool{true, false} {
		for _, c := range []struct{ all, cancelled int }{{2, 2}, {4, 4}, {12, 3}, {12, 4}, {12, 11}} {
			t.Run(fmt.Sprintf("rules %t, %d of %d", rules, c.cancelled, c.all), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := setting{
						words: map[string][]mapping.EnumRow{"note": ordersKept}, status: "note",
						policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.LeftWins},
						kinds: [2]memory.Kind{record.Right: {Unlisted: func(f record.Fields) bool {
							return f["their_note"].Text() == "CANCELLED"
						}}},
					}
					if rules {
						s.machine, s.policies["note"] = merge.Stay(record.Right), merge.Rules
					}
					w := newWorld(t, s)
					defer w.close()
					w.eng.Jobs[job].Shrink = 10
					for n := range c.all {
						w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": "confirmed"})
					}
					w.rest()
					w.tick(time.Hour)
					for n := range c.cancelled {
						w.edit(record.Right, n, "note", "CANCELLED")
					}
					w.run(engine.Options{Yes: true, Full: true})
					for n := range c.all {
						want := map[bool]string{true: "cancelled", false: "confirmed"}[n < c.cancelled]
						if got := w.value(record.Left, n, "note"); got != want {
							t.Errorf("record %d is %s on the left, want %s", n, got, want)
						}
					}
					if !rules {
						return
					}
					w.run(engine.Options{Yes: true, Full: true})
					lists, err := w.store.Ended(t.Context(), record.Place{Binding: job, Side: record.Right}, 1)
					if err != nil || len(lists) != 1 || !lists[0].Certificate.Complete {
						t.Errorf("the last list is not believed: %+v (%v)", lists, err)
					}
					w.put(record.Left, 50, map[string]string{"name": "new", "note": "confirmed"})
					w.rest()
					if n := len(w.picture(record.Right)); n != c.all+1 {
						t.Errorf("the right has %d records, want %d", n, c.all+1)
					}
				})
			})
		}
	}
}

// An edit waits to be carried over. Its record is cancelled meanwhile, so that no list shows it, and
// the read by its id fails: what it held before is not written across as if it stood.
func TestWhatIsListedNoMoreAndCannotBeReadWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var words []mapping.EnumRow
		for _, w := range []string{"one", "two", "cancelled"} {
			words = append(words, mapping.EnumRow{Word: w, Sides: [2][]string{{w}, {w}}})
		}
		w := newWorld(t, setting{
			words: map[string][]mapping.EnumRow{"note": words}, status: "note",
			policies: map[string]merge.Policy{"note": merge.RightWins},
			kinds:    [2]memory.Kind{record.Right: {Unlisted: func(f record.Fields) bool { return f["their_note"].Text() == "cancelled" }}},
		})
		defer w.close()
		for n := range 5 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": "one"})
		}
		w.rest()
		w.edit(record.Right, 1, "note", "two")
		w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Transient})
		w.run(engine.Options{Yes: true, Full: true})
		w.edit(record.Right, 1, "note", "cancelled")
		rec, _ := w.find(record.Right, 1)
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, ID: rec.Ref.ID, Class: connectors.Transient})
		w.run(engine.Options{Yes: true, Full: true})
		if got := w.value(record.Left, 1, "note"); got == "two" {
			t.Errorf("the left holds %s, which stands nowhere any more", got)
		}
		if found, err := w.store.Findings(t.Context(), job); err != nil || len(found) > 0 {
			t.Errorf("told after one read that failed: %v (%v)", found, err)
		}
		w.rest()
		if got := w.value(record.Left, 1, "note"); got != "cancelled" {
			t.Errorf("the left holds %s", got)
		}
	})
}
