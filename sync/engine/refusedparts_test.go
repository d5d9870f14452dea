package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// An update that a system refuses whatever it changes, for another record is in the way,
// is asked for in whole and in parts by turns. All of them together are asked for no more
// often than one refused value is, and end as it does.
func TestF44_RefusedInWholeAndInParts(t *testing.T) {
	for _, c := range []struct {
		name   string
		class  connectors.ErrorClass
		fields []string
		every  time.Duration
		runs   int
		want   int // requests: all of it in a turn, each part in the next
	}{
		{"two fields, a month of daily runs", connectors.Rejected, fields[:2], 25 * time.Hour, 30, 4 + 4*2},
		{"three fields, a month of daily runs", connectors.Rejected, fields, 25 * time.Hour, 30, 4 + 4*3},
		{"two fields, a month of daily runs, for a key that is taken", connectors.Exists, fields[:2], 25 * time.Hour, 30, 4 + 4*2},
		{"two fields, a day of runs each five minutes", connectors.Rejected, fields[:2], 5 * time.Minute, 24 * 12, 4 + 3*2},
		{"three fields, a day of runs each five minutes", connectors.Rejected, fields, 5 * time.Minute, 24 * 12, 4 + 3*3},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{policies: leftWins()})
				defer w.close()
				w.put(record.Left, 1, map[string]string{"name": "Ada"})
				w.rest()
				for _, f := range c.fields {
					w.edit(record.Left, 1, f, "new")
				}
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Times: -1, Class: c.class})
				if got := w.sends(c.every, c.runs); got != c.want {
					t.Errorf("asked %d times, want %d", got, c.want)
				}
				if w.sends(25*time.Hour, 10); w.sends(25*time.Hour, 10) != 0 {
					t.Errorf("asked for ever: %d refusals stand", len(w.refused()))
				}
			})
		})
	}
}

// sends is how many requests the right system has of runs at a cadence.
func (w *world) sends(every time.Duration, runs int) int {
	before := w.sys[record.Right].Counts().Mutations
	for range runs {
		w.tick(every)
		w.run(engine.Options{Yes: true})
	}
	return w.sys[record.Right].Counts().Mutations - before
}

func leftWins() map[string]merge.Policy {
	out := map[string]merge.Policy{}
	for _, f := range fields {
		out[f] = merge.LeftWins
	}
	return out
}

// A refused value goes by itself also where another of its record changes before each
// run, so that never the same is refused together: it holds up no other, and is in no
// more requests than any refused value.
func TestF44_RefusedBesideWhatAlwaysChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{policies: leftWins(), kinds: [2]memory.Kind{{}, {Fields: map[string]connectors.Field{"their_name": {MaxRunes: 10}}}}})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		w.rest()
		w.edit(record.Left, 1, "name", "Ada who has far too long a name")
		const days, tries = 30, 8
		sent := 0
		for day := range days {
			mail := fmt.Sprintf("day%d@example.com", day)
			w.edit(record.Left, 1, "mail", mail)
			sent += w.sends(25*time.Hour, 1)
			if got := w.value(record.Right, 1, "mail"); day > 0 && got != mail {
				t.Fatalf("mail is %q, want %q: the name's refusal held it up", got, mail)
			}
		}
		if want := 1 + tries + days - 1; sent != want {
			t.Errorf("sent %d times, want %d: both once, the name as often as any, the mail each day after the first", sent, want)
		}
	})
}

// What a person dismissed is dismissed in its parts, too: each is asked for once, so that
// none holds up another, and nothing more.
func TestDismissedInParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{policies: leftWins()})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		w.rest()
		w.edit(record.Left, 1, "name", "Ada L.")
		w.edit(record.Left, 1, "mail", "ada@example.com")
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Times: -1, Class: connectors.Rejected})
		if got := w.sends(time.Minute, 1); got != 1 {
			t.Fatalf("sent %d times, want both in one", got)
		}
		for _, f := range w.refused() {
			if err := w.store.Forgive(t.Context(), job, record.Forgiven{Side: f.Side, Link: f.Link, From: f.From, Dismissed: time.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		if got := w.sends(25*time.Hour, 10); got != 2 {
			t.Errorf("after a person dismissed it it is sent %d times, want each part once", got)
		}
	})
}
