package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// Wish is what a command asks of the process that runs jobs.
type Wish struct {
	Reload bool `json:"reload,omitempty"` // read the configuration again; nothing else of the wish counts

	Yes      bool            `json:"yes,omitempty"`
	Full     bool            `json:"full,omitempty"`
	Limit    int             `json:"limit,omitempty"`
	Only     []record.Ref    `json:"only,omitempty"`
	OnlySide record.Side     `json:"only_side,omitempty"`
	Plan     map[string]bool `json:"plan,omitempty"`
}

// Ask files a wish for a job, or for all where b is empty, and returns the number to
// follow it by.
func Ask(ctx context.Context, s Requester, b record.Binding, w Wish, by string, now time.Time) (int64, error) {
	text, err := json.Marshal(w)
	if err != nil {
		return 0, fmt.Errorf("ask for a run: %w", err)
	}
	return s.Request(ctx, record.Request{Binding: b, Options: string(text), Asked: now, By: by})
}

// Requester keeps requests.
type Requester interface {
	Request(ctx context.Context, r record.Request) (int64, error)
}

// wished is one request that was taken up and the jobs it still waits for.
type wished struct {
	id      int64
	wish    Wish
	left    map[record.Binding]bool
	outcome record.Outcome
	answer  Answer
}

// takeRequests takes up what commands ask for. Each job's part is run when that job
// is free.
func (d *Daemon) takeRequests(ctx context.Context) error {
	taken, err := d.store.TakeRequests(ctx, time.Now())
	if err != nil {
		return err
	}
	for _, r := range taken {
		if err := d.take(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func (d *Daemon) take(ctx context.Context, r record.Request) error {
	var w Wish
	if err := json.Unmarshal([]byte(r.Options), &w); err != nil {
		return d.store.EndRequest(ctx, r.ID, record.Failed, "what is asked for can't be read: "+err.Error(), time.Now())
	}
	if w.Reload { // a system that takes its time to answer holds nothing else up
		d.closing.Go(func() { d.reloadFor(ctx, r.ID) })
		return nil
	}
	h, leave := d.enter()
	defer leave()
	jobs := h.Order
	if r.Binding != "" {
		jobs = []record.Binding{r.Binding}
		if _, ok := h.Engine.Jobs[r.Binding]; !ok {
			return d.store.EndRequest(ctx, r.ID, record.Failed, fmt.Sprintf(
				"the service has no job %s: reload its configuration (nightporter reload)", r.Binding), time.Now())
		}
	}
	x := &wished{id: r.ID, wish: w, left: map[record.Binding]bool{}, outcome: record.Done}
	d.mu.Lock()
	for _, b := range jobs {
		x.left[b] = true
		d.wishes[b] = append(d.wishes[b], x)
	}
	d.mu.Unlock()
	for _, b := range jobs {
		if _, err := d.runner.Request(ctx, string(b), schedule.Asked); err != nil {
			return err
		}
	}
	return nil
}

// reloadFor reloads the configuration as a command asked for it.
func (d *Daemon) reloadFor(ctx context.Context, request int64) {
	outcome, text := record.Done, ""
	if err := d.Reload(ctx); err != nil {
		outcome, text = record.Failed, err.Error()
		d.log.WarnContext(ctx, "configuration not reloaded", "error", err)
	}
	if err := d.store.EndRequest(context.WithoutCancel(ctx), request, outcome, text, time.Now()); err != nil {
		d.log.ErrorContext(ctx, "the asker can't be told how the reload ended", "error", err)
	}
}

// asked runs a job as commands asked for it.
func (d *Daemon) asked(ctx context.Context, h *house, b record.Binding) error {
	d.mu.Lock()
	xs := d.wishes[b]
	delete(d.wishes, b)
	d.mu.Unlock()
	for i, x := range xs {
		rep, err := d.grant(ctx, h, b, x)
		if ctx.Err() != nil { // it stays to be done by whoever runs next
			d.mu.Lock()
			d.wishes[b] = slices.Concat(xs[i:], d.wishes[b])
			d.mu.Unlock()
			return err
		}
		if err := d.granted(ctx, b, x, rep, err); err != nil {
			return err
		}
	}
	return nil
}

func (d *Daemon) grant(ctx context.Context, h *house, b record.Binding, x *wished) (engine.Report, error) {
	o := engine.Options{Hold: h.hold(b)}
	o.Yes, o.Full, o.Limit, o.Plan = x.wish.Yes, x.wish.Full, x.wish.Limit, x.wish.Plan
	o.Only, o.OnlySide = x.wish.Only, x.wish.OnlySide
	o.Begun = func(run int64) {
		if err := d.store.ServeRequest(ctx, x.id, run); err != nil {
			d.log.WarnContext(ctx, "the asker can't be told which run is theirs", "error", err)
		}
	}
	return d.carryOut(ctx, h, b, schedule.Asked.String(), o, &hints{Daemon: d, binding: b})
}

// granted notes how a job's part ended, and the whole request when it was the last.
// What went wrong is told to the asker: it is no failure of the job's own cadence.
func (d *Daemon) granted(ctx context.Context, b record.Binding, x *wished, rep engine.Report, err error) error {
	d.mu.Lock()
	delete(x.left, b)
	text := ""
	if err != nil {
		text = fmt.Sprintf("job %s: %v", b, err)
	}
	x.answer.add(rep, text)
	outcome := rep.Outcome
	if err != nil && outcome != record.Halted {
		outcome = record.Failed
	}
	if worse(outcome, x.outcome) {
		x.outcome = outcome
	}
	over := len(x.left) == 0
	d.mu.Unlock()
	if !over {
		return nil
	}
	return d.store.EndRequest(context.WithoutCancel(ctx), x.id, x.outcome, x.answer.text(), time.Now())
}

// dropWishes ends what was asked of jobs that the configuration has no more.
func (d *Daemon) dropWishes(ctx context.Context, now *house) error {
	d.mu.Lock()
	gone := map[record.Binding][]*wished{}
	for b, xs := range d.wishes {
		if now.Engine.Jobs[b] == nil {
			gone[b] = xs
			delete(d.wishes, b)
		}
	}
	d.mu.Unlock()
	var errs []error
	for b, xs := range gone {
		for _, x := range xs {
			errs = append(errs, d.granted(ctx, b, x, engine.Report{Outcome: record.Failed}, errors.New("it is not in the configuration any more")))
		}
	}
	return errors.Join(errs...)
}

// worse orders outcomes by how much they want a person.
func worse(a, b record.Outcome) bool {
	order := []record.Outcome{record.Done, record.Waits, record.Halted, record.Failed}
	return slices.Index(order, a) > slices.Index(order, b)
}
