package schedule

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// Reload replaces the jobs. Runs go on. Bindings that stay keep their due slots and their requests. A
// binding that is taken out and comes back later finds its slots in the ledger. If the new cadence of a
// binding had slots since the last settled slot, one run catches them up. On an error the old jobs stay.
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
	for i := range jobs { // all lines are opened before anything is replaced: what follows can't fail
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

// load makes a binding from what the ledger keeps of it.
func (r *Runner) load(ctx context.Context, j Job, now time.Time, mono time.Duration) (*binding, error) {
	book, err := r.opts.Ledger.Load(ctx, j.Binding)
	if err != nil {
		return nil, fmt.Errorf("load slots of %s: %w", j.Binding, err)
	}
	b := &binding{job: j, fails: book.Fails}
	if b.fails > 0 {
		rest := j.backoff(b.fails)
		past := min(max(now.Sub(book.FailedAt), 0), rest) // never a longer wait because the clock was set back
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

// open writes down that the slots of a binding's lines count from now on. Lines that are open already,
// or have no cadence, are left alone.
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

// Status says how one line of a binding stands.
type Status struct {
	Binding  string
	What     What
	Next     time.Time // next due by cadence, splay and quiet hours included; zero for never or not known yet
	Asked    bool      // a request waits
	Running  bool      // the binding is in a run of this line
	Fails    int       // failures of the binding in a row
	NotUntil time.Time // after failures: no run by cadence before this time; zero without failures
}

// Status returns how every line stands that has a cadence, has a request or runs, in the order of the
// jobs.
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

// Beat returns when the Runner last looked at the wall clock. That is at most half a minute ago as long
// as the Runner is alive.
func (r *Runner) Beat() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.beat
}

// Still returns how long ago the Runner last looked at the clock. It is right even if the clock was set
// since then.
func (r *Runner) Still() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.mono() - r.looked
}
