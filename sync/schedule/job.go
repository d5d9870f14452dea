package schedule

import (
	"fmt"
	"hash/fnv"
	"time"
)

// CatchUp says what happens to a slot that was missed.
type CatchUp int

const (
	// RunOnce runs the newest of the missed slots. Only if the run would be later than Job.MaxLateness,
	// the slot is left out. A MaxLateness of zero is no limit.
	RunOnce CatchUp = iota
	// Skip leaves a slot out if its run would be later than Job.MaxLateness. A MaxLateness of zero is
	// five minutes.
	Skip
)

const skipLateness = 5 * time.Minute

// Job says how the Runner runs one binding.
type Job struct {
	Binding           string
	Left, Right, Full *Spec    // their cadences; nil or without slots: that run is made on request only
	Quiet             []*Quiet // of all its systems: no run begins in the quiet hours of any of them
	Systems           []string // it reads and writes these; bindings that share one do not run side by side
	First             bool     // it keeps bookings: its runs start before others that are due
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
	Slot    Slot      // zero on request only, or where the clock was set back over slots that were run already
	Quiet   time.Time // when the next quiet hours begin: the run must end or stop by then; zero if there are none
	Fails   int       // failures of the binding in a row, so far
}

// period returns the shortest time between two slots of one of the job's cadences; zero if it has none.
func (j *Job) period() time.Duration {
	shortest := time.Duration(0)
	for _, s := range []*Spec{j.Left, j.Right, j.Full} {
		if p := s.Period(); p > 0 && (shortest == 0 || p < shortest) {
			shortest = p
		}
	}
	return shortest
}

// A binding that failed this many times in a row is in quarantine. Nobody has repaired it for about a
// day, so it is tried less often: every six hours, and from longQuarantine failures on once a day. A
// binding that keeps bookings is still tried every hour.
const (
	Quarantine     = 30
	longQuarantine = 58
)

// longest returns the longest wait after this many failures in a row.
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

// backoff returns how long a binding rests after this many failures in a row: its period, doubled with
// each further failure, but not more than longest.
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

// tooLate reports whether it is too late to run a slot that was due at due.
func (j *Job) tooLate(due, now time.Time) bool {
	limit := j.MaxLateness
	if j.CatchUp == Skip && limit == 0 {
		limit = skipLateness
	}
	return limit > 0 && now.Sub(due) > limit
}

// until returns when the quiet hours around t end, over the quiet hours of all systems. in is false if t
// is not in quiet hours.
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

// Often counts the runs of one line of the job over a number of days, beginning with the day of t. It
// returns how many runs an hour has on average, and how many at most. Slots in quiet hours count as one
// run, at the end of the quiet hours. Splay and failures are not counted in.
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

// nextQuiet returns when the next quiet hours after t begin; zero if there are none.
func (j *Job) nextQuiet(t time.Time) time.Time {
	var next time.Time
	for _, q := range j.Quiet {
		if n := q.Next(t); !n.IsZero() && (next.IsZero() || n.Before(next)) {
			next = n
		}
	}
	return next
}

// due returns when a slot is due: at its instant or, if that is in quiet hours, at their end. The splay
// is added to that. It is cut so that the slot is due before the next slot, and before the next quiet
// hours.
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

// Splay returns how much later than its slots a binding runs, so that not all bindings start at the full
// hour. The splay is in whole seconds, shorter than the period and than longest, and the same in every
// process. Cadences under two minutes have no splay: they share one wake-up a minute, and the limiter of
// each system spreads their calls.
func Splay(binding string, period, longest time.Duration) time.Duration {
	limit := min(period, longest)
	if period < 2*time.Minute || limit < time.Second {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(binding))                                         // a hash never fails
	return time.Duration(h.Sum64()%uint64(limit/time.Second)) * time.Second //nolint:gosec // limit is positive
}

// checkJobs returns an error if a job has no binding, or if two jobs have the same one.
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
