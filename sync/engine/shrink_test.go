package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// Who says that records are gone has said it of those that were missing then: another loss
// is another question, and the few that leave on any day are none.
func TestAnotherLossIsAnotherQuestion(t *testing.T) {
	for _, tt := range []struct {
		name  string
		later int // so many more are removed after the answer
		err   error
		has   string // where they are then
	}{
		{"as many", 6, engine.ErrHalted, "r"},
		{"fewer", 5, engine.ErrHalted, "r"},
		{"a few", 2, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, {Delete: true}}, gone: both(away.GoneDelete)})
				defer w.close()
				w.eng.Jobs[job].Shrink = 10
				for n := range 20 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
				}
				w.rest()
				const first = 6
				for n := range first {
					w.remove(record.Left, n)
				}
				if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
					t.Fatalf("%d of 20 are missing, and it goes on: %v", first, err)
				}
				if _, err := w.store.AnswerHalts(t.Context(), job, record.Accepted, "anna"); err != nil {
					t.Fatal(err)
				}
				w.run(engine.Options{Yes: true})
				if got := w.has(0); got != "" {
					t.Fatalf("they are gone, a person says, and one is on %q", got)
				}
				for n := range tt.later {
					w.remove(record.Left, first+n)
				}
				if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, tt.err) {
					t.Errorf("%d more are missing: got %v, want %v", tt.later, err, tt.err)
				}
				if got := w.has(first); got != tt.has {
					t.Errorf("one of them is on %q, want %q", got, tt.has)
				}
			})
		})
	}
}

// What is not in a list can't be asked for where nothing is read by its id: the question says
// so, and does not tell of reads that nobody made.
func TestALossThatNobodyCouldAskFor(t *testing.T) {
	for name, c := range map[string]struct {
		noGet bool
		says  string
	}{
		"read by id": {false, "of 5 that were read by id 5 are not there"},
		"none by id": {true, "none of them can be read by its id"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{NoGet: c.noGet}, {}}})
				defer w.close()
				w.eng.Jobs[job].Shrink = 10
				for n := range 20 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
				}
				w.rest()
				for n := range 6 {
					w.remove(record.Left, n)
				}
				rep, err := w.try(engine.Options{Yes: true})
				if !errors.Is(err, engine.ErrHalted) || len(rep.Halts) != 1 || !strings.Contains(rep.Halts[0].Why, c.says) {
					t.Errorf("%v: %v, want a halt that says %q", err, rep.Halts, c.says)
				}
			})
		})
	}
}
