package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

const pillow = "their_custom.pillow"

// replacingWithin is three linked guests of whom the right, whose updates empty what they are not
// sent in the objects that they go through, keeps the note in one. The first has nothing beside it.
func replacingWithin(t fails, k memory.Kind) *world {
	t.Helper()
	k.Tried, k.ReplacesWithin = true, true
	k.Fields = map[string]connectors.Field{"their_custom.lang": {}, pillow: {}}
	w := newWorld(t, setting{
		kinds:    [2]memory.Kind{record.Right: k},
		policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.LeftWins},
		renamed:  map[string]string{"note": "their_custom.lang"},
	})
	for n := range 3 {
		w.put(record.Left, n, map[string]string{"name": "Ada", "mail": "ada@example.com", "note": "it"})
	}
	w.run(engine.Options{Yes: true})
	w.tick(time.Minute)
	for n := range 3 {
		if n > 0 {
			w.editRight(n, pillow, "soft")
		}
	}
	w.rest()
	return w
}

func (w *world) editRight(n int, path, value string) {
	r, _ := w.find(record.Right, n)
	w.sys[record.Right].Edit(kinds[record.Right], r.Ref.ID, record.Fields{path: record.OfText(value)})
}

func (w *world) right(n int, path string) string {
	r, _ := w.find(record.Right, n)
	return r.Fields[path].Text()
}

// An update that replaces an object within a record, and keeps the rest of it: a record with nothing
// beside what is sent there shows nothing of that, and the first that has something is a trial of its
// own. What it emptied is put back.
func TestOutside06AnObjectWithinIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacingWithin(t, memory.Kind{})
		defer w.close()
		w.edit(record.Left, 0, "note", "de")
		w.rest()
		if got := w.right(0, "their_custom.lang"); got != "de" || len(w.halted("trial")) != 0 {
			t.Errorf("the first guest has %q, and %v stands", got, w.halted("trial"))
		}
		w.edit(record.Left, 0, "name", "Eve") // the record itself keeps what stands beside
		w.rest()
		for n := 1; n < 3; n++ {
			w.edit(record.Left, n, "note", "fr")
		}
		w.rest()
		for n := 1; n < 3; n++ {
			if got := w.right(n, pillow); got != "soft" {
				t.Errorf("guest %d has the pillow %q", n, got)
			}
		}
		if texts := w.halted("trial"); len(texts) != 1 || !strings.Contains(texts[0], pillow+"; that was put back") {
			t.Errorf("what is said: %v", texts)
		}
		if w.right(1, "their_custom.lang")+w.right(2, "their_custom.lang") == "frfr" {
			t.Error("a second record was written")
		}
	})
}

// Killed at any step of such a trial, or with an answer that is lost, what it emptied is put back.
func TestOutside06AnObjectWithinIsReplacedAndKilled(t *testing.T) {
	steps := 0
	for k := 0; k <= steps; k++ { // first none
		synctest.Test(t, func(t *testing.T) {
			w := replacingWithin(t, memory.Kind{Versions: k%2 == 0})
			defer w.close()
			w.edit(record.Left, 0, "name", "Eve")
			w.rest()
			w.edit(record.Left, 1, "note", "fr")
			if k == 0 {
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Class: connectors.Ambiguous, Applied: true})
			}
			steps = max(steps, w.killed(k, engine.Options{Yes: true}))
			w.tick(time.Minute)
			w.rest()
			if got := w.right(1, pillow) + fmt.Sprint(len(w.halted("trial"))); got != "soft1" {
				t.Errorf("killed at step %d: %s", k, got)
			}
		})
	}
}

