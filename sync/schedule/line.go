package schedule

import "time"

// line is one What of one binding, with a copy of what the ledger keeps of it.
type line struct {
	what  What
	spec  *Spec     // nil or without slots: runs on request only
	since time.Time // slots after it count

	settled []Slot        // in the order of settling
	names   map[name]bool // of the settled slots
	newest  time.Time     // the latest At among settled

	seq, tried, done int64 // numbers of the newest request: filed, taken on by a run, answered

	slot Slot      // the slot to run next; zero for a run by cadence without a slot
	due  time.Time // when to run next by cadence; zero for never
	wake time.Time // when to look again

	looked time.Duration // monotonic: when slot, due and wake were worked out

	readySince time.Duration // monotonic; meaningful if ready
	ready      bool
	started    time.Duration // monotonic start of the last run; meaningful if ran
	ran        bool

	rest time.Duration // monotonic: a run was postponed until then; no run by cadence before
}

type name struct {
	civil string
	fold  int
}

func (l *line) keep(s Slot) {
	l.settled = append(l.settled, s)
	l.names[name{s.Civil, s.Fold}] = true
	if len(l.settled) >= 2*KeepSlots {
		old := len(l.settled) - KeepSlots
		for _, s := range l.settled[:old] {
			delete(l.names, name{s.Civil, s.Fold})
		}
		l.settled = append([]Slot(nil), l.settled[old:]...)
		l.newest = time.Time{}
		for _, s := range l.settled {
			l.newest = later(l.newest, s.At)
		}
	}
	l.newest = later(l.newest, s.At)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (l *line) has(s Slot) bool { return l.names[name{s.Civil, s.Fold}] }

// after returns the time after which slots count: the newest settled slot that is not in the future, or
// else since. Slots may have been settled while the clock was ahead. The slots before them were not run,
// and must not be left out.
func (l *line) after(now time.Time) time.Time {
	if !l.newest.IsZero() && !l.newest.After(now) {
		return l.newest
	}
	var after time.Time
	for _, s := range l.settled {
		if !s.At.After(now) {
			after = later(after, s.At)
		}
	}
	if after.IsZero() {
		if l.since.After(now) {
			l.since = now // the clock was ahead when the line was opened
		}
		after = l.since
	}
	return after
}

// look works out which slot is due by cadence at now, and when to look again.
func (l *line) look(job *Job, now time.Time, mono, splay time.Duration) {
	l.slot, l.due, l.wake, l.looked = Slot{}, time.Time{}, time.Time{}, mono
	if !l.spec.Timed() {
		return
	}
	after := l.after(now)
	slot := l.spec.Last(after, now)
	for range 2 { // the newest slot or, while that one waits for its splay, the slot before it
		if slot.IsZero() || l.has(slot) {
			break
		}
		due := job.due(l.spec, slot, splay)
		if l.slot.IsZero() || !due.After(now) {
			l.slot, l.due, l.wake = slot, due, due
		}
		if !due.After(now) {
			return
		}
		slot = l.spec.Last(after, slot.At.Add(-1))
	}
	if !l.slot.IsZero() {
		return
	}
	next, settled := l.spec.Next(now), false
	for !next.IsZero() && l.has(next) {
		next, settled = l.spec.Next(next.At), true
	}
	if next.IsZero() {
		l.wake = now.AddDate(0, 0, 1)
		return
	}
	l.wake = job.due(l.spec, next, splay)
	if settled && l.spec.Interval() {
		l.standIn(now, mono)
	}
}

// standIn keeps an interval going after the clock was set back over slots that were run already. These
// slots are not run again, and the next new slot may be hours away. Until then, standIn makes a run due
// every period of the monotonic clock. These runs have no slot.
func (l *line) standIn(now time.Time, mono time.Duration) {
	wait := time.Duration(0)
	if l.ran {
		wait = max(0, l.spec.Period()-(mono-l.started))
	}
	if at := now.Add(wait); at.Add(l.spec.Period()).Before(l.wake) {
		l.due, l.wake = at, at
	}
}

// asked reports whether a request waits for an answer.
func (l *line) asked() bool { return l.seq > l.done }
