package schedule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	tick      = 30 * time.Second // the longest time between two looks at the clock
	clockStep = 2 * time.Second  // if the wall clock strays this far from the monotonic one between looks, it jumped
	kickWait  = time.Minute      // the longest wait of a kick after a failure

	normalGrace = 20 * time.Second
)

// Options are what a Runner needs. Run and Ledger must be set.
type Options struct {
	// Run makes one run. It is never called twice at the same time for one binding. If its context is
	// cancelled, the Runner stops, and the run must end soon.
	//
	// If Run returns nil, the slot and the requests are settled. If it returns an error after its context
	// was cancelled or after Due.Quiet, the slot and the requests stay due, and this is not a failure. Any
	// other error is a failure, and so is a panic. There are two exceptions: ErrAnswered says that the
	// person who asked was told, and PostponedError says that the run was not made.
	Run    func(ctx context.Context, d Due) error
	Ledger Ledger
	Log    *slog.Logger     // nil logs nothing
	Now    func() time.Time // the wall clock; nil is time.Now

	// Failed is called for each failed run, instead of the log. If it is nil, all failures are logged.
	Failed func(ctx context.Context, d Due, err error)

	// Concurrency is how many bindings run side by side; zero is 4. It does not hold back bindings that
	// keep bookings. Beside says whether next may start while running runs; if it is nil, two bindings
	// run side by side if they share no system.
	Concurrency int
	Beside      func(running, next Job) bool

	Poll  time.Duration // how often to look for requests of other processes; zero is a second, negative never
	Splay time.Duration // the longest splay; zero is ten minutes, negative none
	Grace time.Duration // how long a run may go on after the Runner was told to stop; zero is 20 seconds

	// Jumped is called when the wall clock was set or the machine slept. step is how much further the
	// wall clock went than the time that passed on the monotonic clock. Anything read before may be hours
	// old. Jumped may be called while runs go on, and must not block.
	Jumped func(step time.Duration)
}

// Runner starts the runs that are due. It is made by New. Its methods are safe for use from several
// goroutines. Run may only be called once.
type Runner struct {
	opts  Options
	begun time.Time // the zero of the monotonic clock
	wake  chan struct{}
	runs  sync.WaitGroup

	mu       sync.Mutex
	bindings map[string]*binding
	order    []*binding // in the order of the jobs
	running  int
	polled   time.Duration // monotonic: when requests were last read
	asked    bool          // requests were filed by this Runner and not read yet
	stopped  bool
	beat     time.Time     // when the Runner last looked at the wall clock
	looked   time.Duration // monotonic: the same moment

	// Only used by the loop.
	lastNow  time.Time
	lastMono time.Duration
}

type binding struct {
	job     Job
	lines   []*line
	fails   int           // failures in a row
	failed  time.Duration // monotonic: the last failure
	retry   time.Duration // monotonic: no run by cadence before
	running What          // 0: none
	cancel  context.CancelFunc
	gone    bool // no longer among the jobs; its run goes on
}

// New returns a Runner for jobs. It reads what the ledger keeps of the jobs, and opens their new lines.
func New(ctx context.Context, jobs []Job, opts Options) (*Runner, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Concurrency <= 0 {
		opts.Concurrency = 4
	}
	if opts.Failed == nil {
		opts.Failed = func(ctx context.Context, d Due, err error) {
			opts.Log.ErrorContext(ctx, "run failed", "binding", d.Binding, "what", d.What.String(), "error", err)
		}
	}
	if opts.Beside == nil {
		opts.Beside = shareNothing
	}
	opts.Poll = orDefault(opts.Poll, time.Second)
	opts.Splay = orDefault(opts.Splay, 10*time.Minute)
	opts.Grace = orDefault(opts.Grace, normalGrace)
	r := &Runner{opts: opts, begun: time.Now(), wake: make(chan struct{}, 1), bindings: map[string]*binding{}}
	r.lastNow = r.now()
	return r, r.Reload(ctx, jobs)
}

// orDefault returns the value of an option: the default for zero, and zero for a negative value.
func orDefault(d, normal time.Duration) time.Duration {
	if d == 0 {
		return normal
	}
	return max(d, 0)
}

