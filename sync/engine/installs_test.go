package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A record that another installation made stops the job also where a hint names it before
// any list does; a plan shows it, and lets nothing of it be forgotten.
func TestF11_ForeignMarkInSingleRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, memory.ClassKind(memory.Kind{}, connectors.ClassC)}})
		defer w.close()
		guest := func(n int, mark string) record.Ref {
			ref := w.sys[record.Right].Put(kinds[record.Right], record.Fields{
				"their_phone": record.OfText(phoneOf(n)), "their_name": record.OfText(fmt.Sprint("n", n)), "reference": record.OfText(mark),
			})
			return record.Ref{Kind: kinds[record.Right], ID: ref}
		}
		guest(1, "np:before:1")
		w.rest()
		made := guest(2, "np:other:2")
		stands := func(o engine.Options) {
			t.Helper()
			rep, err := w.try(o)
			if !o.Dry && !errors.Is(err, engine.ErrHalted) || len(rep.Halts) != 1 || rep.Halts[0].Cause != "foreign" || !rep.Halts[0].Rests.IsOn("other") {
				t.Fatalf("got %v, %+v", err, rep.Halts)
			}
			if n := len(w.sys[record.Left].All(kinds[record.Left])); n != 1 {
				t.Fatalf("the left has %d records, want 1", n)
			}
		}
		stands(engine.Options{Dry: true, Yes: true})
		stands(engine.Options{Only: []record.Ref{made}, OnlySide: record.Right})
		stands(engine.Options{Yes: true})
		if _, err := w.store.AnswerHalts(t.Context(), job, record.Accepted, "somebody"); err != nil {
			t.Fatal(err)
		}
		w.rest()
		guest(3, "np:other:3")
		w.rest()
		if n := len(w.sys[record.Left].All(kinds[record.Left])); n != 3 {
			t.Errorf("the left has %d records, want 3", n)
		}
		guest(4, "np:third:4")
		if rep, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) || !rep.Halts[0].Rests.IsOn("third") {
			t.Errorf("a third installation: got %v, %+v", err, rep.Halts)
		}
	})
}
