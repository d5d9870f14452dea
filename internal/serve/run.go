package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/internal/app"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// errQuiet ends a run when the quiet hours of a system begin.
var errQuiet = errors.New("the quiet hours of a system began")

// due makes one run that is due. Its error can be logged.
func (d *Daemon) due(ctx context.Context, due schedule.Due) error {
	return app.Discreet(d.run(ctx, due))
}

// run makes one run that is due.
func (d *Daemon) run(ctx context.Context, due schedule.Due) error {
	try := attempt{due.Binding, due.What.String()}
	if until, cause, yes := d.breakers.rests(try, time.Now()); yes {
		return &schedule.PostponedError{Until: until, Why: cause}
	}
	err := d.perform(ctx, due)
	if err != nil {
		return err
	}
	d.troubles.ended(ctx, try.job, try.what, time.Now())
	free, closed := d.breakers.ended(try)
	for _, system := range closed {
		d.log.InfoContext(ctx, "a system answers again", "system", system, "job", try.job, "what", try.what, "waited", len(free))
	}
	if len(closed) > 0 {
		d.noteBreakers(ctx)
	}
	return d.try(ctx, free)
}

// failed is told of a run that failed.
func (d *Daemon) failed(ctx context.Context, due schedule.Due, err error) {
	now, try := time.Now(), attempt{due.Binding, due.What.String()}
	d.troubles.failed(ctx, try.job, try.what, err, now)
	if due.Fails+1 == schedule.Quarantine && awayFrom(err) == "" {
		d.log.ErrorContext(ctx, "job is in quarantine: nobody mended for a day what it fails of, and it is tried ever more seldom; "+
			"nightporter sync JOB tries it at once", "job", try.job, "failures", schedule.Quarantine)
	}
	if d.breakers.failed(try, err, now) {
		d.log.InfoContext(ctx, "a system is away: one run alone tries it", "system", awayFrom(err), "job", try.job, "what", try.what)
		d.noteBreakers(ctx)
	}
}

// perform makes the run, whatever it is of.
func (d *Daemon) perform(ctx context.Context, due schedule.Due) error {
	h, leave := d.enter()
	defer leave()
	switch due.Binding {
	case backupRun:
		return d.backup(ctx, h)
	case tidyRun:
		return d.tidy(ctx, h)
	case checkRun:
		return d.checkState(ctx)
	}
	b := record.Binding(due.Binding)
	if _, ok := h.Engine.Jobs[b]; !ok {
		return fmt.Errorf("job %s is not in the configuration any more", b)
	}
	ctx, cancel := untilQuiet(ctx, d.hold(h, b), due.Quiet)
	defer cancel()
	switch due.What {
	case schedule.Kick:
		return d.kick(ctx, h, b)
	case schedule.Asked:
		return d.asked(ctx, h, b)
	case schedule.Left, schedule.Right, schedule.Full:
	}
	o := engine.Options{Hold: d.hold(h, b)}
	o.Full = due.What == schedule.Full
	o.Skip = [2]bool{record.Left: due.What == schedule.Right, record.Right: due.What == schedule.Left}
	return d.one(ctx, h, b, due.What.String(), o)
}

// quietLook is how often a run looks whether quiet hours began. They are hours of the
// clock on the wall, which is set, and goes on while the machine sleeps; and a reload
// may name others.
const quietLook = time.Second

// untilQuiet is a context that ends when a side is to be left alone, which as far as is
// known is from next on.
func untilQuiet(ctx context.Context, hold func(record.Side) string, next time.Time) (_ context.Context, cancel func()) {
	ctx, end := context.WithCancelCause(ctx)
	wait := func() time.Duration {
		if next.IsZero() {
			return quietLook
		}
		return max(0, min(quietLook, time.Until(next)))
	}
	go func() {
		look := time.NewTimer(wait())
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
			if hold(record.Left)+hold(record.Right) != "" {
				end(errQuiet)
				return
			}
			look.Reset(max(wait(), time.Millisecond))
		}
	}()
	return ctx, func() { end(nil) }
}

// one runs a job once, takes what is hinted at meanwhile first, and calls for what
// follows from it.
func (d *Daemon) one(ctx context.Context, h *house, b record.Binding, what string, o engine.Options) error {
	return d.carry(ctx, h, b, what, o, &hints{Daemon: d, binding: b})
}

