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
	"nightporter/sync/engine"
	"nightporter/sync/schedule"
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
	fails map[attempt]string // the key of the trouble it has
}

// attempt is what is tried again until it ends well: of a job whose other side can't be
// read, the runs that read this one may well go on.
type attempt struct{ job, what string }

// trouble is one cause and whom it stops.
type trouble struct {
	since time.Time
	runs  int
	stops []attempt
	jobs  []string // that it stopped at any time
	told  bool
}

func newTroubles(log *slog.Logger) *troubles {
	return &troubles{log: log, open: map[string]*trouble{}, fails: map[attempt]string{}}
}

// failed notes a run that failed, and tells of it if nobody was told.
func (t *troubles) failed(ctx context.Context, job, what string, err error, now time.Time) {
	key, soon := cause(job, err)
	try := attempt{job, what}
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.fails[try]; old != "" && old != key {
		t.free(ctx, try, now)
	}
	is := t.open[key]
	if is == nil {
		is = &trouble{since: now}
		t.open[key] = is
	}
	t.fails[try] = key
	is.runs++
	if !slices.Contains(is.stops, try) {
		is.stops = append(is.stops, try)
	}
	if !slices.Contains(is.jobs, job) {
		is.jobs = append(is.jobs, job)
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

// ended notes a run that did not fail. One that compared both sides whole has tried
// all that the job does.
func (t *troubles) ended(ctx context.Context, job, what string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for try := range t.fails {
		if try.job == job && (try.what == what || what == schedule.Full.String()) {
			t.free(ctx, try, now)
		}
	}
}

// free takes an attempt out of its trouble, which is over when it was the last one.
func (t *troubles) free(ctx context.Context, try attempt, now time.Time) {
	key := t.fails[try]
	is := t.open[key]
	delete(t.fails, try)
	is.stops = slices.DeleteFunc(is.stops, func(a attempt) bool { return a == try })
	if len(is.stops) > 0 {
		return
	}
	delete(t.open, key)
	if is.told {
		t.log.WarnContext(ctx, "runs go on again", "jobs", strings.Join(is.jobs, ", "), "failed_runs", is.runs,
			"lasted_s", now.Sub(is.since).Seconds())
	}
}

// cause names why a run failed, without what differs from run to run and from job to
// job: the record or the list that was asked for. soon says that it may go by itself.
func cause(job string, err error) (key string, soon bool) {
	if errors.Is(err, engine.ErrHalted) { // its text counts records, and they come and go
		return "halted " + job, false
	}
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok {
		return err.Error(), false
	}
	class := string(e.Class)
	switch e.Class {
	case connectors.Transient, connectors.Throttled, connectors.Ambiguous:
		return class + " " + e.Hint, true
	case connectors.Malformed:
		if e.Status == 0 { // a table that is not as it was: whatever is missed first
			return class + " " + job, false
		}
		return class + " " + e.Hint, true // a proxy's page in place of an answer, for a minute
	case connectors.Unauthorized, connectors.Forbidden:
		return class + " " + e.Hint, false
	case connectors.Stale, connectors.Rejected, connectors.Refused, connectors.NotFound, connectors.OutOfScope, connectors.Moved,
		connectors.Exists, connectors.Unsupported:
	}
	return class + " " + job + " " + e.Hint, false
}
