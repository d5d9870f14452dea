package histories

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/record"
)

// together is how long after what we made was first seen by a state that does not know
// of it a record across may still be what it was made from.
const together = time.Hour

// mayBeOrphans reports whether a person has to say what a record without a counterpart is:
// the state was put back to a copy that does not know of a record which we made across,
// and saw both at about the same time. It may be what that was made from.
func (w *world) mayBeOrphans(ctx context.Context, r *rec) bool {
	if !w.restored {
		return false
	}
	seen, known := w.firstSeen(ctx, r)
	for _, x := range w.recs[r.t.kind][r.side.Other()] {
		if x.dead || x.linked != nil || !w.marked(x) {
			continue
		}
		if at, ok := w.firstSeen(ctx, x); known && ok && !seen.After(at.Add(together)) {
			return true
		}
	}
	return false
}

// marked reports whether a record carries our mark.
func (w *world) marked(r *rec) bool {
	rec, ok := w.sys[r.side].Get(kinds[r.t.kind][r.side], r.id)
	return ok && strings.HasPrefix(rec.Stamp, "np:")
}

// firstSeen is when the state saw a record first, as far as it remembers.
func (w *world) firstSeen(ctx context.Context, r *rec) (time.Time, bool) {
	e, ok, err := w.store.Entry(ctx, record.Place{Binding: jobs[r.t.kind], Side: r.side}, record.Ref{Kind: kinds[r.t.kind][r.side], ID: r.id})
	w.must("read entry", err)
	return e.Since, ok
}

// What we made is not known any more, and is somebody else's by its key. Whoever is seen
// with it may be the one it was made from, and waits for a person; whoever comes later is
// nobody else, and is to be on both sides in the end. The same where no state was put
// back, or where what we made is not there.
func TestOnlyWhatWasSeenWithAnOrphanMayBeIt(t *testing.T) {
	seed := uint64(1)
	fits := func(c climate) bool {
		l, r := c.sides[record.Left], c.sides[record.Right]
		return l.class == "C" && l.lag == 0 && !r.since && r.lag == 0 && r.class == "D" && !c.stays && !c.askFirst && !c.tight
	}
	for !fits(climateOf(seed)) {
		seed++
	}
	run := step{what: doRun, yes: true, full: true}
	enter := func(n int) step { return step{what: doPut, side: record.Right, n: n} }
	lost := []step{
		enter(0),
		{what: doBackup},
		run,
		{what: doRestore},
		{what: doEdit, side: record.Left, field: "phone", value: "+390550001113"},
	}
	for _, c := range []struct {
		name  string
		then  []step
		doubt func(w *world)
		wrong bool
	}{
		{"entered before both were seen", []step{enter(1), run}, nil, false},
		{"entered later", []step{run, {what: doWait, d: 2 * together}, enter(1), {what: doHint, side: record.Right, n: 1}}, nil, true},
		{"no state was put back", []step{enter(1), run}, func(w *world) { w.restored = false }, true},
		{"what we made is linked", []step{enter(1), run}, func(w *world) {
			x := w.alive(record.Left, guests, 0)
			x.linked = x
		}, true},
		{"what we made is gone", []step{enter(1), run}, func(w *world) { w.removed(w.alive(record.Left, guests, 0)) }, true},
		{"a user made it", []step{{what: doPut, side: record.Left, n: 3}, enter(1), run}, func(w *world) {
			w.removed(w.alive(record.Left, guests, 0))
			w.alive(record.Left, guests, 3).linked = nil
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := newWorld(history{seed: seed}, ramDir(t), template(t))
			if err != nil {
				t.Fatal(err)
			}
			defer w.disk.Close()
			synctest.Test(t, func(t *testing.T) {
				w.begin()
				w.must("open", w.open())
				for _, s := range append(lost, c.then...) {
					w.do(s)
				}
				if w.fault != "" {
					t.Fatal(w.fault)
				}
				if c.doubt != nil {
					c.doubt(w)
				}
				w.alone(t.Context(), w.thing(guests, 1), w.alive(record.Right, guests, 1))
				if got := w.fault != ""; got != c.wrong {
					t.Errorf("got wrong %t (%s), want %t", got, w.fault, c.wrong)
				}
				w.must("close", w.close())
			})
		})
	}
}
