package schedule

import (
	"cmp"
	"context"
	"runtime/debug"
	"time"
)

// headStart is the advantage of bookings, of kicks and of runs that a person asked for: they count as ready
// for this much longer than they are. It is limited, so that a line that is always due does not keep others
// waiting for ever.
const headStart = 10 * time.Minute

// candidate is a line that may start.
type candidate struct {
	b  *binding
	l  *line
	at time.Duration // monotonic: ready since, less the head start
}

// compare orders candidates: the candidate to start first comes first.
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

// look returns every line that is ready at now. It first works out anew what is due, where a line is to be
// looked at again or the clock jumped.
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

// awake ends all waits of a binding after the machine slept: what failed hours ago may work again.
func (b *binding) awake(mono time.Duration) {
	b.retry = min(b.retry, mono)
	for _, l := range b.lines {
		l.rest = 0
	}
}

// isReady reports whether a line is due or has a request, and no failure or postponed run holds it back. It
// notes since when the line is ready.
func (r *Runner) isReady(b *binding, l *line, now time.Time, mono time.Duration) bool {
	wanted := l.asked() || !l.due.IsZero() && !l.due.After(now)
	ready := wanted && mono >= r.allowed(b, l)
	if ready && !l.ready {
		l.readySince = mono
	}
	l.ready = ready
	return ready
}

// ahead returns the head start of a line: one for a binding that keeps bookings, and one more for a kick or a
// run that a person asked for, because these have no cadence.
func (b *binding) ahead(l *line) (start time.Duration) {
	if b.job.First {
		start += headStart
	}
	if l.what >= Kick {
		start += headStart
	}
	return start
}

// allowed returns from when on failures and postponed runs let a line run. A request that came after the last
// run is tried at once, even after a failure. A kick comes from a machine, and waits for up to a minute after
// a failure.
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

// start starts the run of a candidate. It starts none if the Runner stops, the binding runs already, too many
// others run, one that runs excludes it, it is in quiet hours, or its slot is too late and nothing is requested.
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
		l.look(&b.job, now, mono, r.opts.Splay) // it had to wait: a newer slot may be due
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

// skip settles a slot without a run, because it is too late for one.
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

// wait returns for how long nothing new can become due.
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
			continue // the end of its run wakes the Runner
		}
		for _, l := range b.lines {
			if !l.spec.Timed() && !l.asked() {
				continue
			}
			if !l.wake.IsZero() {
				sooner(l.wake.Sub(now))
			} else if l.spec.Timed() {
				sooner(time.Millisecond) // a slot was left out: look again at once
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
