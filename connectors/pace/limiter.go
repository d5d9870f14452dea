package pace

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

// turns is how many requests may go before one that waits at a lower priority.
const turns = 9

// Limiter decides when the requests under one credential are sent. Its methods may
// be called by many goroutines.
type Limiter struct {
	mu     sync.Mutex
	cfg    Config
	laws   []law
	told   map[string]*fixed // quotas that only answers tell of
	adapt  adapt
	until  time.Time     // nothing is sent before
	margin time.Duration // added to what a system says that rounds down

	flying  int
	queues  [priorities][]*waiter
	passed  [priorities]int // how many went before the first of a queue
	timer   *time.Timer
	sent    [priorities]int
	refused int
	took    time.Duration // of an answer, on average

	sure  int       // accepted before the last refusal that said how long
	since int       // accepted after it
	said  time.Time // when that was
}

// waiter is a request that waits for its turn.
type waiter struct {
	priority Priority
	patience time.Duration
	turn     chan error // gets one word: nil, or why not
}

// Later says that the system wants to be left alone for longer than the caller
// would wait. Nothing was sent.
type Later struct{ Wait time.Duration } //nolint:errname // pace.Later says it

// Error tells how long.
func (e *Later) Error() string { return fmt.Sprintf("the system asked to wait %s", e.Wait) }

// New makes a limiter. Quotas that allow nothing are left out.
func New(cfg Config) *Limiter {
	l := &Limiter{told: map[string]*fixed{}}
	l.Set(cfg)
	return l
}

// Set changes how the system is treated. What was counted for a quota that stays
// is kept.
func (l *Limiter) Set(cfg Config) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := map[Quota]law{}
	for i, q := range l.cfg.Quotas {
		old[q] = l.laws[i]
	}
	same := l.cfg.Reserve == cfg.Reserve
	var quotas []Quota
	for _, q := range cfg.Quotas {
		if q.Requests > 0 && q.Per > 0 && !slices.Contains(quotas, q) {
			quotas = append(quotas, q)
		}
	}
	cfg.Quotas = quotas
	l.cfg, l.laws = cfg, make([]law, len(quotas))
	for i, q := range quotas {
		if l.laws[i] = old[q]; l.laws[i] == nil || !same {
			l.laws[i] = cfg.law(q, l.flying)
		}
	}
	l.dispatch(time.Now())
}

// law keeps a quota; flying requests are on their way already.
func (c Config) law(q Quota, flying int) law {
	kept := c.kept(q.Requests)
	if q.Window == Fixed {
		return &fixed{name: q.String(), limit: q.Requests, kept: kept, per: q.Per, flying: flying}
	}
	return &sliding{name: q.String(), limit: q.Requests, kept: kept, per: q.Per, flying: flying}
}

// Turn is the right to send one request. Exactly one call of Done gives it back.
type Turn struct {
	l       *Limiter
	granted time.Time
	booking bool
}

// Wait waits for the turn of a request. If the system asked for a pause that lasts
// longer than patience, it returns a *Later; if the context ends, its cause.
func (l *Limiter) Wait(ctx context.Context, p Priority, patience time.Duration) (Turn, error) {
	if ctx.Err() != nil {
		return Turn{}, context.Cause(ctx)
	}
	p = min(p, Scan)
	l.mu.Lock()
	now := time.Now()
	if wait := l.until.Sub(now); wait > patience {
		l.mu.Unlock()
		return Turn{}, &Later{Wait: wait}
	}
	if !l.waited() && l.free() && l.now(now, p == Booking) {
		l.grant(now, p)
		l.mu.Unlock()
		return Turn{l: l, granted: now, booking: p == Booking}, nil
	}
	w := &waiter{priority: p, patience: patience, turn: make(chan error, 1)}
	l.queues[p] = append(l.queues[p], w)
	l.dispatch(now)
	l.mu.Unlock()
	return l.await(ctx, w)
}

