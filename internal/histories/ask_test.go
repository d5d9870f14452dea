package histories

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// noFor is how long a rejection counts.
const noFor = 30 * 24 * time.Hour

// say has a person look at the sets of changes of a job that guards hold, and say yes or
// no to one of them. Who looked a while ago may mean one that a larger one has taken the
// place of.
func (w *world) say(ctx context.Context, s step) {
	job := s.job(w)
	all, err := w.store.Stages(ctx, jobs[job], s.k%4 == 0)
	w.must("read stages", err)
	open := slices.DeleteFunc(all, func(st record.Stage) bool {
		return st.Choice != record.Undecided || !st.Expires.After(time.Now())
	})
	if len(open) == 0 {
		return
	}
	d, until := record.Approved, time.Time{}
	if s.what == doReject {
		if d, until = record.Refusal, time.Now().Add(noFor); s.k%7 == 0 {
			until = time.Now().Add(time.Hour)
		}
	}
	only := w.decide(ctx, job, open[s.k%len(open)], d, until)
	if !s.yes || w.running > 0 { // another one is at work, and the next run does it
		return
	}
	if s.dry {
		w.killAt = 2 + s.k
	}
	w.try(job, engine.Options{Seen: true, Plan: only})
}

// meanwhile has persons decide while a run is on its way, between two of its requests.
func (w *world) meanwhile() {
	for i := 0; i < len(w.inside) && !w.dead; {
		s := w.inside[i]
		if s.what != doApprove && s.what != doReject || w.running <= s.at {
			i++
			continue
		}
		w.inside = append(w.inside[:i:i], w.inside[i+1:]...)
		w.log("  inside: %s", s)
		w.say(context.Background(), s)
	}
}

// noteSaid has what a person says count once it is written down, as the state tells its
// durable steps: a death may come before anybody is told so.
func (o *oracle) noteSaid(step string) {
	if step == "after decide stage" && o.saying != nil {
		o.saying()
	}
}

// decide has a person say yes or no to a set, and gives the changes that were approved.
func (w *world) decide(ctx context.Context, job int, st record.Stage, d record.Choice, until time.Time) map[string]bool {
	rows, err := w.store.StagedOf(ctx, st.Set, 0)
	w.must("read a stage", err)
	w.log("  %s %s: %s, %s of %s", d, st.Set, st.Why, st.Risk, st.Side)
	for _, x := range rows {
		w.log("    %s %s: %s %s", x.Ref, show(x.After), x.Text, x.State)
	}
	told := st
	if told.Choice = d; !until.IsZero() {
		told.Expires = until
	}
	w.saying = func() { w.decided(job, told, rows) }
	defer func() { w.saying = nil }()
	if w.plant == plantRejected {
		d = record.Approved
	}
	_, err = w.store.DecideStage(ctx, st.Set, d, "a person", until, time.Now())
	if errors.Is(err, state.ErrFull) { // they are told so, and may say it again
		return nil
	}
	w.must("decide a stage", err)
	if d != record.Approved {
		return nil
	}
	only := map[string]bool{}
	for _, x := range rows {
		if x.State == "" {
			only[x.Action] = true
		}
	}
	return only
}

// sayAll has a person decide all sets of a job that are open. It reports whether there
// were any.
func (w *world) sayAll(ctx context.Context, job, round int) bool {
	all, err := w.store.Stages(ctx, jobs[job], false)
	w.must("read stages", err)
	some := false
	for i, st := range all {
		if st.Choice != record.Undecided {
			continue
		}
		some = true
		if w.c.rejects == rejectsAll || w.c.rejects == rejectsSome && (round+i)%2 == 0 {
			w.decide(ctx, job, st, record.Refusal, time.Now().Add(noFor))
			continue
		}
		only := w.decide(ctx, job, st, record.Approved, time.Time{})
		if (round+i)%3 == 0 {
			w.try(job, engine.Options{Seen: true, Plan: only})
		}
	}
	return some
}

