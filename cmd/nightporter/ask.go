package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/internal/serve"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

const (
	askEvery  = 200 * time.Millisecond
	askAlive  = 2 * time.Second // how often it is made sure that the service is still there
	askWithin = 5 * time.Second // to take a request back
)

// askedError is what the service said went wrong.
type askedError struct {
	text   string
	halted bool
}

// Error is the service's own words.
func (e *askedError) Error() string { return e.text }

// Is reports a halt as the engine's own, so that the same hint follows.
func (e *askedError) Is(target error) bool { return e.halted && target == engine.ErrHalted }

// syncBeside has the service make the runs that a sync would, one job after the other
// in their order, and reports them.
func (c *cli) syncBeside(ctx context.Context, args []string, f syncFlags) (err error) {
	cfg, s, err := c.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	js := jobsIn(cfg, s)
	names, o, planned, err := js.wanted(ctx, args, f)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = js.order
	}
	w := serve.Wish{Yes: o.Yes, Full: o.Full, Limit: o.Limit, Only: o.Only, OnlySide: o.OnlySide, Plan: o.Plan}
	var reports []engine.Report
	var errs []error
	for _, b := range names {
		rep, err := c.askRun(ctx, s, b, w)
		reports = append(reports, rep)
		if err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil || errors.Is(err, errStopped) {
			break
		}
	}
	waiting, perr := c.printReports(context.WithoutCancel(ctx), reports, js, droppedFrom(reports, planned))
	if err := errors.Join(append(errs, perr)...); err != nil {
		return err
	}
	if waiting > 0 {
		return errWaits
	}
	return nil
}

// askRun has the service run a job and waits for what becomes of it.
func (c *cli) askRun(ctx context.Context, s *state.Store, b record.Binding, w serve.Wish) (engine.Report, error) {
	none := engine.Report{Binding: b}
	id, err := serve.Ask(ctx, s, b, w, caller(), time.Now())
	if err != nil {
		return none, err
	}
	r, err := c.follow(ctx, s, id, func(r record.Request) string {
		switch {
		case r.Run != 0:
			return fmt.Sprintf("%s: run %d is under way in the service", b, r.Run)
		case !r.Taken.IsZero():
			return fmt.Sprintf("%s: the service makes the run as soon as the job is free", b)
		}
		return fmt.Sprintf("%s: waiting for the service to take it up", b)
	})
	if err != nil {
		return none, fmt.Errorf("job %s: %w", b, err)
	}
	return reportOf(ctx, s, b, r)
}

// reportOf is what a request came to, as if the run had been this process's own.
func reportOf(ctx context.Context, s *state.Store, b record.Binding, r record.Request) (engine.Report, error) {
	answer := serve.AnswerOf(r)
	rep := engine.Report{
		Run: r.Run, Binding: b, Outcome: r.Outcome, Halts: answer.Halts, Notes: answer.Notes, Dropped: answer.Dropped,
		Undo: answer.Undo, Counts: record.Counts{},
	}
	var failed error
	if answer.Error != "" {
		failed = &askedError{text: answer.Error, halted: r.Outcome == record.Halted}
	}
	rep.Error = failed
	if r.Run == 0 {
		return rep, failed
	}
	run, err := findRun(ctx, s, r.Run)
	if err != nil {
		return rep, errors.Join(failed, err)
	}
	rep.Outcome, rep.Counts = run.Outcome, run.Counts
	open, err := s.Questions(ctx, b, true)
	if err != nil {
		return rep, errors.Join(failed, err)
	}
	for _, x := range open {
		if x.Run == r.Run {
			rep.Conflicts = append(rep.Conflicts, x)
		}
	}
	alerts, err := s.Alerts(ctx, run.Started, 1000)
	for _, al := range slices.Backward(alerts) {
		if al.Run == r.Run {
			rep.Alerts = append(rep.Alerts, al)
		}
	}
	return rep, errors.Join(failed, err)
}

// follow waits for a request to end and says on stderr how it stands. What nobody
// took up yet is taken back when ctx ends, or when nobody is there to take it.
func (c *cli) follow(ctx context.Context, s *state.Store, id int64, words func(record.Request) string) (record.Request, error) {
	every := time.NewTicker(askEvery)
	defer every.Stop()
	said, looked := "", time.Now()
	for {
		r, err := s.Followed(context.WithoutCancel(ctx), id)
		if err != nil || r.Done() {
			return r, err
		}
		if text := words(r); text != said {
			said = text
			c.say("%s", text)
		}
		if time.Since(looked) >= askAlive {
			looked = time.Now()
			if why, err := unserved(ctx, s); err != nil && ctx.Err() == nil {
				return r, err
			} else if err == nil && why != nil {
				return c.withdraw(ctx, s, r, why)
			}
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return c.withdraw(ctx, s, r, errInterrupted)
		}
	}
}

// served reports whether a process runs jobs that takes up what is asked.
func served(ctx context.Context, s *state.Store) (bool, error) {
	held, err := s.Held(ctx)
	if err != nil || !held {
		return false, err
	}
	h, ok, err := s.Holder(ctx)
	return ok && serve.Answers(h), err
}

// unserved is why nobody takes up what is asked: no process is there that would, or the one
// that is there has stood still for so long that it may never go on.
func unserved(ctx context.Context, s *state.Store) (why, err error) {
	there, err := served(ctx, s)
	switch {
	case err != nil:
		return nil, err
	case !there:
		return errStopped, nil
	}
	h, ok, err := s.Holder(ctx)
	if err != nil || !ok {
		return nil, err
	}
	if silent := time.Since(h.Beat); silent > quietFor {
		return &silentError{holder: h, silent: silent}, nil
	}
	return nil, nil
}

// silentError is a service that is there and gives no sign of life.
type silentError struct {
	holder state.Holder
	silent time.Duration
}

// Error names the process, and what can be done about it.
func (e *silentError) Error() string {
	return fmt.Sprintf("the service, process %d on %s, gave no sign of life for %s: if it was stopped, kill -CONT %d lets it go on; kill %d ends it, and then sync runs by itself",
		e.holder.PID, e.holder.Host, e.silent.Round(time.Second), e.holder.PID, e.holder.PID)
}

// Is reports that nothing is done meanwhile, as by a service that has stopped.
func (e *silentError) Is(target error) bool { return target == errStopped }

// Why a request is followed no longer.
var (
	errStopped     = errors.New("the service has stopped")
	errInterrupted = errors.New("interrupted")
)

// withdraw takes a request back, and says whether that was in time.
func (c *cli) withdraw(ctx context.Context, s *state.Store, r record.Request, why error) (record.Request, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askWithin)
	defer cancel()
	back, err := s.Withdraw(ctx, r.ID, time.Now())
	if err != nil {
		return r, err
	}
	if back {
		return r, fmt.Errorf("%w: the request was taken back before anything was done", why)
	}
	now, err := s.Followed(ctx, r.ID)
	switch {
	case err != nil || now.Done():
		return now, err
	case errors.Is(why, errStopped):
		return now, fmt.Errorf("%w: what was asked for is done when it is started again", why)
	case now.Run != 0:
		return now, fmt.Errorf("%w: run %d was begun and is the service's to end; nightporter runs %d shows it", why, now.Run, now.Run)
	}
	return now, fmt.Errorf("%w: the service had taken the request up and will still do it", why)
}
