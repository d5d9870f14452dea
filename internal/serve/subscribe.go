package serve

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"nightporter/connectors"
	"nightporter/internal/app"
	"nightporter/internal/subscribe"
	"nightporter/state"
	"nightporter/sync/record"
)

// subscriptions is what goes on with our subscriptions to the webhooks of systems, over
// reloads.
type subscriptions struct {
	ring   *subscribe.Ring
	looked chan struct{} // somebody wants them looked at now

	mu     *sync.Mutex
	counts map[record.System]map[string]int
}

func newSubscriptions() subscriptions {
	return subscriptions{
		ring: &subscribe.Ring{}, looked: make(chan struct{}, 1), mu: &sync.Mutex{}, counts: map[record.System]map[string]int{},
	}
}

// of gives a house its subscriptions; their secrets count from then on.
func (s subscriptions) of(ctx context.Context, h *house, step func(string)) error {
	var err error
	if h.subs, err = h.Subscriptions(ctx, s.ring, step); err != nil {
		return err
	}
	for i, source := range h.sources {
		for j := range h.subs {
			sub := &h.subs[j]
			if sub.System != source.System || sub.Want == nil {
				continue
			}
			source.PublicURL = sub.Want.URL
			h.sources[i] = app.Signing(source, s.ring)
		}
	}
	return nil
}

// look has them looked at now. It never waits.
func (s subscriptions) look() {
	select {
	case s.looked <- struct{}{}:
	default:
	}
}

// How soon a subscription is looked at again that could not be mended, at first, and
// one that a system has no list for.
const (
	mendAgain = time.Minute
	askAgain  = 6 * time.Hour
)

// turn is when a subscription is looked at next.
type turn struct {
	at    time.Time
	fails int
}

// next is the turn that follows a look.
func (t turn) next(now time.Time, every time.Duration, err error) turn {
	switch {
	case err == nil:
		return turn{at: now.Add(every)}
	case connectors.NotOffered(err):
		return turn{at: now.Add(max(every, askAgain))}
	}
	wait := mendAgain << min(t.fails, 10)
	return turn{at: now.Add(min(wait, max(every, mendAgain))), fails: t.fails + 1}
}

// keepSubscribed keeps our subscriptions as they are declared until ctx ends.
func (d *Daemon) keepSubscribed(ctx context.Context) {
	turns := map[record.System]turn{}
	for {
		timer := time.NewTimer(d.subscribeDue(ctx, turns))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-d.subs.looked:
			clear(turns)
		case <-timer.C:
		}
		timer.Stop()
	}
}

// subscribeDue looks at those that are due, and gives how long it is until the next.
func (d *Daemon) subscribeDue(ctx context.Context, turns map[record.System]turn) time.Duration {
	h, leave := d.enter()
	defer leave()
	first := time.Now().Add(time.Hour)
	for i := range h.subs {
		s := &h.subs[i]
		t := turns[s.System]
		if now := time.Now(); !now.Before(t.at) && ctx.Err() == nil {
			t = d.subscribed(ctx, h, s, t)
			turns[s.System] = t
		}
		if t.at.Before(first) {
			first = t.at
		}
	}
	return max(time.Until(first), time.Millisecond)
}

// subscribed looks at one, and has read whole what its system may not have told.
func (d *Daemon) subscribed(ctx context.Context, h *house, s *app.Subscription, t turn) turn {
	if sys, ok := h.Config.System(string(s.System)); ok {
		if end, in := sys.Quiet.Until(time.Now()); in {
			return turn{at: end, fails: t.fails}
		}
	}
	gated := connectors.WithGate(ctx, func(ctx context.Context) error { return h.Unpaused(ctx, s.System) })
	res, err := s.Check(gated)
	d.subs.count(s.System, res.Done)
	if errors.Is(err, state.ErrFenced) {
		return turn{at: time.Now().Add(time.Hour)} // this process is about to end
	}
	if res.Unheard && len(s.Places) > 0 {
		// As we end, too: the state is open until this is over.
		if unasked := d.askUnheard(context.WithoutCancel(ctx), s, res); unasked != nil {
			d.log.ErrorContext(ctx, "what a system may not have told can't be asked for, it is tried again", "system", string(s.System), "error", unasked)
			err = errors.Join(err, unasked)
		}
	}
	return t.next(time.Now(), s.Every, err)
}

// askUnheard has read whole what a system may not have told. What fails, or is killed
// before its end, is asked for again at the next look.
func (d *Daemon) askUnheard(ctx context.Context, s *app.Subscription, res subscribe.Result) error {
	now := time.Now()
	for i := range s.Places {
		s.Places[i].At = now
	}
	if err := d.Hint(ctx, s.Places); err != nil {
		return err
	}
	return s.Heard(ctx, res)
}

func (s subscriptions) count(system record.System, done map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for what, n := range done {
		if s.counts[system] == nil {
			s.counts[system] = map[string]int{}
		}
		s.counts[system][what] += n
	}
}

// What is read anew at each scrape.
var (
	descSubscribed = prometheus.NewDesc("nightporter_subscription_in_step", "1 while our subscription to a system's webhooks was last found as declared.", []string{"system"}, nil)
	descSubChanges = prometheus.NewDesc("nightporter_subscription_changes_total", "Requests that made, changed or removed one.", []string{"system", "change"}, nil)
	descPolled     = prometheus.NewDesc("nightporter_polled_first_total", "Changes of a side that lists showed before any webhook told of them.", []string{jobLabel, "system"}, nil)
)

// subscriptions is how our subscriptions stand, and what webhooks did not tell.
func (c collector) subscriptions(ctx context.Context, ch chan<- prometheus.Metric, gauge gauge) {
	h, leave := c.d.enter()
	defer leave()
	if kept, err := c.d.store.Subscriptions(ctx); err == nil {
		for i := range h.subs {
			in := 0.0
			if kept[h.subs[i].System].State == record.Subscribed {
				in = 1
			}
			gauge(descSubscribed, in, string(h.subs[i].System))
		}
	}
	c.d.subs.mu.Lock()
	for system, done := range c.d.subs.counts {
		for what, n := range done {
			ch <- prometheus.MustNewConstMetric(descSubChanges, prometheus.CounterValue, float64(n), string(system), what)
		}
	}
	c.d.subs.mu.Unlock()
	found, err := c.d.store.PolledFirst(ctx)
	if err != nil {
		return
	}
	for p, f := range found {
		if job := h.Engine.Jobs[p.Binding]; job != nil {
			ch <- prometheus.MustNewConstMetric(descPolled, prometheus.CounterValue, float64(f.Count), string(p.Binding), string(job.Sides[p.Side].System))
		}
	}
}