func shareNothing(running, next Job) bool {
	return !slices.ContainsFunc(next.Systems, func(s string) bool { return slices.Contains(running.Systems, s) })
}

// now returns the time of the wall clock alone, and mono the time that passed since the Runner was made.
// They differ if the machine slept or the clock was set.
func (r *Runner) now() time.Time      { return r.opts.Now().Round(0) }
func (r *Runner) mono() time.Duration { return time.Since(r.begun) }

// Run starts the runs that are due until ctx ends. Then it waits for the current runs, and cancels them
// after Grace. It returns nil when every run has returned. If some have not returned another Grace after
// they were cancelled, it returns an error that names their bindings.
func (r *Runner) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return r.stop()
		case <-timer.C:
		case <-r.wake:
		}
		if ctx.Err() == nil {
			timer.Reset(r.step(ctx))
		}
	}
}

// Request files a request for a binding and wakes the Runner. The run begins at once, or when the
// binding's current run is over. Request returns the number of the request, and only when it is durable.
func (r *Runner) Request(ctx context.Context, binding string, what What) (int64, error) {
	seq, err := r.opts.Ledger.Request(ctx, binding, what, r.now())
	if err != nil {
		return 0, fmt.Errorf("request %s of %s: %w", what, binding, err)
	}
	r.mu.Lock()
	r.asked = true
	r.mu.Unlock()
	r.nudge()
	return seq, nil
}

func (r *Runner) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// step looks at the clock and the ledger once and starts the runs that are due. It returns for how long
// nothing new can become due.
func (r *Runner) step(ctx context.Context) time.Duration {
	now, mono := r.now(), r.mono()
	drift := now.Sub(r.lastNow) - (mono - r.lastMono)
	jumped := drift.Abs() >= clockStep
	r.lastNow, r.lastMono = now, mono
	if jumped {
		r.opts.Log.WarnContext(ctx, "the clock was set or the machine slept", "step_s", drift.Seconds())
		if r.opts.Jumped != nil {
			r.opts.Jumped(drift)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.beat, r.looked = now, mono
	r.poll(ctx, mono)
	ready := r.look(now, mono, jumped, drift)
	slices.SortStableFunc(ready, compare)
	for _, c := range ready {
		r.start(ctx, c, now, mono)
	}
	return r.wait(now, mono)
}

// poll reads the requests that are not answered, if requests were filed here or the time to look has come.
func (r *Runner) poll(ctx context.Context, mono time.Duration) {
	if !r.asked && (r.opts.Poll == 0 || mono-r.polled < r.opts.Poll) {
		return
	}
	r.polled = mono
	open, err := r.opts.Ledger.Requests(ctx)
	if err != nil && ctx.Err() != nil {
		return
	}
	if err != nil {
		r.opts.Log.ErrorContext(ctx, "requests can't be read", "error", err)
		return
	}
	r.asked = false
	for _, q := range open {
		if b := r.bindings[q.Binding]; b != nil {
			if l := b.line(q.What); l != nil {
				l.seq = max(l.seq, q.Seq)
			}
		}
	}
}

func (b *binding) line(w What) *line {
	for _, l := range b.lines {
		if l.what == w {
			return l
		}
	}
	return nil
}

// call makes the run. A panic becomes an error of this run only. The error names the type of the panic
// and not its value, which may hold a guest's data.
func (r *Runner) call(ctx context.Context, d Due) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("run %s of %s: panic (%T)", d.What, d.Binding, v)
			r.opts.Log.ErrorContext(ctx, "a run panicked", "binding", d.Binding, "what", d.What.String(), "stack", stack())
		}
	}()
	return r.opts.Run(ctx, d)
}

// finish writes down how a run ended. A run that was postponed or broken off stays due, and nothing is
// written.
func (r *Runner) finish(ctx context.Context, b *binding, l *line, d Due, seq int64, err error) {
	r.mu.Lock()
	defer r.ended(b)
	l.slot, l.due, l.wake = Slot{}, time.Time{}, time.Time{}
	now := r.now()
	e := Entry{Binding: d.Binding, What: d.What, Outcome: Ran, Slot: d.Slot, Seq: seq, At: now}
	later, postponed := errors.AsType[*PostponedError](err)
	switch {
	case err == nil:
		r.settle(ctx, b, l, e)
	case postponed:
		l.rest = r.mono() + later.Until.Sub(now)
		r.opts.Log.DebugContext(ctx, "run postponed", "binding", d.Binding, "what", d.What.String(), "error", err)
	case errors.Is(err, ErrAnswered):
		e.Outcome, e.Slot = Answered, Slot{}
		r.settle(ctx, b, l, e)
	case ctx.Err() != nil, b.quietSince(d, now):
		r.opts.Log.InfoContext(ctx, "run broken off, it stays due", "binding", d.Binding, "what", d.What.String())
	default:
		r.opts.Failed(ctx, d, err)
		r.fail(ctx, b, e)
	}
}

