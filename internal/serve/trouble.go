package serve

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"nightporter/connectors"
)

// passing is how long what may go by itself, such as a line that is down, may last
// before a person is told.
const passing = 10 * time.Minute

// troubles is why runs fail, by cause: what several jobs fail of, a key that is not
// known or a line that is down, is one trouble. A person is told of each once, and
// once when it is over; a log that says the same every minute is read by nobody.
type troubles struct {
	log *slog.Logger

	mu    sync.Mutex
	open  map[string]*trouble
	fails map[string]string // job -> key of the trouble it has
}

// trouble is one cause and whom it stops.
type trouble struct {
	since time.Time
	runs  int
	jobs  []string // that it stops now
	met   []string // that it stopped at any time
	told  bool
}

func newTroubles(log *slog.Logger) *troubles {
	return &troubles{log: log, open: map[string]*trouble{}, fails: map[string]string{}}
}

// failed notes a run that failed, and tells of it if nobody was told.
func (t *troubles) failed(ctx context.Context, job, what string, err error, now time.Time) {
	key, soon := cause(err)
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.fails[job]; old != "" && old != key {
		t.free(ctx, job, now)
	}
	is := t.open[key]
	if is == nil {
		is = &trouble{since: now}
		t.open[key] = is
	}
	t.fails[job] = key
	is.runs++
	if !slices.Contains(is.jobs, job) {
		is.jobs = append(is.jobs, job)
	}
	if !slices.Contains(is.met, job) {
		is.met = append(is.met, job)
	}
	attrs := []any{"job", job, "what", what, "error", err}
	switch {
	case is.told || soon && now.Sub(is.since) < passing:
		t.log.DebugContext(ctx, "run failed", attrs...)
	default:
		is.told = true
		t.log.ErrorContext(ctx, "runs fail until this is mended", append(attrs, "since", is.since.UTC())...)
	}
}

// ended notes a run that did not fail.
func (t *troubles) ended(ctx context.Context, job string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fails[job] != "" {
		t.free(ctx, job, now)
	}
}

// free takes a job out of its trouble, which is over when it was the last one.
func (t *troubles) free(ctx context.Context, job string, now time.Time) {
	key := t.fails[job]
	is := t.open[key]
	delete(t.fails, job)
	is.jobs = slices.DeleteFunc(is.jobs, func(j string) bool { return j == job })
	if len(is.jobs) > 0 {
		return
	}
	delete(t.open, key)
	if is.told {
		t.log.WarnContext(ctx, "runs go on again", "jobs", strings.Join(is.met, ", "), "failed_runs", is.runs,
			"lasted_s", now.Sub(is.since).Seconds())
	}
}

// cause names why a run failed, without what differs from run to run and from job to
// job: the record or the list that was asked for. soon says that it may go by itself.
func cause(err error) (key string, soon bool) {
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok {
		return err.Error(), false
	}
	key = string(e.Class) + " " + e.Hint
	switch e.Class {
	case connectors.Transient, connectors.Throttled, connectors.Ambiguous:
		return key, true
	case connectors.Malformed: // a proxy's page in place of an answer, for a minute
		soon = e.Status != 0
	}
	if e.Err != nil {
		key += " " + e.Err.Error()
	}
	return key, soon
}
