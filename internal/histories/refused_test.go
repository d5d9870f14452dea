package histories

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// mostNoes is how often a system may say no to just the same: then it is left to a person.
const mostNoes = 8

// rebuffs is how often systems said no to what.
type rebuffs struct {
	said map[string]int
	due  int // noes to what was not left to a person yet
}

// note notes that a side said no to a change.
func (n *rebuffs) note(side record.Side, ch record.Change) {
	if n.said == nil {
		n.said = map[string]int{}
	}
	what := fmt.Sprint(side, ch.Op, ch.Ref, show(ch.Fields))
	if n.said[what]++; n.said[what] <= mostNoes {
		n.due++
	}
}

// pardon has a person say something of all that systems said no to.
func (w *world) pardon(ctx context.Context, kind int, word record.Forgiven) {
	journal, err := w.store.Refusals(ctx, jobs[kind])
	w.must("read refusals", err)
	forgiven, err := w.store.Forgiven(ctx, jobs[kind])
	w.must("read what was forgiven", err)
	for _, f := range engine.Refused(journal, forgiven, record.Fields.Digest) {
		word.Side, word.Link, word.From = f.Side, f.Link, f.From
		w.must("say something of a refusal", w.store.Forgive(ctx, jobs[kind], word))
	}
}

// dismiss has a person take note of all that systems said no to. It is asked for again for
// days otherwise, ever more seldom: between two times all seems to be at rest.
func (w *world) dismiss(ctx context.Context, kind int) {
	if w.plant != plantDeaf {
		w.pardon(ctx, kind, record.Forgiven{Dismissed: time.Now(), By: "a person"})
	}
}

// nag is the planted fault of an engine that forgets what systems said no to.
func (w *world) nag(ctx context.Context, kind int) {
	if w.plant == plantNag {
		w.pardon(ctx, kind, record.Forgiven{At: time.Now(), By: "nobody"})
	}
}

// refusing is a history in a climate in which the left refuses a phone that another record
// of it has. late says that the right lists late what it made.
func refusing(late bool) history {
	h := history{seed: 1}
	fits := func(c climate) bool {
		l, r := c.sides[record.Left], c.sides[record.Right]
		return l.unique && !r.unique && l.lag == 0 && (r.lag > 0) == late && l.class == "A" && r.class == "A" && !c.stays && !c.askFirst && c.free() &&
			c.policies["phone"] != merge.FillEmpty && c.policies["phone"] != merge.Person
	}
	for !fits(climateOf(h.seed)) {
		h.seed++
	}
	return h
}

var runAll = step{what: doRun, yes: true, full: true}

// giveFirst is an edit of somebody's phone to that of the first, which the left refuses.
func giveFirst(n int) step {
	return step{what: doEdit, side: record.Right, n: n, field: "phone", value: phoneOf(0)}
}

// What a system refused is asked for again ever more seldom, also after runs that sent
// nothing: that is no fault. Once a person took note of it, it is one.
func TestRestEndsWhatIsRefused(t *testing.T) {
	h := refusing(false)
	h.steps = append([]step{
		{what: doPut, side: record.Right},
		{what: doPut, side: record.Right, n: 1},
		runAll,
		giveFirst(1),
	}, refusedUntil(t, runAll, 4*time.Hour+36*time.Second)...) // rest begins with four hours, and its echo after two runs, 41 seconds later
	for plant, want := range map[string]string{"": "", plantDeaf: "all was at rest, and 1 changes were sent"} {
		h.plant = plant
		if wrong, _, _ := play(t, h, ramDir(t), template(t)); wrong != want {
			t.Errorf("planted %q: the oracle says %q, want %q", plant, wrong, want)
		}
	}
}

// Where lists were seen to lag for hours the runs at rest are so far apart that several
// things that were refused are asked for again by turns in most of them. That comes to rest
// once each was left to a person, and is a fault only where one never is.
func TestRestWaitsForWhatIsRefusedByTurns(t *testing.T) {
	h := refusing(true)
	h.steps = []step{
		{what: doPut, side: record.Left},
		{what: doPut, side: record.Left, n: 1},
		{what: doPut, side: record.Left, n: 2},
		{what: doPut, side: record.Left, n: 3},
		runAll,
		runAll, // the right doesn't list yet what was made
		{what: doWait, d: 3 * time.Hour},
		runAll,
		giveFirst(1),
		{what: doWait, d: time.Minute},
		runAll,
		giveFirst(2),
		{what: doWait, d: 2 * time.Minute},
		runAll,
		giveFirst(3),
	}
	for plant, want := range map[string]string{"": "", plantNag: fmt.Sprintf("%d runs were not enough to come to rest", rounds+mostNoes)} {
		h.plant, h.trace = plant, true
		wrong, _, trace := play(t, h, ramDir(t), template(t))
		_, atRest, _ := strings.Cut(trace, " rest\n")
		if n := strings.Count(atRest, "left fetch contacts 0 after \"\""); wrong != want || n <= rounds {
			t.Errorf("planted %q: after %d runs the oracle says %q, want %q after more than %d:\n%s", plant, n, wrong, want, rounds, trace)
		}
	}
}

// A run at rest is not counted only for what may still be asked for: just the same not for
// ever.
func TestRebuffs(t *testing.T) {
	var n rebuffs
	one := record.Change{Op: record.Update, Ref: record.Ref{Kind: "contacts", ID: "1"}, Fields: record.Fields{"phone": record.OfText("1")}}
	other := one
	other.Fields = record.Fields{"phone": record.OfText("2")}
	for range 2 * mostNoes {
		n.note(record.Left, one)
	}
	for _, side := range record.Sides {
		n.note(side, other)
	}
	if want := mostNoes + 2; n.due != want {
		t.Errorf("%d noes were due, want %d", n.due, want)
	}
}

// refusedUntil runs a job each time what is refused is asked for again, until the next
// time is so far away.
func refusedUntil(t *testing.T, run step, away time.Duration) (steps []step) {
	t.Helper()
	for fails := 1; ; fails++ {
		last := time.Unix(0, 0)
		next, again := plan.Again(fails, last)
		if !again {
			t.Fatalf("nothing is asked for again after more than %s", away)
		}
		steps = append(steps, run)
		if d := next.Sub(last); d > away {
			return append(steps, step{what: doWait, d: d - away})
		}
		steps = append(steps, step{what: doWait, d: next.Sub(last) + time.Second})
	}
}