// unasked is the planted fault of an engine that takes what waits for approved.
func (w *world) unasked(job int) {
	ctx := context.Background()
	all, err := w.store.Stages(ctx, jobs[job], false)
	w.must("read stages", err)
	for _, st := range all {
		if st.Choice == record.Undecided {
			_, err := w.store.DecideStage(ctx, st.Set, record.Approved, "nobody", time.Time{}, time.Now())
			w.must("decide a stage", err)
		}
	}
}

// yes reports whether a run that a person looked at lets its whole plan go. Where guards
// are tight they are mostly asked about what those hold.
func (w *world) yes(job int, s step) bool {
	return s.yes && (!w.c.tight || s.k%8 == 0 || w.c.askFirst && !w.agreed[job])
}

// What a person said counts once it is written down, at whatever step of the run beside
// it the power is cut.
func TestAWordCountsOnceItIsWrittenDown(t *testing.T) {
	h := history{seed: 1, trace: true}
	fits := func(c climate) bool {
		l, r := c.sides[record.Left], c.sides[record.Right]
		return c.tight && c.rejects == rejectsNone && c.guards.Creates.Run.Count == 1 && !c.stays && !c.askFirst && l.lag == 0 && l.class == "A" && r.class == "A"
	}
	for !fits(climateOf(h.seed)) {
		h.seed++
	}
	for _, what := range []string{doApprove, doReject} {
		cuts := 0
		for k := 1; ; k++ {
			h.steps = []step{
				{what: doPut, field: "note", value: "a"},
				{what: doPut, field: "note", value: "b", n: 1},
				{what: doRun, full: true, k: 1}, // it holds both
				{what: what, at: 1, k: 1},
				{what: doCrash, full: true, k: k},
			}
			wrong, _, trace := play(t, h, ramDir(t), template(t))
			if wrong != "" {
				t.Errorf("%s, and the power is cut at step %d: %s\n%s", what, k, wrong, trace)
			}
			if strings.Contains(trace, "after decide stage") {
				cuts++
			}
			if !strings.Contains(trace, "died") {
				break
			}
		}
		if cuts != 1 {
			t.Errorf("%s: the power was cut %d times right after it was written down, want once", what, cuts)
		}
	}
}

// What one side alone is told is made from its own record: that a room was sold twice.
// What persons said of that counts as well.
func TestWordsOnWhatASideIsToldCount(t *testing.T) {
	ref := record.Ref{Kind: kinds[stays][record.Left], ID: "1"}
	ch := record.Change{
		ID: "a", Op: record.Update, Ref: ref,
		Before: record.Fields{"status": record.OfText("CONFIRMED")}, Fields: record.Fields{"status": record.OfText("REJECTED")},
	}
	other := ch
	other.Before = record.Fields{"status": record.OfText("PENDING")}
	name := plan.Action{Side: record.Left, Source: ref, Change: ch}.Digest()
	w := &world{}
	w.oracle = newOracle(w)
	w.runs, w.running = 1, 1
	say := func(d record.Choice) {
		st := heldOn(record.Left, d, time.Now().Add(noFor))
		w.decided(stays, st, []record.Staged{{Action: name, Ref: ref, After: ch.Fields}})
	}
	for _, c := range []struct {
		decision record.Choice
		is       func(record.Change) bool
	}{
		{record.Approved, func(ch record.Change) bool { return w.shownFor(ch, w.digests(stays, record.Left, ch)) }},
		{record.Refusal, func(ch record.Change) bool {
			return w.refused(stays, record.Left, ch, w.digests(stays, record.Left, ch))
		}},
	} {
		say(c.decision)
		w.runs++
		if !c.is(ch) || c.is(other) {
			t.Errorf("%s: it counts %t, and for another change %t", c.decision, c.is(ch), c.is(other))
		}
	}
}

// heldOn is a set of changes to a side, and what a person said of it.
func heldOn(side record.Side, choice record.Choice, expires time.Time) record.Stage {
	return record.Stage{Question: record.Question{Subject: record.Subject{Side: side}, Answer: record.Answer{Choice: choice}, Expires: expires}}
}
