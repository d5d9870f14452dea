package schedule

import (
	"fmt"
	"hash/fnv"
	"time"
)

// CatchUp says what becomes of a slot that was missed.
type CatchUp int

const (
	// RunOnce runs the newest of the missed slots, unless it is later than
	// Job.MaxLateness; zero is no limit.
	RunOnce CatchUp = iota
	// Skip leaves out what is later than Job.MaxLateness; zero is five minutes.
	Skip
)

const skipLateness = 5 * time.Minute

// Job is one binding as the Runner is to run it.
type Job struct {
	Binding           string
	Left, Right, Full *Spec    // nil or without slots: that run is made on request only
	Quiet             []*Quiet // of all its systems: nothing is begun in any of them
	Systems           []string // what it reads and writes, for the rule which bindings run side by side
	First             bool     // it holds bookings: goes before others that are due
	CatchUp           CatchUp
	MaxLateness       time.Duration
	MaxBackoff        time.Duration // the longest wait after failures; zero is an hour, and longer in quarantine
}

func (j *Job) spec(w What) *Spec {
	switch w {
	case Left:
		return j.Left
	case Right:
		return j.Right
	case Full:
		return j.Full
	case Kick, Asked:
	}
	return nil
}

// Due is a run that is due now.
type Due struct {
	Binding string
	What    What
	Slot    Slot      // zero if requested, or if the clock was set back over slots that were run already
	Quiet   time.Time // the next quiet hours begin then: be done, or stop; zero if there are none
	Fails   int       // of the binding so far, in a row
}

// period is the shortest cadence of the job; zero if it has none.
func (j *Job) period() time.Duration {
	shortest := time.Duration(0)
	for _, s := range []*Spec{j.Left, j.Right, j.Full} {
		if p := s.Period(); p > 0 && (shortest == 0 || p < shortest) {
			shortest = p
		}
	}
	return shortest
}

// A binding that failed so often in a row is in quarantine: nobody mended it for a day
// or so, and it is tried more seldom, in the end once a day. One that holds bookings
// goes on being tried each hour.
const (
	Quarantine     = 30
	longQuarantine = 58
)

// longest is the longest wait after so many failures.
func (j *Job) longest(fails int) time.Duration {
	switch {
	case j.MaxBackoff > 0:
		return j.MaxBackoff
	case fails < Quarantine || j.First:
		return time.Hour
	case fails < longQuarantine:
		return 6 * time.Hour
	}
	return 24 * time.Hour
}

// backoff is how long a binding rests after its failures: the shortest cadence,
// doubled with each failure, at most what longest says.
func (j *Job) backoff(fails int) time.Duration {
	if fails == 0 {
		return 0
	}
	longest := j.longest(fails)
	wait := max(j.period(), time.Minute)
	for range fails - 1 {
		if wait >= longest {
			break
		}
		wait *= 2
	}
	return min(wait, longest)
}

// tooLate reports whether a slot that was due at due is not worth a run any more.
func (j *Job) tooLate(due, now time.Time) bool {
	limit := j.MaxLateness
	if j.CatchUp == Skip && limit == 0 {
		limit = skipLateness
	}
	return limit > 0 && now.Sub(due) > limit
}

// until returns when the quiet hours around t end, if t is in some.
func (j *Job) until(t time.Time) (end time.Time, in bool) {
	for end = t; ; in = true {
		later := end
		for _, q := range j.Quiet {
			if e, ok := q.Until(end); ok {
				later = e
			}
		}
		if later.Equal(end) {
			return end, in
		}
		end = later
	}
}

// Often returns how many runs an hour a line of the job has on average over the days that
// begin with that of t, and at most. What falls into quiet hours is made once, when they
// are over. Splay and failures are left out.
func (j *Job) Often(w What, t time.Time, days int) (anHour float64, most int) {
	s := j.spec(w)
	if !s.Timed() {
		return 0, 0
	}
	start, _ := s.day(t)
	_, end := s.day(t.AddDate(0, 0, days-1))
	n, last, hour := 0, time.Time{}, []time.Time(nil)
	for slot := s.Next(start.Add(-1)); !slot.IsZero() && slot.At.Before(end); slot = s.Next(slot.At) {
		at, _ := j.until(slot.At)
		if at.Equal(last) {
			continue
		}
		last = at
		n++
		hour = append(hour, at)
		for at.Sub(hour[0]) >= time.Hour {
			hour = hour[1:]
		}
		most = max(most, len(hour))
	}
	return float64(n) / end.Sub(start).Hours(), most
}

// nextQuiet returns when the next quiet hours after t begin; zero if never.
func (j *Job) nextQuiet(t time.Time) time.Time {
	var next time.Time
	for _, q := range j.Quiet {
		if n := q.Next(t); !n.IsZero() && (next.IsZero() || n.Before(next)) {
			next = n
		}
	}
	return next
}

// due returns when a slot is due: at its instant, or when the quiet hours around
// that end, and then by its splay later; never at or after the next slot, and
// never in or beyond quiet hours that come.
func (j *Job) due(s *Spec, slot Slot, longest time.Duration) time.Time {
	at, _ := j.until(slot.At)
	splay := Splay(j.Binding, s.Period(), longest)
	if splay == 0 {
		return at
	}
	room := splay + time.Second
	if next := s.Next(slot.At); !next.IsZero() {
		room = min(room, next.At.Sub(at))
	}
	if quiet := j.nextQuiet(at); !quiet.IsZero() {
		room = min(room, quiet.Sub(at))
	}
	if room = room.Truncate(time.Second); room <= 0 {
		return at
	}
	return at.Add(splay % room)
}

// Splay is how much later than its slots a binding runs, so that not everything
// starts at the full hour: whole seconds, below the period and below longest, the
// same in every process. Cadences under two minutes have none: they share one
// wake-up a minute, and the limiter of each system spreads their calls.
func Splay(binding string, period, longest time.Duration) time.Duration {
	limit := min(period, longest)
	if period < 2*time.Minute || limit < time.Second {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(binding))                                         // a hash takes everything
	return time.Duration(h.Sum64()%uint64(limit/time.Second)) * time.Second //nolint:gosec // limit is positive
}

// checkJobs refuses a set of jobs in which a binding has no name or two.
func checkJobs(jobs []Job) error {
	seen := map[string]bool{}
	for _, j := range jobs {
		if j.Binding == "" {
			return fmt.Errorf("schedule jobs: a job without a binding; name it")
		}
		if seen[j.Binding] {
			return fmt.Errorf("schedule jobs: binding %q twice; give each job its own", j.Binding)
		}
		seen[j.Binding] = true
	}
	return nil
}
