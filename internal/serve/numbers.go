package serve

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"nightporter/internal/app"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// jobLabel names a job. Prometheus has a label job of its own, and would rename ours.
const jobLabel = "sync_job"

// numbers is what runs came to since the start.
type numbers struct {
	runs, changes *prometheus.CounterVec
	seconds       *prometheus.HistogramVec
	alerts        *prometheus.CounterVec

	mu       sync.Mutex
	good     map[record.Binding]time.Time // when a run last ended well
	backedUp time.Time
}

func newNumbers() *numbers {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	return &numbers{
		runs:    counter("nightporter_runs_total", "Runs that ended, by what began them and how they ended.", jobLabel, "what", "outcome"),
		changes: counter("nightporter_changes_total", "Changes written, by the system written to.", jobLabel, "system", "change"),
		alerts:  counter("nightporter_alerts_total", "What a person had to be told at once.", jobLabel, "kind"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "nightporter_run_seconds", Help: "How long runs took.",
			Buckets: []float64{.05, .2, .5, 1, 5, 30, 120, 600, 3600},
		}, []string{jobLabel, "what"}),
		good: map[record.Binding]time.Time{},
	}
}

// run counts a run that ended.
func (n *numbers) run(rep engine.Report, what string, took time.Duration, systems [2]record.System) {
	job := string(rep.Binding)
	n.runs.WithLabelValues(job, what, outcomeLabel(rep.Outcome)).Inc()
	n.seconds.WithLabelValues(job, what).Observe(took.Seconds())
	for name, count := range rep.Counts {
		for _, side := range record.Sides {
			change, ok := strings.CutPrefix(name, side.String()+".")
			if ok && (change == "created" || change == "updated" || change == "deleted") {
				n.changes.WithLabelValues(job, string(systems[side]), change).Add(float64(count))
			}
		}
	}
	for _, a := range rep.Alerts {
		n.alerts.WithLabelValues(job, a.Kind).Inc()
	}
	if rep.Outcome == record.Done || rep.Outcome == record.Waits {
		n.mu.Lock()
		n.good[rep.Binding] = time.Now()
		n.mu.Unlock()
	}
}

// outcomeLabel is one word for an outcome, whatever its sentence says.
func outcomeLabel(o record.Outcome) string {
	switch o {
	case record.Done:
		return "done"
	case record.Waits:
		return "waits"
	case record.Halted:
		return "halted"
	case record.Failed:
		return "failed"
	case record.Broken:
		return "interrupted"
	case record.Running, record.Withdrawn:
	}
	return "other"
}

func (n *numbers) backup(at time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.backedUp = at
}

// What is read anew at each scrape.
var (
	descWaiting  = prometheus.NewDesc("nightporter_waiting", "Records of a job that are not simply in step, by why.", []string{jobLabel, "state"}, nil)
	descFound    = prometheus.NewDesc("nightporter_unwritten", "Records that are not written to a system until a person mends something, by why.", []string{jobLabel, "system", "finding"}, nil)
	descLists    = prometheus.NewDesc("nightporter_lists_doubtful", "Lists that were empty or not whole when they were last read, or were never read to their end.", []string{jobLabel, "system", "kind", "state"}, nil)
	descGood     = prometheus.NewDesc("nightporter_last_success_timestamp_seconds", "When a run of the job last ended well.", []string{jobLabel}, nil)
	descNext     = prometheus.NewDesc("nightporter_next_run_timestamp_seconds", "When the job is due by its cadence.", []string{jobLabel, "what"}, nil)
	descFails    = prometheus.NewDesc("nightporter_failures", "Runs of the job that failed in a row.", []string{jobLabel}, nil)
	descPaused   = prometheus.NewDesc("nightporter_paused", "Pauses of writes that hold now.", nil, nil)
	descBytes    = prometheus.NewDesc("nightporter_state_bytes", "Size of the state file and of its log.", []string{"part"}, nil)
	descBackup   = prometheus.NewDesc("nightporter_backup_timestamp_seconds", "When the state file was last copied.", nil, nil)
	descRequests = prometheus.NewDesc("nightporter_requests_total", "Requests sent to a system, by their priority.", []string{"system", "priority"}, nil)
	descRefused  = prometheus.NewDesc("nightporter_requests_refused_total", "Requests that a system refused for their number.", []string{"system"}, nil)
	descDoubted  = prometheus.NewDesc("nightporter_quotas_doubted", "Quotas of which a system's answers tell what is not believed.", []string{"system"}, nil)
	descWebhooks = prometheus.NewDesc("nightporter_webhooks_total", "Deliveries of webhooks, by what became of them.", []string{"system", "result"}, nil)
	descStrange  = prometheus.NewDesc("nightporter_webhook_events_unknown_total", "Events of webhooks that name nothing that a job waits for.", []string{"system"}, nil)
	descQueue    = prometheus.NewDesc("nightporter_requests_waiting", "Requests that wait for their turn.", []string{"system"}, nil)
)

// collector reads what is to be known at the moment it is asked.
type collector struct{ d *Daemon }

// Describe names what Collect gives.
func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		descWaiting, descFound, descLists, descGood, descNext, descFails, descPaused, descBytes, descBackup, descRequests, descRefused, descQueue, descDoubted, descWebhooks, descStrange,
		descEvents, descEventsHeld, descEventsGone, descSubscribed, descSubChanges, descPolled,
	} {
		ch <- d
	}
}