// engine makes one run of the engine, counts it and says how it ended. A run whose
// job was taken over ends the daemon.
func (d *Daemon) engine(ctx context.Context, h *house, b record.Binding, what string, o engine.Options) (engine.Report, error) {
	begun := time.Now()
	rep, err := h.Engine.Run(h.Urgent(ctx, b), b, o)
	took := time.Since(begun)
	d.outbox.Kick()
	job := h.Engine.Jobs[b]
	d.seen.run(rep, what, took, [2]record.System{job.Sides[record.Left].System, job.Sides[record.Right].System})
	d.say(ctx, rep, what, took, err)
	if errors.Is(err, state.ErrFenced) {
		d.fail(fmt.Errorf("another process has taken the state file over, and this one stops: %w", err))
	}
	if err == nil { // what it kept back as the hours began was not there yet when that was looked for
		err = d.opened(ctx, h, b, begun, time.Now())
	}
	for _, halt := range rep.Halts {
		err = fmt.Errorf("%w: %s", err, halt.Why)
	}
	return rep, err
}

// say logs how a run ended: names and numbers, never what a record holds. A run that
// changed nothing, as most do, is not worth a line.
func (d *Daemon) say(ctx context.Context, rep engine.Report, what string, took time.Duration, err error) {
	attrs := []any{"job", string(rep.Binding), "run", rep.Run, "what", what, "outcome", string(rep.Outcome), "ms", took.Milliseconds()}
	for _, name := range []string{
		"left.created", "right.created", "left.updated", "right.updated", "linked", "conflicts", "held", "refused",
		"unsettled", "lost", "postponed", "alerts",
	} {
		if n := rep.Counts[name]; n > 0 {
			attrs = append(attrs, name, n)
		}
	}
	switch {
	case err != nil:
	case len(attrs) > 10 || what == schedule.Full.String():
		d.log.InfoContext(ctx, "run ended", attrs...)
	default:
		d.log.DebugContext(ctx, "run ended", attrs...)
	}
	for _, a := range rep.Alerts {
		d.log.WarnContext(ctx, "alert", "job", string(rep.Binding), "run", rep.Run, "kind", a.Kind)
	}
}

// follow calls for the runs that what was done makes worth while: of jobs whose
// records are waited for, and of those that wait for what was linked now. over says
// that the run has come to its end.
func (d *Daemon) follow(ctx context.Context, h *house, b record.Binding, t engine.Taken, over bool) error {
	waits, err := d.store.Awaited(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	var asked []record.Hint
	for _, w := range waits {
		if w.Binding == b && over && !t.Linked {
			continue // it was looked at just now, and nothing came of it
		}
		if _, ok := h.Engine.Jobs[w.Binding]; ok && d.chased.again(w, now) {
			asked = append(asked, record.Hint{Place: record.Place{Binding: w.Binding, Side: w.Side}, Ref: w.Ref, At: now})
		}
	}
	d.seek.begin(t.Sought, now)
	for _, p := range d.seek.unfound(b, t.Unfound, now) {
		asked = append(asked, record.Hint{Place: p, Ref: record.Ref{Kind: h.Engine.Jobs[b].Sides[p.Side].Kind}, At: now})
	}
	free, err := d.seek.found(ctx, d.store, b)
	if err != nil {
		return err
	}
	for _, n := range free {
		asked = append(asked, record.Hint{Place: n.place, Ref: n.ref, At: now})
	}
	if err := errors.Join(d.Hint(ctx, asked), d.look(ctx, now)); err != nil || !t.Linked {
		return err
	}
	return d.wakeDependents(ctx, h, b)
}

// wakeDependents has the jobs run whose records name those of b.
func (d *Daemon) wakeDependents(ctx context.Context, h *house, b record.Binding) error {
	for name, job := range h.Engine.Jobs {
		for _, ref := range job.References {
			if ref.Binding != b {
				continue
			}
			if _, err := d.runner.Request(ctx, string(name), schedule.Kick); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// look asks for the runs that look for somebody now, or try again what could not be
// read.
func (d *Daemon) look(ctx context.Context, now time.Time) error {
	if err := d.try(ctx, d.breakers.due(now)); err != nil {
		return err
	}
	for _, b := range slices.Concat(d.seek.calls(now), d.aside.due(now)) {
		if _, err := d.runner.Request(ctx, string(b), schedule.Kick); err != nil {
			return err
		}
	}
	return nil
}
