package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// Wish is what a command asks of the process that runs jobs.
type Wish struct {
	Reload bool `json:"reload,omitempty"` // read the configuration again; nothing else of the wish counts

	Hinted bool `json:"hinted,omitempty"` // look at what the state has hints at; nobody waits for it, and nothing else of the wish counts

	Yes      bool            `json:"yes,omitempty"`
	Full     bool            `json:"full,omitempty"`
	Seen     bool            `json:"seen,omitempty"` // plan what is known, read no list
	Limit    int             `json:"limit,omitempty"`
	Only     []record.Ref    `json:"only,omitempty"`
	OnlySide record.Side     `json:"only_side,omitempty"`
	Plan     map[string]bool `json:"plan,omitempty"`
	Undo     *engine.Undo    `json:"undo,omitempty"`
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

// Wake has what the state has hints at for a job looked at at once, and waits for nothing.
func Wake(ctx context.Context, s Requester, b record.Binding, by string, now time.Time) error {
	_, err := Ask(ctx, s, b, Wish{Hinted: true}, by, now)
	return err
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
// is free. What could not be written of earlier ones is written now: a request that
// nobody ends has its asker wait for ever.
func (d *Daemon) takeRequests(ctx context.Context) error {
	taken, err := d.store.TakeRequests(ctx, time.Now())
	for _, r := range taken {
		d.take(ctx, r)
	}
	return errors.Join(err, d.callWished(ctx), d.endRequests(ctx))
}

func (d *Daemon) take(ctx context.Context, r record.Request) {
	var w Wish
	if err := json.Unmarshal([]byte(r.Options), &w); err != nil {
		d.end(r.ID, record.Failed, "what is asked for can't be read: "+err.Error())
		return
	}
	if w.Reload { // a system that takes its time to answer holds nothing else up
		d.closing.Go(func() { d.reloadFor(ctx, r.ID) })
		return
	}
	if w.Hinted {
		d.lookAt(ctx, r)
		return
	}
	d.mu.Lock()
	jobs, known := d.house.Order, true
	if r.Binding != "" {
		jobs, known = []record.Binding{r.Binding}, d.house.Engine.Jobs[r.Binding] != nil
	}
	if known {
		x := &wished{id: r.ID, wish: w, left: map[record.Binding]bool{}, outcome: record.Done}
		for _, b := range jobs {
			x.left[b] = true
			d.wishes[b] = append(d.wishes[b], x)
			d.uncalled[b] = true
		}
	}
	d.mu.Unlock()
	if !known {
		d.end(r.ID, record.Failed, fmt.Sprintf("the service has no job %s: reload its configuration (nightporter reload)", r.Binding))
	}
}

// lookAt calls for a look at what is hinted at for a job. Of one that the service does not
// have the next run that does looks.
func (d *Daemon) lookAt(ctx context.Context, r record.Request) {
	d.mu.Lock()
	known := d.house.Engine.Jobs[r.Binding] != nil
	d.mu.Unlock()
	if known {
		if _, err := d.runner.Request(ctx, string(r.Binding), schedule.Kick); err != nil {
			d.end(r.ID, record.Failed, err.Error())
			return
		}
	}
	d.end(r.ID, record.Done, "")
}

// callWished calls for the runs of what was asked for.
func (d *Daemon) callWished(ctx context.Context) error {
	d.mu.Lock()
	jobs := slices.Sorted(maps.Keys(d.uncalled))
	d.mu.Unlock()
	for _, b := range jobs {
		if _, err := d.runner.Request(ctx, string(b), schedule.Asked); err != nil {
			return err
		}
		d.mu.Lock()
		delete(d.uncalled, b)
		d.mu.Unlock()
	}
	return nil
}

// ended is a request that is over, until that is written down.
type ended struct {
	id      int64
	outcome record.Outcome
	text    string
}

// end notes how a request ended. endRequests writes it down.
func (d *Daemon) end(request int64, outcome record.Outcome, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unended = append(d.unended, ended{request, outcome, text})
}

// endRequests tells those who asked how it ended. Who can't be told now is told when
// the state file can be written again.
func (d *Daemon) endRequests(ctx context.Context) error {
	d.mu.Lock()
	all := d.unended
	d.unended = nil
	d.mu.Unlock()
	for i, e := range all {
		err := d.store.EndRequest(context.WithoutCancel(ctx), e.id, e.outcome, e.text, time.Now())
		if err != nil && !errors.Is(err, state.ErrUnknown) { // of an unknown one nobody waits for the end
			d.mu.Lock()
			d.unended = append(all[i:len(all):len(all)], d.unended...)
			d.mu.Unlock()
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
	d.end(request, outcome, text)
	d.tell(ctx)
}

// tell writes down what ended; what can't be is tried again by whoever tends.
func (d *Daemon) tell(ctx context.Context) {
	if err := d.endRequests(ctx); err != nil {
		d.log.ErrorContext(ctx, "who asked can't be told how it ended yet", "error", err)
	}
}

// asked runs a job as commands asked for it. What went wrong is told to the asker: it
// is no failure of the job's own cadence, and no success of it.
func (d *Daemon) asked(ctx context.Context, h *house, b record.Binding) error {
	d.mu.Lock()
	xs := d.wishes[b]
	delete(d.wishes, b)
	d.mu.Unlock()
	well := len(xs) > 0
	for i, x := range xs {
		rep, err := d.grant(ctx, h, b, x)
		if ctx.Err() != nil { // it stays to be done by whoever runs next
			d.putBack(b, xs[i:])
			return errors.Join(context.Cause(ctx), err)
		}
		d.granted(b, x, rep, err)
		d.tell(ctx)
		well = well && err == nil
	}
	if !well {
		return fmt.Errorf("runs of %s that were asked for: %w", b, schedule.ErrAnswered)
	}
	return nil
}

// putBack has what was asked of a job be asked still.
func (d *Daemon) putBack(b record.Binding, xs []*wished) {
	d.mu.Lock()
	there := d.house.Engine.Jobs[b] != nil
	if there {
		d.wishes[b] = slices.Concat(xs, d.wishes[b])
	}
	d.mu.Unlock()
	if !there {
		d.gone(b, xs)
	}
}

// gone ends what was asked of a job that the configuration has no more.
func (d *Daemon) gone(b record.Binding, xs []*wished) {
	for _, x := range xs {
		d.granted(b, x, engine.Report{Outcome: record.Failed}, errors.New("it is not in the configuration any more"))
	}
}

// grant makes the run of one wish. A panic in it is the asker's to know: nobody else
// would ever end the request.
func (d *Daemon) grant(ctx context.Context, h *house, b record.Binding, x *wished) (rep engine.Report, err error) {
	defer func() {
		if v := recover(); v != nil { // its value may hold a guest's data
			rep, err = engine.Report{Outcome: record.Failed}, fmt.Errorf("run of %s: panic (%T); the log of the service says where", b, v)
			d.log.ErrorContext(ctx, "a run panicked", "job", string(b), "what", schedule.Asked.String(), "stack", string(debug.Stack()))
		}
	}()
	o := engine.Options{Hold: d.hold(h, b)}
	o.Yes, o.Full, o.Seen, o.Limit, o.Plan = x.wish.Yes, x.wish.Full, x.wish.Seen, x.wish.Limit, x.wish.Plan
	o.Only, o.OnlySide, o.Undo = x.wish.Only, x.wish.OnlySide, x.wish.Undo
	o.Begun = func(run int64) {
		if err := d.store.ServeRequest(ctx, x.id, run); err != nil {
			d.log.WarnContext(ctx, "the asker can't be told which run is theirs", "error", err)
		}
	}
	return d.carryOut(ctx, h, b, schedule.Asked.String(), o, &hints{Daemon: d, binding: b})
}

// granted notes how a job's part ended, and the whole request when it was the last.
func (d *Daemon) granted(b record.Binding, x *wished, rep engine.Report, err error) {
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
	if over {
		d.end(x.id, x.outcome, x.answer.text())
	}
}

// dropWishes ends what was asked of jobs that the configuration has no more.
func (d *Daemon) dropWishes(ctx context.Context, now *house) {
	d.mu.Lock()
	dropped := map[record.Binding][]*wished{}
	for b, xs := range d.wishes {
		if now.Engine.Jobs[b] == nil {
			dropped[b] = xs
			delete(d.wishes, b)
			delete(d.uncalled, b)
		}
	}
	d.mu.Unlock()
	for b, xs := range dropped {
		d.gone(b, xs)
	}
	d.tell(ctx)
}

// worse orders outcomes by how much they want a person.
func worse(a, b record.Outcome) bool {
	order := []record.Outcome{record.Done, record.Waits, record.Halted, record.Failed}
	return slices.Index(order, a) > slices.Index(order, b)
}
