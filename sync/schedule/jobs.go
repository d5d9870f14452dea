package schedule

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// Reload replaces the jobs. What runs goes on, bindings that stay keep what is due
// and what is requested, and a binding that comes back later finds its slots in
// the ledger. A cadence that was changed owes what it would have run since the last
// settled slot: one run. On an error the old jobs stay.
func (r *Runner) Reload(ctx context.Context, jobs []Job) error {
	if err := checkJobs(jobs); err != nil {
		return err
	}
	now, mono := r.now(), r.mono()
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := map[string]*binding{}
	for _, j := range jobs {
		if r.bindings[j.Binding] != nil {
			continue
		}
		b, err := r.load(ctx, j, now, mono)
		if err != nil {
			return err
		}
		fresh[j.Binding] = b
	}
	for i := range jobs { // the rest cannot fail halfway: opening is done before anything is replaced
		if err := r.open(ctx, &jobs[i], cmp.Or(r.bindings[jobs[i].Binding], fresh[jobs[i].Binding]), now); err != nil {
			return err
		}
	}
	var order []*binding
	for _, j := range jobs {
		b := cmp.Or(r.bindings[j.Binding], fresh[j.Binding])
		b.job, b.gone = j, false
		for _, l := range b.lines {
			l.spec, l.slot, l.due, l.wake = j.spec(l.what), Slot{}, time.Time{}, time.Time{}
		}
		r.bindings[j.Binding] = b
		order = append(order, b)
	}
	for _, b := range r.order {
		if slices.Contains(order, b) {
			continue
		}
		if b.running != 0 {
			b.gone = true
			order = append(order, b)
		} else {
			delete(r.bindings, b.job.Binding)
		}
	}
	r.order, r.asked = order, true
	r.nudge()
	return nil
}

// load reads what the ledger keeps of a binding.
func (r *Runner) load(ctx context.Context, j Job, now time.Time, mono time.Duration) (*binding, error) {
	book, err := r.opts.Ledger.Load(ctx, j.Binding)
	if err != nil {
		return nil, fmt.Errorf("load slots of %s: %w", j.Binding, err)
	}
	b := &binding{job: j, fails: book.Fails}
	if b.fails > 0 {
		rest := j.backoff(b.fails)
		past := min(max(now.Sub(book.FailedAt), 0), rest) // a clock set back makes nobody wait longer
		b.failed, b.retry = mono-past, mono+rest-past
	}
	for _, what := range []What{Left, Right, Full, Kick, Asked} {
		l := &line{what: what, names: map[name]bool{}, since: book.Lines[what].Since}
		for _, s := range book.Lines[what].Settled {
			l.keep(s)
		}
		b.lines = append(b.lines, l)
	}
	return b, nil
}

// open writes down from when on the slots of a line count.
func (r *Runner) open(ctx context.Context, j *Job, b *binding, now time.Time) error {
	for _, l := range b.lines {
		if !j.spec(l.what).Timed() || !l.since.IsZero() {
			continue
		}
		if err := r.opts.Ledger.Settle(ctx, Entry{Binding: j.Binding, What: l.what, Outcome: Opened, At: now}); err != nil {
			return fmt.Errorf("open %s of %s: %w", l.what, j.Binding, err)
		}
		l.since = milli(now)
	}
	return nil
}

// Status is how one line of a binding stands.
type Status struct {
	Binding  string
	What     What
	Next     time.Time // when it is due by cadence, its splay and quiet hours in it; zero if never or not known yet
	Asked    bool      // a request waits
	Running  bool      // the binding is in a run of this line
	Fails    int       // of the binding, in a row
	NotUntil time.Time // after failures: not by cadence before; zero if nothing failed
}

// Status returns how every line with a cadence or a request stands, in the order of
// the jobs.
func (r *Runner) Status() []Status {
	now, mono := r.now(), r.mono()
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Status
	for _, b := range r.order {
		for _, l := range b.lines {
			s := Status{Binding: b.job.Binding, What: l.what, Next: l.wake, Asked: l.asked(), Running: b.running == l.what, Fails: b.fails}
			if !l.spec.Timed() && !s.Asked && !s.Running {
				continue
			}
			if b.fails > 0 {
				s.NotUntil = now.Add(b.retry - mono)
			}
			all = append(all, s)
		}
	}
	return all
}

// Beat returns when the Runner last looked at the clock on the wall: at most half a
// minute ago while it is alive.
func (r *Runner) Beat() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.beat
}

// Still returns for how long the Runner has not looked at the clock, however that was
// set meanwhile.
func (r *Runner) Still() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mono() - r.looked
}
