package serve

import (
	"cmp"
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

// mostCauses is how many causes what is tried may have until it ends well. One of which
// each run ends with a sentence of its own is one trouble from then on.
const mostCauses = 8

// troubles is why runs fail, by cause: what several jobs fail of, a key that is not
// known or a line that is down, is one trouble. A person is told of each once, and
// once when it is over; a log that says the same every minute is read by nobody.
type troubles struct {
	log *slog.Logger

	mu    sync.Mutex
	open  map[string]*trouble
	fails map[attempt]time.Time // since when it fails
}

// attempt is what is tried again until it ends well: of a job whose other side can't be
// read, the runs that read this one may well go on.
type attempt struct{ job, what string }

// trouble is one cause and whom it stops.
type trouble struct {
	since time.Time
	runs  int
	stops []attempt // that failed of it and did not end well since, whatever they fail of now
	jobs  []string  // that it stopped at any time
	told  bool
}

func newTroubles(log *slog.Logger) *troubles {
	return &troubles{log: log, open: map[string]*trouble{}, fails: map[attempt]time.Time{}}
}

// failed notes a run that failed, and tells of it if nobody was told. What takes turns
// with another cause, a line that is down now and slow then, has lasted as long as both.
func (t *troubles) failed(ctx context.Context, job, what string, err error, now time.Time) {
	key, soon := cause(job, err)
	try := attempt{job, what}
	t.mu.Lock()
	defer t.mu.Unlock()
	since, again := t.fails[try]
	if !again || now.Before(since) { // the clock was set back
		since = now
		t.fails[try] = since
	}
	is := t.open[key]
	if is == nil && t.causes(try) >= mostCauses {
		key = "many causes " + job
		is = t.open[key]
	}
	if is == nil {
		is = &trouble{since: since}
		t.open[key] = is
	}
	if since.Before(is.since) || now.Before(is.since) {
		is.since = since
	}
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

// causes is how many open troubles an attempt has.
func (t *troubles) causes(try attempt) int {
	n := 0
	for _, is := range t.open {
		if slices.Contains(is.stops, try) {
			n++
		}
	}
	return n
}

// ended notes a run that did not fail. One that compared both sides whole has tried
// all that the job does.
func (t *troubles) ended(ctx context.Context, job, what string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free(ctx, now, func(try attempt) bool {
		return try.job == job && (try.what == what || what == schedule.Full.String())
	})
}

// keep forgets what the jobs that there are from now on don't try any more: nothing
// would ever end it, and who fails of the same years later would be told of by nobody.
func (t *troubles) keep(ctx context.Context, tried map[attempt]bool, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free(ctx, now, func(try attempt) bool { return !tried[try] })
}

// triedBy is what jobs try of themselves.
func triedBy(jobs []schedule.Job) map[attempt]bool {
	tried := map[attempt]bool{}
	for _, j := range jobs {
		for what, spec := range map[schedule.What]*schedule.Spec{schedule.Left: j.Left, schedule.Right: j.Right, schedule.Full: j.Full} {
			tried[attempt{j.Binding, what.String()}] = spec.Timed()
		}
		tried[attempt{j.Binding, schedule.Kick.String()}] = true
	}
	return tried
}

// free takes attempts out of their troubles. One is over when its last is.
func (t *troubles) free(ctx context.Context, now time.Time, over func(attempt) bool) {
	for try := range t.fails {
		if over(try) {
			delete(t.fails, try)
		}
	}
	for key, is := range t.open {
		before := len(is.stops)
		is.stops = slices.DeleteFunc(is.stops, over)
		if len(is.stops) > 0 || before == 0 {
			continue
		}
		delete(t.open, key)
		if is.told {
			t.log.WarnContext(ctx, "runs go on again", "jobs", strings.Join(is.jobs, ", "), "failed_runs", is.runs,
				"lasted_s", now.Sub(is.since).Seconds())
		}
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
		return unnumbered(err.Error()), false
	}
	class, at := string(e.Class), cmp.Or(e.Host, e.Hint)
	switch e.Class {
	case connectors.Transient, connectors.Throttled, connectors.Ambiguous:
		return "away " + at, true // now it is silent, now it is busy
	case connectors.Malformed:
		if e.Status == 0 { // a table that is not as it was: whatever is missed first
			return class + " " + job, false
		}
		return "away " + at, true // a proxy's page in place of an answer, for a minute
	case connectors.Unauthorized, connectors.Forbidden:
		return class + " " + at, false
	case connectors.Stale, connectors.Rejected, connectors.Refused, connectors.NotFound, connectors.OutOfScope, connectors.Moved,
		connectors.Exists, connectors.Unsupported:
	}
	return class + " " + job + " " + e.Hint, false
}

// unnumbered is a text without its numbers: those of a run, of a record or of the clock
// are others each time.
func unnumbered(text string) string {
	in := false
	return strings.Map(func(r rune) rune {
		was := in
		in = r >= '0' && r <= '9'
		switch {
		case in && was:
			return -1
		case in:
			return '#'
		}
		return r
	}, text)
}
