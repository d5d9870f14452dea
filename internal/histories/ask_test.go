package histories

import (
	"context"
	"errors"
	"slices"
	"time"

	"nightporter/state"
	"nightporter/sync/engine"
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
		return st.Decision != record.Undecided || !st.Expires.After(time.Now())
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

// decide notes what a person said of a set, and gives the changes that were approved.
func (w *world) decide(ctx context.Context, job int, st record.Stage, d record.Decision, until time.Time) map[string]bool {
	rows, err := w.store.StagedOf(ctx, st.Digest, 0)
	w.must("read a stage", err)
	w.log("  %s %s: %s, %s of %s", d, st.Digest, st.Why, st.Risk, st.Side)
	for _, x := range rows {
		w.log("    %s %s: %s %s", x.Ref, show(x.After), x.Text, x.State)
	}
	told := d
	if w.plant == plantRejected {
		d = record.Approved
	}
	st, err = w.store.DecideStage(ctx, st.Digest, d, "a person", until, time.Now())
	if errors.Is(err, state.ErrFull) { // they are told so, and may say it again
		return nil
	}
	w.must("decide a stage", err)
	st.Decision = told
	w.decided(job, st, rows)
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
		if st.Decision != record.Undecided {
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
		if st.Decision == record.Undecided {
			_, err := w.store.DecideStage(ctx, st.Digest, record.Approved, "nobody", time.Time{}, time.Now())
			w.must("decide a stage", err)
		}
	}
}

// yes reports whether a run that a person looked at lets its whole plan go. Where guards
// are tight they are mostly asked about what those hold.
func (w *world) yes(job int, s step) bool {
	return s.yes && (!w.c.tight || s.k%8 == 0 || w.c.askFirst && !w.agreed[job])
}
