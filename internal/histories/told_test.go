package histories

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// mostTold is how often a person says what became of a change. The engine believes no
// record that is linked, or that is by now nothing like what was sent: then the change
// stays open, and nobody can tell what is to become of what it was about.
const mostTold = 4

// unbelieved excuses what a change is about whose fate a person told in vain.
func (w *world) unbelieved(ctx context.Context, kind int, in record.Intent) {
	unread := strings.Contains(in.Error, "can't be read") && w.garbles(kind) // nor can the record that the person named
	unread = unread || w.namedUnread(ctx, kind, in)
	if !strings.Contains(in.Error, "a person said that it arrived") && !unread {
		w.wrong("change %s stays lost, and it is not said why what a person told is not so: %s", in.ID, in.Error)
	}
	w.thing(kind, numberIn(in.Change.Fields[path(in.Place.Side, tag[kind])].Text())).torn = true
}

// namedUnread reports whether what a person said of a change is waited with, as the record that
// they named can't be read now.
func (w *world) namedUnread(ctx context.Context, kind int, in record.Intent) bool {
	claims, err := w.store.Claims(ctx, jobs[kind])
	w.must("read what persons said of changes", err)
	c, said := claims[in.ID]
	if !said || !w.garbles(kind) {
		return false
	}
	e, known, err := w.store.Entry(ctx, in.Place, c.Ref)
	w.must("read what a person named", err)
	return known && e.State == record.Quarantined
}

// toldInVain reports whether a person told the fate of a change often enough, and it is open
// still: other creates wait with it, as long as nobody can look up what became of them.
func (w *world) toldInVain(ctx context.Context, kind int) bool {
	lost, err := w.store.Lost(ctx, jobs[kind])
	w.must("read what is lost", err)
	return slices.ContainsFunc(lost, func(in record.Intent) bool { return w.told[in.ID] > mostTold })
}

// tellOthers says the truth about records that seem to be other ones under their ids: a
// create without an answer that may have made one of them waits for that. It reports
// whether there were any.
func (w *world) tellOthers(ctx context.Context, kind int) (some bool) {
	open, err := w.store.Questions(ctx, jobs[kind], true)
	w.must("read conflicts", err)
	for _, c := range open {
		p, ok, err := w.store.Pair(ctx, c.Link)
		w.must("read link", err)
		if !ok || c.Cause != record.Cause(away.AskForeign) {
			continue
		}
		choice, anew := away.ChooseAnew, true // each of the two goes its own way
		l, r := w.recs[kind][record.Left][p.Sides[record.Left].Ref.ID], w.recs[kind][record.Right][p.Sides[record.Right].Ref.ID]
		if l != nil && r != nil && l.t == r.t {
			choice, anew = away.ChooseSame, l.dead || r.dead // of one that is gone it is made anew
		}
		for _, x := range []*rec{l, r} {
			if x != nil {
				x.t.wantedAnew = x.t.wantedAnew || anew
			}
		}
		w.log("  conflict %d of link %d, %s: %s", c.ID, c.Link, c.Cause, choice)
		w.count.add("choice " + string(choice))
		w.must("say which record it is", w.store.Choose(ctx, c.ID, "value", record.OfText(string(choice)), time.Now()))
		some = true
	}
	return some
}

// waitsInVain reports whether one of some records is held because it may be what a change
// made whose fate a person told in vain: as long as that is open, and no linked record tells
// what the system makes of values, it may be any that came since.
func (w *world) waitsInVain(ctx context.Context, rs ...*rec) bool {
	return slices.ContainsFunc(rs, func(r *rec) bool {
		s := w.standing(ctx, r)
		for id, times := range w.told {
			if times > mostTold && strings.Contains(s, "held it may be what change "+id+" made") {
				return true
			}
		}
		return false
	})
}

// The answer to the first create of a system is lost, and the record edited until nobody
// can tell it. Who is entered since is held with it, and nobody's to compare.
func TestWhatWaitsForAChangeThatIsToldInVain(t *testing.T) {
	h := history{seed: 1, trace: true}
	fits := func(c climate) bool {
		l, r := c.sides[record.Left], c.sides[record.Right]
		return l.class == "A" && !l.unique && l.lag == 0 && !l.lossy && !l.silent && r.class == "D" && r.lag == 0 && !r.silent && !c.stays && !c.askFirst && c.free()
	}
	for !fits(climateOf(h.seed)) {
		h.seed++
	}
	there := func(field, value string) step { return step{what: doEdit, n: 3, field: field, value: value} }
	run := step{what: doRun, yes: true, full: true}
	for k := 0; ; k++ {
		h.steps = []step{
			{what: doPut, side: record.Right, n: 3},
			{what: doCrash, yes: true, full: true, k: k},
			there("full_name", "edited"),
			{what: doWait, d: settle},
			run, there("phone", "+390550001085"),
			{what: doBoth, n: 4},
			{what: doPut, n: 2},
		}
		wrong, _, trace := play(t, h, ramDir(t), template(t))
		_, end, _ := strings.Cut(trace, " rest\n")
		switch applied := strings.Contains(trace, "applied create"); {
		case wrong != "":
			t.Fatalf("killed at %d: %s", k, wrong)
		case applied && strings.Count(end, "lost change") == mostTold && strings.Contains(end, "contacts:000003 held it may be what change"):
			return
		case applied || !strings.Contains(trace, "killed"):
			t.Fatalf("killed at %d: nothing waits for a change that is told in vain:\n%s", k, trace)
		}
	}
}