// What was seen to be kept is tried no more: each object once, and the record itself once, with a read
// before and one after. Where nothing stands beside what is sent there is nothing to try.
func TestOutside06EachObjectIsTriedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{Tried: true, Guarded: true, FindAny: true, Fields: map[string]connectors.Field{"their_custom.lang": {}, pillow: {}}}
		w := newWorld(t, setting{
			kinds:    [2]memory.Kind{record.Right: k},
			policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.LeftWins},
			renamed:  map[string]string{"note": "their_custom.lang"},
		})
		defer w.close()
		for n := range 3 {
			w.put(record.Left, n, map[string]string{"name": "Ada", "mail": "ada@example.com", "note": "it"})
		}
		w.rest()
		for n := 1; n < 3; n++ {
			w.editRight(n, pillow, "soft")
		}
		w.rest()
		reads := func(n int, field, value string) int64 {
			w.edit(record.Left, n, field, value)
			rep := w.run(engine.Options{Yes: true})
			w.tick(time.Minute)
			w.rest()
			if rep.Counts["right.updated"] != 1 {
				t.Errorf("%s of guest %d: %d updates", field, n, rep.Counts["right.updated"])
			}
			return rep.Counts["right.reads"]
		}
		for i, c := range []struct {
			n            int
			field, value string
			reads        int64
			proved       string
		}{
			{1, "name", "Eve", 2, `[""]`},
			{2, "name", "Eve", 0, `[""]`},
			{0, "note", "de", 1, `[""]`},
			{1, "note", "de", 2, `["" "their_custom"]`},
			{2, "note", "de", 0, `["" "their_custom"]`},
			{0, "note", "fr", 0, `["" "their_custom"]`},
		} {
			if got := reads(c.n, c.field, c.value); got != c.reads {
				t.Errorf("step %d: %d reads, want %d", i, got, c.reads)
			}
			if tr := w.trial(record.Update); fmt.Sprintf("%q", tr.Proved) != c.proved {
				t.Errorf("step %d: proved is %q, want %s", i, tr.Proved, c.proved)
			}
		}
	})
}

// The job has a field of its own in an object, and the record holds nothing there but what no job
// maps: a system may keep that through all updates. It proves nothing.
func TestOutside06OnlyTheJobsOwnTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{
			kinds:    [2]memory.Kind{record.Right: {Tried: true, Fields: map[string]connectors.Field{"their_custom.lang": {}, "their_custom.tone": {}, pillow: {}}}},
			policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.LeftWins},
			renamed:  map[string]string{"note": "their_custom.lang", "mail": "their_custom.tone"},
		})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "Ada", "note": "it"})
		w.rest()
		w.editRight(0, pillow, "soft")
		w.edit(record.Left, 0, "note", "de")
		w.rest()
		if got := w.trial(record.Update).Proved; fmt.Sprintf("%q", got) != `[""]` {
			t.Errorf("without a tone %q is proved", got)
		}
		w.editRight(0, "their_custom.tone", "formal")
		w.rest()
		w.edit(record.Left, 0, "note", "fr")
		w.rest()
		if got := w.trial(record.Update).Proved; fmt.Sprintf("%q", got) != `["" "their_custom"]` {
			t.Errorf("with a tone %q is proved", got)
		}
	})
}

// A person lets the updates go on: that goes for the objects within records too.
func TestOutside06LetGoOnWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacingWithin(t, memory.Kind{})
		defer w.close()
		w.edit(record.Left, 1, "note", "fr")
		w.rest()
		if _, err := w.store.AnswerHalts(context.Background(), job, record.Accepted, "test"); err != nil {
			t.Fatal(err)
		}
		w.rest()
		w.edit(record.Left, 2, "note", "fr")
		w.rest()
		if got := w.right(2, "their_custom.lang"); got != "fr" || len(w.halted("trial")) > 0 {
			t.Errorf("guest 2 has %q, and %v stands", got, w.halted("trial"))
		}
	})
}

// A record in which only what no job maps could be emptied: it shows nothing of the job's own, and
// what was emptied is put back all the same.
func TestOutside06OnlyWhatIsNotMappedIsEmptied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {Tried: true, Replaces: true}}, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.LeftWins, "phone": merge.LeftWins}})
		defer w.close()
		w.put(record.Left, 0, map[string]string{})
		w.rest()
		w.editRight(0, "their_remark", "pays cash")
		w.rest()
		id, _ := w.find(record.Left, 0)
		w.sys[record.Left].Edit(kinds[record.Left], id.Ref.ID, record.Fields{"phone": record.OfText(phoneOf(7))})
		w.rest()
		if got := w.right(7, "their_remark"); got != "pays cash" || len(w.halted("trial")) != 1 {
			t.Errorf("the remark is %q, and %v stands", got, w.halted("trial"))
		}
	})
}
