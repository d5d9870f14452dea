package histories

import (
	"context"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// vouching is how many linked records must be in their place for a system to be known.
const vouching = 2

// putBackAll answers for a job that knows too few of a side's linked records any more,
// where users removed them and put them back: to a system that shows when they were made
// they are others, and a person says of each that it is the same. A job that goes on
// standing for all that is said never comes to rest.
func (w *world) putBackAll(ctx context.Context, kind int, h record.Question) bool {
	var back []*rec
	inPlace := 0
	for _, id := range slices.Sorted(maps.Keys(w.recs[kind][h.Side])) {
		switch r := w.recs[kind][h.Side][id]; {
		case r.dead || r.linked == nil:
		case r.back.IsZero():
			inPlace++
		default:
			back = append(back, r)
		}
	}
	if h.Cause != "identity" || inPlace >= vouching {
		return false
	}
	for _, r := range back {
		w.sameAgain(ctx, r)
	}
	return len(back) > 0
}

// sameAgain says of a record that was put back that it is the one that was linked, if
// that is asked.
func (w *world) sameAgain(ctx context.Context, r *rec) {
	p, ok, err := w.store.PairOf(ctx, record.Place{Binding: jobs[r.t.kind], Side: r.side}, record.Ref{Kind: kinds[r.t.kind][r.side], ID: r.id})
	w.must("read link", err)
	cs, err := w.store.Questions(ctx, jobs[r.t.kind], true)
	w.must("read conflicts", err)
	for _, c := range cs {
		if ok && c.Link == p.Link && c.Field == engine.RecordField && c.Cause == record.Cause(away.AskForeign) {
			w.log("  link %d: it is the same", c.Link)
			for _, t := range w.thingsOf(c.Link) { // of one that is gone it is made anew
				if t != nil {
					t.wantedAnew = t.wantedAnew || r.linked != nil && r.linked.dead
				}
			}
			w.count.add("choice " + string(away.ChooseSame))
			w.must("choose", w.store.Choose(ctx, c.ID, "value", record.OfText(string(away.ChooseSame)), time.Now()))
		}
	}
}

// The only record that is linked is removed and put back, and nothing vouches for its
// system any more: the job stands still until a person says that it is the same.
func TestAllPutBackIsAPersonsWord(t *testing.T) {
	h := history{seed: 1}
	fits := func(c climate) bool {
		l, r := c.sides[record.Left], c.sides[record.Right]
		return l.lag == 0 && !l.since && !l.silent && l.class == "A" && r.class == "A" && !c.stays && !c.askFirst && !c.tight
	}
	for !fits(climateOf(h.seed)) {
		h.seed++
	}
	left := func(what string) step { return step{what: what, field: "full_name", value: "edited"} }
	run := step{what: doRun, yes: true, full: true}
	h.steps = []step{
		left(doPut), run,
		left(doEdit),
		{what: doPause, k: 1},
		run, // it is seen, and not carried over
		left(doRemove), left(doUndelete),
		{what: doPut, side: record.Right, n: 2},
	}
	if wrong, _, _ := play(t, h, ramDir(t), template(t)); wrong != "" {
		t.Error(wrong)
	}
}

// A system of which enough linked records are in their place is known, whatever was put
// back there: that a job stands still for it is nothing that a person answers.
func TestOnlyWhereTooFewVouch(t *testing.T) {
	for inPlace, want := range []bool{true, true, false} {
		w, err := newWorld(history{seed: 1}, "", template(t))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			w.begin()
			w.must("open", w.open())
			for n := range inPlace + 1 {
				w.put(record.Left, step{n: n})
				r := w.alive(record.Left, guests, n)
				r.linked = r
				if n == 0 {
					r.back = time.Now()
				}
			}
			for name, want := range map[string]bool{"identity": want, "shrink": false} {
				if got := w.putBackAll(t.Context(), guests, record.Question{Subject: record.Subject{Side: record.Left}, Cause: record.Cause(name)}); got != want {
					t.Errorf("%s with %d in their place: got %t, want %t", name, inPlace, got, want)
				}
			}
			w.must("close", w.close())
		})
		w.must("close the disk", w.disk.Close())
		if w.fault != "" {
			t.Error(w.fault)
		}
	}
}
