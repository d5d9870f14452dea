package serve

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// tellUntil tells others what happens until over is closed: what the last runs did while
// the service ends is told too, as far as there is time.
func (d *Daemon) tellUntil(ctx context.Context, over <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		select {
		case <-over:
			cancel()
		case <-ctx.Done():
		}
	}()
	d.outbox.Run(ctx)
}

// What is read anew at each scrape.
var (
	descEvents     = prometheus.NewDesc("nightporter_events_total", "Tries to send an event, by what became of them, and events given up.", []string{"destination", "result"}, nil)
	descEventsHeld = prometheus.NewDesc("nightporter_events", "Events that wait for a destination, and those that were given up.", []string{"destination", "state"}, nil)
	descEventsGone = prometheus.NewDesc("nightporter_events_gone", "1 for a destination that answered that it wants no more events.", []string{"destination"}, nil)
)

// events is what became of what others are to be told.
func (c collector) events(ctx context.Context, ch chan<- prometheus.Metric, gauge gauge) {
	for name, n := range c.d.outbox.Counts() {
		for result, count := range map[string]int64{"sent": n.Sent, "failed": n.Failed, "dead": n.Dead} {
			ch <- prometheus.MustNewConstMetric(descEvents, prometheus.CounterValue, float64(count), name, result)
		}
	}
	all, err := c.d.store.Destinations(ctx)
	if err != nil {
		return
	}
	for _, d := range all {
		gauge(descEventsHeld, float64(d.Waiting), d.Name, "waiting")
		gauge(descEventsHeld, float64(d.Dead), d.Name, "dead")
		gone := 0.0
		if !d.Gone.IsZero() {
			gone = 1
		}
		gauge(descEventsGone, gone, d.Name)
	}
}