// scrapeWithin is how long the state file may take to answer a scrape.
const scrapeWithin = 5 * time.Second

// Collect reads it. What can't be read is missing, which is what an alert on absence
// is for.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeWithin)
	defer cancel()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	c.jobs(ctx, gauge)
	if pauses, err := c.d.store.Paused(ctx, time.Now()); err == nil {
		gauge(descPaused, float64(len(pauses)))
	}
	if s, err := c.d.store.Stats(ctx); err == nil {
		gauge(descBytes, float64(s.FileBytes), "file")
		gauge(descBytes, float64(s.WALBytes), "log")
	}
	c.backup(gauge)
	c.requests(ch, gauge)
	c.webhooks(ch)
	c.events(ctx, ch, gauge)
	c.subscriptions(ctx, ch, gauge)
}

// backup is when the state was last copied: 0 where it is to be and never was, so that the
// absence of a first copy can be seen.
func (c collector) backup(gauge gauge) {
	h, leave := c.d.enter()
	defer leave()
	c.d.seen.mu.Lock()
	defer c.d.seen.mu.Unlock()
	switch at := c.d.seen.backedUp; {
	case !at.IsZero():
		gauge(descBackup, float64(at.Unix()))
	case h.Config.Backup != nil:
		gauge(descBackup, 0)
	}
}

type gauge = func(d *prometheus.Desc, v float64, labels ...string)

func (c collector) jobs(ctx context.Context, gauge gauge) {
	h, leave := c.d.enter()
	defer leave()
	for _, b := range h.Order {
		if counts, err := c.d.store.Counts(ctx, b); err == nil {
			for state, n := range counts {
				gauge(descWaiting, float64(n), string(b), state)
			}
		}
		c.found(ctx, h, b, gauge)
		c.lists(ctx, h, b, gauge)
		c.d.seen.mu.Lock()
		if at, ok := c.d.seen.good[b]; ok {
			gauge(descGood, float64(at.Unix()), string(b))
		}
		c.d.seen.mu.Unlock()
	}
	failing := map[string]bool{}
	for _, s := range c.d.runner.Status() {
		if !s.Next.IsZero() {
			gauge(descNext, float64(s.Next.Unix()), s.Binding, s.What.String())
		}
		if !failing[s.Binding] {
			failing[s.Binding] = true
			gauge(descFails, float64(s.Fails), s.Binding)
		}
	}
}

// found is what is not written, by system and why.
func (c collector) found(ctx context.Context, h *house, b record.Binding, gauge gauge) {
	all, err := c.d.store.Findings(ctx, b)
	if err != nil {
		return
	}
	type where struct {
		side record.Side
		name record.FindingName
	}
	n := map[where]int{}
	for _, f := range all {
		if f.ForPerson() {
			n[where{f.Place.Side, f.Name}]++
		}
	}
	for at, k := range n {
		gauge(descFound, float64(k), string(b), string(h.Engine.Jobs[b].Sides[at.side].System), string(at.name))
	}
}

// lists is the lists of a job that ran by which nobody can tell what is not there.
func (c collector) lists(ctx context.Context, h *house, b record.Binding, gauge gauge) {
	ran, err := c.d.store.Runs(ctx, b, 2) // the last may be under way
	if err != nil || !slices.ContainsFunc(ran, func(r record.Run) bool { return !r.Ended.IsZero() }) {
		return
	}
	all, err := app.DoubtfulLists(ctx, c.d.store, b)
	if err != nil {
		return
	}
	for _, x := range all {
		side := h.Engine.Jobs[b].Sides[x.Side]
		gauge(descLists, 1, string(b), string(side.System), string(side.Kind), string(x.State))
	}
}

func (c collector) requests(ch chan<- prometheus.Metric, gauge gauge) {
	h, leave := c.d.enter()
	defer leave()
	for system, s := range h.Paces() {
		for p, n := range s.Sent {
			ch <- prometheus.MustNewConstMetric(descRequests, prometheus.CounterValue, float64(n), system, p.String())
		}
		ch <- prometheus.MustNewConstMetric(descRefused, prometheus.CounterValue, float64(s.Refused), system)
		waiting := 0
		for _, n := range s.Queue {
			waiting += n
		}
		gauge(descQueue, float64(waiting), system)
		gauge(descDoubted, float64(len(s.Doubts)), system)
	}
}

// webhooks is what became of deliveries; each is counted once.
func (c collector) webhooks(ch chan<- prometheus.Metric) {
	for system, n := range c.d.hooks.Counts() {
		ch <- prometheus.MustNewConstMetric(descStrange, prometheus.CounterValue, float64(n.Strange.Load()), string(system))
		unknown := n.Unknown.Load() // before Kept, of which it is a part
		for result, count := range map[string]int64{
			"kept": n.Kept.Load() - unknown, "unknown": unknown, "forged": n.Forged.Load(), "stale": n.Stale.Load(),
			"malformed": n.Malformed.Load(), "busy": n.Busy.Load(),
		} {
			ch <- prometheus.MustNewConstMetric(descWebhooks, prometheus.CounterValue, float64(count), string(system), result)
		}
	}
}
