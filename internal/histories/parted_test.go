package histories

import (
	"context"
	"slices"
	"testing"

	"nightporter/sync/record"
)

// goesOn reports whether a link stands for the two records of a thing still. Where users
// merged one of them, the link went on with the other that it became.
func goesOn(p record.Pair, l, r *rec) bool {
	return p.Link != 0 && p.Sides[record.Left].Ref.ID == l.id && p.Sides[record.Right].Ref.ID == r.id
}

// parted checks two records of a thing that were linked, and are not any more, since
// something happened to it: each is linked with one of what may be taken for the thing,
// or a person is asked about it or about the link that it waits for.
func (w *world) parted(ctx context.Context, t *thing, l, r *rec) {
	for _, x := range []*rec{l, r} {
		place, ref := record.Place{Binding: jobs[t.kind], Side: x.side}, record.Ref{Kind: kinds[t.kind][x.side], ID: x.id}
		e, _, err := w.store.Entry(ctx, place, ref)
		w.must("read entry", err)
		p, _, err := w.store.PairOf(ctx, place, ref)
		w.must("read link", err)
		asked := w.askedAbout(ctx, t.kind, l, r)
		attached := w.is(oddStands) > 0 && e.State == record.Attached // to one that stands for it by the job's rule
		waits := asked && e.State == record.Waiting                   // for what becomes of a link of these
		back := asked && p.State == record.LinkGone                   // it is there again: a person is asked about its link
		// A person wanted it made anew, or is asked about the other one, where the job makes none: of that one they are told.
		alone := (t.wantedAnew || asked) && e.State == record.LeftOut && w.barred(x.side.Other(), t.kind)
		// It was left to itself, and nobody can tell the one that was put back from a new one under its id.
		left := w.leftAlone(x) && (x == l && r.passesForNew(true) || x == r && l.passesForNew(true))
		if w.plain(t) || !attached && !alone && !waits && !back && !left && !inHand(e, w.akin(t), w.recs[t.kind][x.side.Other()][p.Sides[x.side.Other()].Ref.ID]) {
			w.wrong("thing %d was linked, %s and %s, and nobody is asked about it: %s | %s", t.n, l.id, r.id, w.standing(ctx, l), w.standing(ctx, r))
			return
		}
	}
}

// askedAbout reports whether a person is asked about a link of one of some records.
func (w *world) askedAbout(ctx context.Context, kind int, rs ...*rec) bool {
	open, err := w.store.Questions(ctx, jobs[kind], true)
	w.must("read conflicts", err)
	return slices.ContainsFunc(rs, func(r *rec) bool {
		p, found, err := w.store.PairOf(ctx, record.Place{Binding: jobs[kind], Side: r.side}, record.Ref{Kind: kinds[kind][r.side], ID: r.id})
		w.must("read link", err)
		return found && slices.ContainsFunc(open, func(c record.Question) bool { return c.Link == p.Link })
	})
}

// inHand reports whether a record is held for a person, or linked with one of those that
// may be taken for its own.
func inHand(e record.Entry, kin []*thing, with *rec) bool {
	return e.State == record.Held || e.Link != 0 && with != nil && slices.Contains(kin, with.t)
}

// A link goes on with what one of its records was merged into. Put back after that, the
// record is held: the values of the two are nobody's to compare.
func TestPutBackAfterAMerge(t *testing.T) {
	h := history{seed: 1}
	for ; ; h.seed++ {
		if c := climateOf(h.seed); !c.stays && !c.askFirst && !c.tight && c.free() && c.sides[record.Left].lag+c.sides[record.Right].lag == 0 && c.rejects == 0 {
			break
		}
	}
	run := step{what: doRun, yes: true, full: true}
	h.steps = []step{
		{what: doBoth, n: 1},
		{what: doPut, side: record.Left, n: 3},
		run,
		{what: doWait, d: settle},
		{what: doPut, side: record.Left, n: 2},
		{what: doMerge, side: record.Left, n: 1},
		run,
		{what: doUndelete, side: record.Left, n: 1},
	}
	if wrong, _, _ := play(t, h, ramDir(t), template(t)); wrong != "" {
		t.Errorf("the oracle says: %s", wrong)
	}
}

// A record that nothing is done about is not in hand, nor is one that was given another's
// partner.
func TestOnlyWhatIsAskedAboutIsInHand(t *testing.T) {
	own, other := &thing{n: 1}, &thing{n: 2}
	for _, tt := range []struct {
		name string
		e    record.Entry
		with *rec
		want bool
	}{
		{"with its own", record.Entry{Link: 7}, &rec{t: own}, true},
		{"with another's", record.Entry{Link: 7}, &rec{t: other}, false},
		{"with nobody knows whom", record.Entry{Link: 7}, nil, false},
		{"held", record.Entry{State: record.Held}, nil, true},
		{"as if nothing were", record.Entry{State: record.InStep}, nil, false},
		{"left out", record.Entry{State: record.Attached}, nil, false},
		{"refused", record.Entry{State: record.Quarantined}, nil, false},
	} {
		if got := inHand(tt.e, []*thing{own}, tt.with); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}