func (l *Limiter) await(ctx context.Context, w *waiter) (Turn, error) {
	select {
	case err := <-w.turn:
		return Turn{l: l, granted: time.Now(), booking: w.priority == Booking}, err
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[w.priority]
	if i := slices.Index(q, w); i >= 0 {
		l.queues[w.priority] = slices.Delete(q, i, i+1)
	} else if err := <-w.turn; err == nil { // it got its turn meanwhile
		l.leave(time.Now(), w.priority == Booking)
	}
	l.dispatch(time.Now())
	return Turn{}, context.Cause(ctx)
}

// Done ends a turn. status and h are the answer's, 0 and nil if none came. refused
// says that the answer means: too many requests. Then Done returns for how long
// nobody under this credential sends anything.
func (t Turn) Done(status int, h http.Header, refused bool) time.Duration {
	l := t.l
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.flying--
	for _, w := range l.laws {
		w.done(t.granted, now, t.booking, status != 0)
	}
	for _, w := range l.told {
		w.done(t.granted, now, t.booking, status != 0)
	}
	var told []Told
	if status != 0 {
		l.took += (now.Sub(t.granted) - l.took) / 8
		told = Tells(h, now)
		l.learn(told, t.granted, now, refused)
		l.forget(now)
	}
	switch {
	case refused:
		l.refuse(h, told, t.granted, now)
	case status != 0:
		l.adapt.accepted(t.granted, now)
		l.since++
		if status < http.StatusInternalServerError {
			l.quotas(func(f *fixed) { f.taken(t.granted, now, t.booking) })
		}
	}
	l.dispatch(now)
	return max(0, l.until.Sub(now))
}

// leave gives back a turn that was never used.
func (l *Limiter) leave(now time.Time, booking bool) {
	l.flying--
	for _, w := range l.laws {
		w.done(now, now, booking, false)
	}
	for _, w := range l.told {
		w.done(now, now, booking, false)
	}
}

// unsaid is the size of a quota of which answers say only what is left.
const unsaid = 1 << 40

// What answers told once holds for stale beyond its own length, and at most mostTold
// quotas at a time are kept: a page of some proxy in between must not slow a system down
// for good, nor one that gives its quotas other names each time fill the memory.
const (
	stale    = 25 * time.Hour
	mostTold = 32
)

// forget leaves out the quotas that answers tell of no more.
func (l *Limiter) forget(now time.Time) {
	maps.DeleteFunc(l.told, func(_ string, f *fixed) bool { return now.Sub(f.heard) > f.per+stale })
}

// learn takes over what an answer said of quotas.
func (l *Limiter) learn(told []Told, granted, now time.Time, refused bool) {
	const coarse = 10 * time.Second // resets are told in seconds
	for _, t := range told {
		i := slices.IndexFunc(l.cfg.Quotas, func(q Quota) bool {
			return t.Limit == q.Requests && (t.Per == 0 || t.Per == q.Per) || t.Per == q.Per
		})
		if i >= 0 {
			if f, ok := l.laws[i].(*fixed); ok && f.per >= coarse {
				f.tell(t, granted, now, refused)
			}
			continue
		}
		if t.Remaining < 0 || t.Reset < 0 && t.Per == 0 {
			continue
		}
		f := l.told[t.Name]
		if f == nil && len(l.told) >= mostTold {
			continue
		}
		if f == nil {
			f = &fixed{name: t.Name, learned: true, flying: l.flying}
			l.told[t.Name] = f
		}
		f.limit, f.kept = t.Limit, l.cfg.kept(t.Limit)
		if t.Limit <= 0 { // only what is left is said
			f.limit, f.kept = unsaid, 0
		}
		f.tell(t, granted, now, refused)
	}
}

// refuse stops everybody for as long as the answer says, or as long as seems right.
func (l *Limiter) refuse(h http.Header, told []Told, granted, now time.Time) {
	l.refused++
	wait, asked := RetryAfter(h, now)
	if !asked {
		wait, asked = Reset(h, l.cfg.ResetHeader, now)
	}
	for _, t := range told {
		if !asked && t.Remaining == 0 && t.Reset >= 0 {
			wait, asked = t.Reset, true
		}
	}
	switch {
	case asked:
		if early := granted.Sub(l.until); early >= 0 && early < time.Second && !l.until.IsZero() {
			l.margin = time.Second // it was sent when it was asked to be, and was too early
		}
		// A little more, so that what left the system's window in a rush has left it
		// when the same rush comes again.
		wait = max(wait+max(l.margin, min(wait/50, time.Second)), time.Second)
		l.said = now
		if l.since > 0 {
			l.sure, l.since = l.since, 0
		}
	case now.Before(l.until): // refused with another one, which stopped everybody
		return
	default:
		base := l.cfg.Pause
		if base <= 0 {
			base = aMinute
		}
		wait = l.adapt.refuse(now, base)
	}
	l.until = latest(l.until, now.Add(wait))
	for p, q := range l.queues {
		l.queues[p] = slices.DeleteFunc(q, func(w *waiter) bool {
			late := l.until.Sub(now) > w.patience
			if late {
				w.turn <- &Later{Wait: l.until.Sub(now)}
			}
			return late
		})
	}
}

// waited reports whether anybody is in a queue.
func (l *Limiter) waited() bool {
	for p := range l.queues {
		if len(l.queues[p]) > 0 {
			return true
		}
	}
	return false
}

// free reports whether one more request may be on its way. Near the place where a
// system refused last, requests go one at a time, so that one is refused and not
// several.
func (l *Limiter) free() bool {
	if l.sure > 0 && time.Since(l.said) > stale {
		l.sure = 0 // a window of a day is over, and it did not refuse there
	}
	if l.sure > 0 && l.since >= l.sure*9/10 {
		return l.flying == 0
	}
	return l.flying < max(l.cfg.Concurrency, 1)
}

func (l *Limiter) now(now time.Time, booking bool) bool {
	at := l.ready(now, booking)
	return !at.IsZero() && !at.After(now)
}

// ready is when the next request may go; the zero time if only an answer can tell.
func (l *Limiter) ready(now time.Time, booking bool) time.Time {
	at := latest(now, l.until)
	if !booking {
		at = latest(at, l.adapt.ready(now))
	}
	for _, w := range l.laws {
		at = later(at, w.ready(now, booking))
	}
	for _, w := range l.told {
		at = later(at, w.ready(now, booking))
	}
	return at
}

// later is the later of two times; the zero time is later than any.
func later(a, b time.Time) time.Time {
	if a.IsZero() || b.IsZero() {
		return time.Time{}
	}
	return latest(a, b)
}

func (l *Limiter) grant(now time.Time, p Priority) {
	l.flying++
	l.sent[p]++
	for _, w := range l.laws {
		w.take(now, p == Booking)
	}
	for _, w := range l.told {
		w.take(now, p == Booking)
	}
	l.adapt.take(now)
	l.passed[p] = 0
	if p == Booking {
		return
	}
	for q := p + 1; q < priorities; q++ {
		if len(l.queues[q]) > 0 {
			l.passed[q]++
		}
	}
}

// choose is whose turn is next. Bookings always are; of the others, the first, but
// for one that nine went before.
func (l *Limiter) choose() (Priority, bool) {
	if len(l.queues[Booking]) > 0 {
		return Booking, true
	}
	for p := Scan; p > Write; p-- {
		if len(l.queues[p]) > 0 && l.passed[p] >= turns {
			return p, true
		}
	}
	for p := Write; p < priorities; p++ {
		if len(l.queues[p]) > 0 {
			return p, true
		}
	}
	return 0, false
}

// dispatch gives turns to those who may have them now, and sets the clock for the
// next.
func (l *Limiter) dispatch(now time.Time) {
	for l.free() {
		p, ok := l.choose()
		if !ok {
			return
		}
		at := l.ready(now, p == Booking)
		if at.IsZero() {
			return
		}
		if wait := at.Sub(now); wait > 0 {
			l.wakeIn(wait)
			return
		}
		w := l.queues[p][0]
		l.queues[p] = slices.Delete(l.queues[p], 0, 1)
		l.grant(now, p)
		w.turn <- nil
	}
}

func (l *Limiter) wakeIn(wait time.Duration) {
	if l.timer == nil {
		l.timer = time.AfterFunc(wait, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.dispatch(time.Now())
		})
		return
	}
	l.timer.Reset(wait)
}
