package serve

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// A system that was away for breakAfter runs in a row is tried by one run alone, after
// firstProbe, then twice as long each time and at least every longestProbe, instead of by
// each job by its own cadence. Once it answers all are tried at once: nobody waits for an
// hour because of an outage that is over.
const (
	breakAfter   = 3
	firstProbe   = time.Minute
	longestProbe = 5 * time.Minute
)

// breakers is which systems are away. Runs that bookings hinted at, and what a person
// asks for, are made all the same.
type breakers struct {
	mu sync.Mutex
	by map[string]*breaker // by the system's address
}

type breaker struct {
	fails  int
	cause  string
	opened time.Time // zero: closed
	next   time.Time // when one run may try
	asked  time.Time // when a run was asked for that may
	stops  []attempt
}

// pause is how long the system is left alone after its last failure.
func (x *breaker) pause() time.Duration {
	return min(firstProbe<<min(max(x.fails-breakAfter, 0), 10), longestProbe)
}

// awayFrom names the system that a run found away; "" is none.
func awayFrom(err error) string {
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || e.Class != connectors.Transient && (e.Class != connectors.Malformed || e.Status == 0) {
		return ""
	}
	return cmp.Or(e.Host, e.Hint)
}

// failed notes a failed run. It reports whether a system is taken for away because of
// it.
func (b *breakers) failed(try attempt, err error, now time.Time) bool {
	from := awayFrom(err)
	if from == "" || !byCadence(try.what) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by == nil {
		b.by = map[string]*breaker{}
	}
	x := b.by[from]
	if x == nil {
		x = &breaker{}
		b.by[from] = x
	}
	x.fails++
	x.cause, x.next, x.asked = err.Error(), now.Add(x.pause()), time.Time{}
	if !slices.Contains(x.stops, try) {
		x.stops = append(x.stops, try)
	}
	opens := x.fails >= breakAfter && x.opened.IsZero()
	if opens {
		x.opened = now
	}
	return opens
}

// ended notes a run that ended well and gives the attempts that had waited for its
// system, and what answers again. A comparison of both sides has tried all that its job does.
func (b *breakers) ended(try attempt) (free []attempt, closed []string) {
	if !byCadence(try.what) {
		return nil, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for from, x := range b.by {
		if !slices.ContainsFunc(x.stops, func(a attempt) bool {
			return a == try || a.job == try.job && try.what == schedule.Full.String()
		}) {
			continue
		}
		delete(b.by, from)
		if !x.opened.IsZero() {
			closed = append(closed, from)
		}
		for _, a := range x.stops {
			if a != try && !x.opened.IsZero() {
				free = append(free, a)
			}
		}
	}
	return free, closed
}

// byCadence leaves out what comes from outside: it proves nothing, for it may have had
// nothing to ask for, and is not held back.
func byCadence(what string) bool {
	return what != schedule.Kick.String() && what != schedule.Asked.String()
}

// rests reports until when an attempt is not to be made. The one that is made once that
// is over is the only one for as long again.
func (b *breakers) rests(try attempt, now time.Time) (until time.Time, cause string, yes bool) {
	if !byCadence(try.what) {
		return time.Time{}, "", false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, x := range b.by {
		if x.opened.IsZero() || !slices.Contains(x.stops, try) {
			continue
		}
		if now.Before(x.next) && x.next.Sub(now) <= longestProbe { // or else the clock was set back
			return x.next, x.cause, true
		}
		x.next = now.Add(x.pause())
	}
	return time.Time{}, "", false
}

// due is one attempt for each system that may be tried now and was not asked for yet.
func (b *breakers) due(now time.Time) []attempt {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []attempt
	for _, x := range b.by {
		if x.opened.IsZero() || now.Before(x.next) || now.Sub(x.asked) < firstProbe && !now.Before(x.asked) {
			continue
		}
		x.asked = now
		out = append(out, x.stops[x.fails%len(x.stops)])
	}
	return out
}

// keep forgets what no job tries any more.
func (b *breakers) keep(tried map[attempt]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for from, x := range b.by {
		x.stops = slices.DeleteFunc(x.stops, func(a attempt) bool { return !tried[a] })
		if len(x.stops) == 0 {
			delete(b.by, from)
		}
	}
}

// open is the systems that are away, as the state file keeps them for those who look
// on.
func (b *breakers) open() []record.Breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []record.Breaker
	for from, x := range b.by {
		if !x.opened.IsZero() {
			out = append(out, record.Breaker{System: from, Fails: x.fails, Cause: x.cause, Opened: x.opened, Next: x.next})
		}
	}
	slices.SortFunc(out, func(a, b record.Breaker) int { return cmp.Compare(a.System, b.System) })
	return out
}

// noteBreakers tells those who look on which systems are away.
func (d *Daemon) noteBreakers(ctx context.Context) {
	if err := d.store.KeepBreakers(context.WithoutCancel(ctx), d.breakers.open()); err != nil {
		d.log.ErrorContext(ctx, "breakers can't be written down", "error", err)
	}
}

// try asks for runs.
func (d *Daemon) try(ctx context.Context, all []attempt) error {
	for _, a := range all {
		for _, what := range []schedule.What{schedule.Left, schedule.Right, schedule.Full} {
			if a.what != what.String() {
				continue
			}
			if _, err := d.runner.Request(ctx, a.job, what); err != nil {
				return err
			}
		}
	}
	return nil
}
