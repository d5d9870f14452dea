package engine_test

import (
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

// sentIn runs the job every ten minutes and counts what the right is asked to change.
func (w *world) sentIn(d time.Duration) int {
	before := w.sys[record.Right].Counts().Mutations
	for end := time.Now().Add(d); time.Now().Before(end); w.tick(10 * time.Minute) {
		w.run(engine.Options{Yes: true})
	}
	return w.sys[record.Right].Counts().Mutations - before
}

// asks is how often all that is refused is asked for before it is left to a person, and
// inADay how often in the first day.
const (
	asks   = 8
	inADay = 7
)

// blockedBySome is a right system that has a record with the key of whatever is new, and shows
// it to nobody.
func blockedBySome(w *world) {
	w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Times: -1, Class: connectors.Exists})
}

// A create whose key is taken by a record that nobody here knows is asked for ever more
// seldom, and then left to a person. Another value, another mapping or a person's word has
// it asked for again; so does time, as long as it is not left to a person.
func TestF44_BlockedCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		blockedBySome(w)
		is := func(want record.EntryState) {
			t.Helper()
			l, _ := w.find(record.Left, 1)
			e, _, err := w.store.Entry(t.Context(), record.Place{Binding: job, Side: record.Left}, l.Ref)
			if err != nil || e.State != want || !strings.HasPrefix(e.Why, "two has a record with its key") {
				t.Errorf("it is %q, %q, %v, want %q", e.State, e.Why, err, want)
			}
		}
		wantCount(t, "asked in a day", w.sentIn(24*time.Hour), inADay)
		is(record.Waiting) // what is in the way may be listed any time
		wantCount(t, "asked in four days", inADay+w.sentIn(3*24*time.Hour), asks)
		is(record.Quarantined)
		wantCount(t, "asked in quarantine", w.sentIn(3*24*time.Hour), 0)
		wantCount(t, "asked in quarantine in a month", w.sentIn(28*24*time.Hour), 4)
		is(record.Quarantined)
		w.edit(record.Left, 1, "name", "Ada L.")
		wantCount(t, "asked in a day after another value", w.sentIn(24*time.Hour), inADay)
		w.policies = map[string]merge.Policy{"note": merge.LeftWins}
		w.restart()
		w.eng.Jobs[job].Represent = true // anything that changes how records are decided
		wantCount(t, "asked in a day after another mapping", w.sentIn(24*time.Hour), inADay)
		for _, f := range w.refused() {
			if err := w.store.Forgive(t.Context(), job, record.Forgiven{Side: f.Side, From: f.From, At: time.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		wantCount(t, "asked in a day after a person's word", w.sentIn(24*time.Hour), inADay)
		w.sys[record.Right].Heal() // the record in the way is gone
		wantCount(t, "asked once nothing is in the way", w.sentIn(24*time.Hour), 1)
		if got := w.value(record.Right, 1, "name"); got != "Ada L." {
			t.Errorf("the right has %q, want it made", got)
		}
		wantCount(t, "refusals that stand", len(w.refused()), 0)
	})
}

// A record in the way that goes, and that nobody here ever saw, has what it kept out made
// within a week, without anybody's word.
func TestBlockedCreateIsMadeOnceNothingIsInTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		blockedBySome(w)
		wantCount(t, "asked in four days", w.sentIn(4*24*time.Hour), asks)
		w.sys[record.Right].Heal()
		wantCount(t, "asked in a week", w.sentIn(7*24*time.Hour), 1)
		if got := w.value(record.Right, 1, "name"); got != "Ada" {
			t.Errorf("the right has %q, want it made", got)
		}
		wantCount(t, "refusals that stand", len(w.refused()), 0)
	})
}

// A record in the way that is listed later, and is the same, is linked at once, whatever
// was refused before; nothing is asked for again.
func TestBlockedCreateIsMatchedWhenListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		blockedBySome(w)
		wantCount(t, "asked in four days", w.sentIn(4*24*time.Hour), asks)
		w.put(record.Right, 1, map[string]string{"name": "Ada"})
		w.run(engine.Options{Yes: true})
		n, err := w.store.LinkCount(t.Context(), job)
		if err != nil || n != 1 {
			t.Errorf("got %d links, %v, want both linked", n, err)
		}
		wantCount(t, "asked once it is linked", w.sentIn(24*time.Hour), 0)
		wantCount(t, "refusals that stand", len(w.refused()), 0)
	})
}

// A record in the way that is found, and is linked to another, is no other case; once it
// gives its key away what was refused is made.
func TestBlockedByALinkedRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := [][]string{{"their_name"}}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Unique: name, FindBy: name, FindAny: true}}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		w.rest()
		w.put(record.Left, 2, map[string]string{"name": "Ada"}) // told by the phone, it is somebody else
		wantCount(t, "asked in a day", w.sentIn(24*time.Hour), inADay)
		w.edit(record.Left, 1, "name", "Ada L.")
		w.rest()
		w.tick(24 * time.Hour)
		w.rest()
		if got := w.value(record.Right, 2, "name"); got != "Ada" {
			t.Errorf("the right has %q, want it made", got)
		}
		wantCount(t, "refusals that stand", len(w.refused()), 0)
	})
}

// A create of which no answer came, and that is sent again under the same key or reference,
// may meet such a record too: lists say that it never arrived, and what is asked for then is
// asked like any other.
func TestBlockedWhenItIsSentAgain(t *testing.T) {
	for _, class := range []connectors.Class{connectors.ClassA, connectors.ClassB} {
		t.Run(string(class), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{}, class)}})
				defer w.close()
				w.put(record.Left, 1, map[string]string{"name": "Ada"})
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Create, Times: 1, Class: connectors.Ambiguous})
				wantCount(t, "asked at first", w.sentIn(time.Minute), 1)
				blockedBySome(w)
				wantCount(t, "asked in four days", w.sentIn(4*24*time.Hour), 1+asks)
				w.noneLost()
			})
		})
	}
}