// ended lets the next run of a binding begin. The caller holds the lock, and ended releases it.
func (r *Runner) ended(b *binding) {
	b.running, b.cancel = 0, nil
	r.running--
	if b.gone && r.bindings[b.job.Binding] == b {
		delete(r.bindings, b.job.Binding)
		r.order = slices.DeleteFunc(r.order, func(o *binding) bool { return o == b })
	}
	r.mu.Unlock()
	r.nudge()
}

// quietSince reports whether now is in quiet hours, or quiet hours began since the run started. Then they are
// why the run was broken off.
func (b *binding) quietSince(d Due, now time.Time) bool {
	_, quiet := b.job.until(now)
	return quiet || !d.Quiet.IsZero() && !now.Before(d.Quiet)
}

// settle writes down a run that ended well or was only answered, if there is anything to write. A run that
// was only answered changes nothing about failures.
func (r *Runner) settle(ctx context.Context, b *binding, l *line, e Entry) {
	ran := e.Outcome == Ran
	if !e.Slot.IsZero() || e.Seq > l.done || b.fails > 0 && ran {
		err := r.opts.Ledger.Settle(context.WithoutCancel(ctx), e)
		if err != nil && !errors.Is(err, ErrSettled) {
			r.opts.Log.ErrorContext(ctx, "run can't be written down, it stays due", "binding", e.Binding, "what", e.What.String(), "error", err)
			r.rest(b, e.What)
			return
		}
	}
	if !e.Slot.IsZero() {
		l.keep(e.Slot)
	}
	l.done = max(l.done, e.Seq)
	if ran {
		b.fails, b.retry = 0, 0
	}
}

// fail counts a failure, in memory and in the ledger.
func (r *Runner) fail(ctx context.Context, b *binding, e Entry) {
	r.rest(b, e.What)
	e.Outcome, e.Slot, e.Seq, e.Fails = Failed, Slot{}, 0, b.fails
	if err := r.opts.Ledger.Settle(context.WithoutCancel(ctx), e); err != nil {
		r.opts.Log.ErrorContext(ctx, "failure can't be written down", "binding", e.Binding, "error", err)
	}
}

func (r *Runner) rest(b *binding, what What) {
	if what != Kick || b.fails == 0 { // kicks are tried every minute: their failures would soon reach Quarantine
		b.fails++
	}
	b.failed = r.mono()
	b.retry = b.failed + b.job.backoff(b.fails)
}

// Grace changes how long a run may go on after the Runner was told to stop; d is read like Options.Grace.
func (r *Runner) Grace(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opts.Grace = orDefault(d, normalGrace)
}

func (r *Runner) grace() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opts.Grace
}

// stop waits for the current runs, and cancels them after Grace. See Run for the error.
func (r *Runner) stop() error {
	r.mu.Lock()
	r.stopped = true
	r.mu.Unlock()
	over := make(chan struct{})
	go func() {
		r.runs.Wait()
		close(over)
	}()
	length := r.grace()
	grace := time.NewTimer(length)
	defer grace.Stop()
	select {
	case <-over:
		return nil
	case <-grace.C:
	}
	r.mu.Lock()
	for _, b := range r.order {
		if b.cancel != nil {
			b.cancel()
		}
	}
	r.mu.Unlock()
	grace.Reset(max(length, time.Second))
	select {
	case <-over:
		return nil
	case <-grace.C:
	}
	var names []string
	for _, s := range r.Status() {
		if s.Running {
			names = append(names, s.Binding)
		}
	}
	return fmt.Errorf("stop runs: %q did not end when cancelled; what they had under way is settled at the next start", names)
}
