package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A system is put back to an older copy, and the next new record gets the id of one that was made
// since the copy. Whatever a person says of the halt, neither of the two is written over the other:
// they are asked, and all else goes on. An older value of the same record is no question.
func TestOutsideAnIDIsGivenAgainAfterARollback(t *testing.T) {
	stamped := connectors.Stamp{Path: "ref", Find: true, Unique: true}
	for _, answer := range []record.Choice{record.Accepted, record.Again} {
		for what, c := range map[string]struct {
			match [][]string
			kind  memory.Kind
			other map[string]string // what is in its place
		}{
			"all of the match rule is another": {[][]string{{"phone", "name"}}, memory.Kind{}, map[string]string{"name": "desk", "mail": "desk@example.com"}},
			"it lacks our mark":                {[][]string{{"phone"}, {"mail"}}, memory.Kind{Stamp: stamped}, map[string]string{"name": "desk", "mail": "caller@example.com"}},
		} {
			t.Run(fmt.Sprintf("%s, %s", answer, what), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: [2]memory.Kind{{}, c.kind}, match: c.match})
					defer w.close()
					for i := range 8 {
						w.put(record.Left, i, map[string]string{"name": fmt.Sprint("old", i), "note": "confirmed", "mail": fmt.Sprintf("m%d@example.com", i)})
					}
					w.rest()
					copied := w.sys[record.Right].Snapshot()
					w.tick(time.Hour)
					w.put(record.Left, 8, map[string]string{"name": "caller", "note": "confirmed", "mail": "caller@example.com"})
					w.rest()
					for i := range 5 {
						w.edit(record.Left, i, "name", fmt.Sprint("later", i))
					}
					w.rest()
					made, _ := w.find(record.Right, 8)
					w.tick(time.Hour)
					w.sys[record.Right].Restore(copied)
					w.put(record.Right, 9, map[string]string{"name": c.other["name"], "note": "confirmed", "mail": c.other["mail"]})
					if r, _ := w.find(record.Right, 9); r.Ref != made.Ref {
						t.Fatalf("it got %s, and was to get %s again", r.Ref, made.Ref)
					}
					if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
						t.Fatalf("got %v, and was to stand still", err)
					}
					if _, err := w.store.AnswerHalts(t.Context(), job, answer, "somebody"); err != nil {
						t.Fatal(err)
					}
					w.rest()
					if got := w.value(record.Left, 8, "name"); got != "caller" {
						t.Errorf("what the caller booked is %q", got)
					}
					if got := w.value(record.Right, 9, "name"); got != "desk" {
						t.Errorf("what the desk entered is %q", got)
					}
					cs, err := w.store.Questions(t.Context(), job, true)
					if err != nil || len(cs) != 1 || cs[0].Cause != "stranger" {
						t.Errorf("asked: %+v, %v", cs, err)
					}
					want := map[record.Choice]string{record.Accepted: "old", record.Again: "later"}[answer]
					for i := range 5 {
						for _, side := range record.Sides {
							if got := w.value(side, i, "name"); got != fmt.Sprint(want, i) {
								t.Errorf("%d of the %s is %q", i, side, got)
							}
						}
					}
					before := w.mutations()
					w.run(engine.Options{Full: true})
					wantCount(t, "writes afterwards", w.mutations()-before, 0)
				})
			})
		}
	}
}

// A system is put back to a copy from before most of a record was edited, its key too. It is the same
// record: it was made when that was, or has its first key. Nobody is asked whether it is.
func TestOutsideAnOlderCopyOfARecordIsTheSame(t *testing.T) {
	for _, answer := range []record.Choice{record.Accepted, record.Again} {
		for _, times := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, times %t", answer, times), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Times: times}}, match: [][]string{{"mail"}}})
					defer w.close()
					for i := range 8 {
						w.put(record.Left, i, map[string]string{"name": fmt.Sprint("old", i), "mail": fmt.Sprintf("m%d@example.com", i)})
					}
					w.rest()
					copied := w.sys[record.Right].Snapshot()
					w.tick(time.Hour)
					for i := range 5 {
						w.edit(record.Left, i, "name", fmt.Sprint("later", i))
						w.edit(record.Left, i, "mail", fmt.Sprintf("later%d@example.com", i))
					}
					w.rest()
					w.sys[record.Right].Restore(copied)
					if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
						t.Fatalf("got %v, and was to stand still", err)
					}
					if _, err := w.store.AnswerHalts(t.Context(), job, answer, "somebody"); err != nil {
						t.Fatal(err)
					}
					w.rest()
					if q, ok := w.question(); ok {
						t.Errorf("asked: %s", q.Why)
					}
					want := map[record.Choice]string{record.Accepted: "old", record.Again: "later"}[answer]
					for i := range 5 {
						for _, side := range record.Sides {
							if got := w.value(side, i, "name"); got != fmt.Sprint(want, i) {
								t.Errorf("%d of the %s is %q", i, side, got)
							}
						}
					}
				})
			})
		}
	}
}
