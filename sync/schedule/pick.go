package schedule

import (
	"cmp"
	"context"
	"runtime/debug"
	"time"
)

// headStart is by how long bookings, kicks and what a person asked for go before others that are ready as
// long. It ends, so that what is always due keeps nothing else waiting for ever.
const headStart = 10 * time.Minute

// candidate is a line that may start.
type candidate struct {
	b  *binding
	l  *line
	at time.Duration // ready since, less its head start
}

// compare orders candidates: what to start first comes first.
func compare(a, b candidate) int {
	return cmp.Or(
		cmp.Compare(a.at, b.at),
		-compareBool(a.b.job.First, b.b.job.First),
		-compareBool(a.l.what >= Kick, b.l.what >= Kick),
		cmp.Compare(a.l.what, b.l.what),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// look returns every line that may start at now.
func (r *Runner) look(now time.Time, mono time.Duration, jumped bool, drift time.Duration) []candidate {
	var ready []candidate
	for _, b := range r.order {
		if jumped && drift > 0 {
			b.awake(mono)
		}
		if b.gone {
			continue
		}
		for _, l := range b.lines {
			if !l.spec.Timed() && !l.asked() {
				continue
			}
			if jumped || !l.wake.After(now) && l.due.IsZero() {
				l.look(&b.job, now, mono, r.opts.Splay)
			}
			if r.isReady(b, l, now, mono) {
				ready = append(ready, candidate{b: b, l: l, at: l.readySince - b.ahead(l)})
			}
		}
	}
	return ready
}

// awake has everything tried at once after the machine slept: what failed hours ago may be well again.
func (b *binding) awake(mono time.Duration) {
	b.retry = min(b.retry, mono)
	for _, l := range b.lines {
		l.rest = 0
	}
}

// isReady reports whether a line is due or asked for, and no failure holds it back. It notes since when that is so.
func (r *Runner) isReady(b *binding, l *line, now time.Time, mono time.Duration) bool {
	wanted := l.asked() || !l.due.IsZero() && !l.due.After(now)
	ready := wanted && mono >= r.allowed(b, l)
	if ready && !l.ready {
		l.readySince = mono
	}
	l.ready = ready
	return ready
}

// ahead is the head start of a line: one for a binding that holds bookings, and one for a kick or what a person
// asked for, which have no cadence to wait for.
func (b *binding) ahead(l *line) (start time.Duration) {
	if b.job.First {
		start += headStart
	}
	if l.what >= Kick {
		start += headStart
	}
	return start
}

// allowed returns from when on a line may run, as far as failures go, and runs that
// were postponed. What is asked for after the failure is tried at once; a kick, which comes from a
// machine, within a minute.
func (r *Runner) allowed(b *binding, l *line) time.Duration {
	if l.asked() && l.seq > l.tried {
		return r.afterFailure(b, l)
	}
	return max(l.rest, r.afterFailure(b, l))
}

func (r *Runner) afterFailure(b *binding, l *line) time.Duration {
	if b.fails == 0 {
		return 0
	}
	if l.asked() && l.what == Kick {
		return min(b.retry, b.failed+kickWait)
	}
	if l.asked() && l.seq > l.tried {
		return 0
	}
	return b.retry
}

// start starts a candidate, unless something stands in its way.
func (r *Runner) start(ctx context.Context, c candidate, now time.Time, mono time.Duration) {
	b, l := c.b, c.l
	if r.stopped || b.running != 0 || r.running >= r.opts.Concurrency && !b.job.First {
		return
	}
	for _, other := range r.order {
		if other.running != 0 && !r.opts.Beside(other.job, b.job) {
			return
		}
	}
	if _, quiet := b.job.until(now); quiet {
		return
	}
	if l.looked != mono {
		l.look(&b.job, now, mono, r.opts.Splay) // it had to wait: for the newest slot
	}
	d := Due{Binding: b.job.Binding, What: l.what, Quiet: b.job.nextQuiet(now), Fails: b.fails}
	if !l.due.IsZero() && !l.due.After(now) {
		d.Slot = l.slot
		if b.job.tooLate(l.due, now) {
			r.skip(ctx, b, l)
			d.Slot = Slot{}
			if !l.asked() {
				return
			}
		}
	} else if !l.asked() {
		return
	}
	seq := l.seq
	l.tried, l.ready, l.ran, l.started = seq, false, true, mono
	b.running = l.what
	r.running++
	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b.cancel = cancel
	r.runs.Go(func() {
		defer cancel()
		r.finish(run, b, l, d, seq, r.call(run, d))
	})
}

// skip settles a slot that came too late.
func (r *Runner) skip(ctx context.Context, b *binding, l *line) {
	slot := l.slot
	e := Entry{Binding: b.job.Binding, What: l.what, Outcome: Skipped, Slot: slot, At: r.now()}
	if err := r.opts.Ledger.Settle(ctx, e); err != nil {
		r.opts.Log.ErrorContext(ctx, "missed slot can't be written down", "binding", e.Binding, "what", e.What.String(), "error", err)
		return
	}
	r.opts.Log.WarnContext(ctx, "missed slot left out", "binding", e.Binding, "what", e.What.String(), "slot", slot.Civil)
	l.keep(slot)
	l.ready, l.due, l.wake = false, time.Time{}, time.Time{}
}

// wait returns how long nothing more can be due.
func (r *Runner) wait(now time.Time, mono time.Duration) time.Duration {
	wait := tick
	sooner := func(d time.Duration) {
		if d > 0 && d < wait {
			wait = d
		}
	}
	if r.opts.Poll > 0 {
		sooner(r.polled + r.opts.Poll - mono)
	}
	for _, b := range r.order {
		if b.gone || b.running != 0 {
			continue // its end wakes us
		}
		for _, l := range b.lines {
			if !l.spec.Timed() && !l.asked() {
				continue
			}
			if !l.wake.IsZero() {
				sooner(l.wake.Sub(now))
			} else if l.spec.Timed() {
				sooner(time.Millisecond) // looked at once more: a slot was left out
			}
			if l.asked() || !l.due.IsZero() {
				sooner(r.allowed(b, l) - mono)
			}
		}
		if end, quiet := b.job.until(now); quiet {
			sooner(end.Sub(now))
		}
	}
	return wait
}

func stack() string { return string(debug.Stack()) }
