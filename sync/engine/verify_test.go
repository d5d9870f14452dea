package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// verified is what a comparison on a copy of the state says.
func (w *world) verified(dir string) *engine.Verified {
	w.Helper()
	w.ids++
	file := filepath.Join(dir, fmt.Sprint("copy", w.ids, ".db"))
	ctx := context.Background()
	if err := w.store.CopyTo(ctx, file); err != nil {
		w.Fatal(err)
	}
	s, err := state.Open(ctx, file, state.Options{})
	if err != nil {
		w.Fatal(err)
	}
	defer s.Close()
	mine := w.eng.Stores
	w.eng.Stores = storesOf(w, s)
	defer func() { w.eng.Stores = mine }()
	rep, err := w.eng.Run(ctx, job, engine.Options{Dry: true, Full: true, Verify: true})
	if err != nil {
		w.Fatalf("verify: %v", err)
	}
	return rep.Verified
}

// causes is what differs, as "field: cause", and what has no partner, as its cause.
func causes(v *engine.Verified) []string {
	var out []string
	for _, d := range v.Differs {
		out = append(out, d.Field+": "+string(d.Cause))
	}
	for _, l := range v.Lone {
		out = append(out, l.Side.String()+" "+string(l.Cause))
	}
	slices.Sort(out)
	return out
}

// settleOtherwise has both sides of a pair hold something else, and the store take it for
// settled: what a mistake of ours would leave behind.
func (w *world) settleOtherwise(p record.Pair) {
	w.Helper()
	ctx := context.Background()
	l, err := w.store.Begin(ctx, job, false, time.Now())
	if err != nil {
		w.Fatal(err)
	}
	w.sys[record.Right].Edit(kinds[record.Right], p.Sides[record.Right].Ref.ID, record.Fields{"their_mail": record.OfText("lost")})
	err = w.store.Adopt(ctx, l, p.Link, [2]record.Fields{nil, {"their_mail": record.OfText("lost")}}, time.Now())
	if err := errors.Join(err, w.store.End(ctx, l, record.Done, "", nil, time.Now())); err != nil {
		w.Fatal(err)
	}
}

// A comparison says of each difference why it is there, and changes nothing: no system,
// no base, no observation.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := inStepPeople(t, lenient(), 5)
		defer w.close()
		if v := w.verified(dir); v.Links != 5 || v.Same != 5 || len(v.Causes) > 0 {
			t.Fatalf("people in step: got %+v", v)
		}
		w.edit(record.Left, 0, "name", "bad")
		bad := w.run(engine.Options{Yes: true}).Run
		w.undo(bad)
		w.edit(record.Left, 1, "note", "one")
		w.edit(record.Right, 1, "note", "other")
		w.policies = maps.Clone(lenient().policies)
		w.policies["note"] = merge.Person
		w.restart()
		w.rest()
		w.edit(record.Left, 2, "name", "new") // no run has seen it
		w.remove(record.Right, 3)
		w.sys[record.Left].Put(kinds[record.Left], record.Fields{"name": record.OfText("nobody to be recognised")})
		w.put(record.Right, 7, map[string]string{"name": "a stranger"})
		p, _, err := w.store.PairOf(context.Background(), record.Place{Binding: job, Side: record.Right}, record.Ref{Kind: kinds[record.Right], ID: w.idOf(4)})
		if err != nil {
			t.Fatal(err)
		}
		w.settleOtherwise(p)
		kept, before := w.kept(dir), w.mutations()
		v := w.verified(dir)
		want := []string{
			"left gone", "left left out", "mail: unexplained", "name: changed", "name: undone", "note: held", "right changed",
		}
		if diff := cmp.Diff(want, causes(v)); diff != "" {
			t.Errorf("causes (-want +got):\n%s\n%+v", diff, v)
		}
		if v.Links != 4 || v.Same != 0 {
			t.Errorf("got %d links of which %d the same, want 4 and 0", v.Links, v.Same)
		}
		if w.kept(dir) != kept || w.mutations() != before {
			t.Error("a comparison changed something")
		}
		d, err := w.store.Dirty(context.Background(), job, 0, 100)
		if err != nil || len(d) != 1 { // the held one alone
			t.Errorf("got %d links to be looked at and %v: a comparison left an observation", len(d), err)
		}
	})
}
