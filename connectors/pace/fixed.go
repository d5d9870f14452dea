package pace

import "time"

// fixed is a quota that starts anew at a moment. Nobody knows that moment exactly:
// the system's window begins somewhere between the sending of a request and its
// answer, and what answers tell is cut to seconds. So there are two ends. Nothing
// is sent for the next window before the late one, and what was answered after the
// early one is counted in both windows.
type fixed struct {
	name    string
	limit   int
	kept    int
	per     time.Duration
	learned bool
	heard   time.Time // when an answer told of it last
	tried   time.Time // when a request went although it says no
	belied  bool      // that request was taken

	open        bool
	early, late time.Time // the end lies between; late is zero until an answer tells
	first       time.Time // when the first request that surely belongs to it was sent
	used        int
	ours        int // of used, those that we know of
	booked      int
	flying      int
	carry       int // answered after early
	last        time.Time
	lastDone    time.Time
}

// end is when the window is surely over.
func (f *fixed) end() (time.Time, bool) {
	switch {
	case !f.late.IsZero():
		return f.late, true
	case f.flying == 0:
		return f.lastDone.Add(f.per), true
	}
	return time.Time{}, false
}

// roll closes a window that is over.
func (f *fixed) roll(now time.Time) {
	end, known := f.end()
	if !f.open || !known || now.Before(end) {
		return
	}
	carried := f.carry + f.flying
	f.used, f.ours, f.booked, f.carry, f.first = carried, carried, 0, 0, time.Time{}
	f.open = carried > 0
	f.early = f.early.Add(f.per)
	f.late = now.Add(f.per)
}

// asTold is when the next request may go if all is true that was told of the quota.
func (f *fixed) asTold(now time.Time, booking bool) time.Time {
	f.roll(now)
	if !f.open {
		return now
	}
	end, _ := f.end() // zero: only an answer can tell
	if booking {
		if f.used < f.limit {
			return now
		}
		return end
	}
	release := f.early.Add(-f.per / 10)
	usable := f.limit
	if now.Before(release) {
		usable -= max(0, f.kept-f.booked)
	}
	if f.used >= usable {
		if f.used < f.limit {
			return release
		}
		return end
	}
	return f.spread(now, usable)
}

// spread lets the first half go as it comes, and the second in even steps, so that
// nobody stands before an empty quota for long.
func (f *fixed) spread(now time.Time, usable int) time.Time {
	if f.used*2 < usable || f.last.IsZero() {
		return now
	}
	stop := f.early.Add(-f.per / 50)
	return f.last.Add(max(0, stop.Sub(f.last)) / time.Duration(usable-f.used))
}

func (f *fixed) take(now time.Time, booking bool) {
	f.tryOut(now, booking)
	f.roll(now)
	if !f.open {
		f.open, f.early, f.late, f.used, f.ours, f.booked, f.carry = true, now.Add(f.per), time.Time{}, 0, 0, 0, 0
	}
	if f.first.IsZero() {
		// What was carried over may have begun a window, or may not have.
		f.first, f.late = now, time.Time{}
	}
	f.used++
	f.ours++
	f.flying++
	if booking {
		f.booked++
		return
	}
	f.last = now
}

func (f *fixed) done(granted, now time.Time, _, answered bool) {
	f.flying--
	f.lastDone = now
	if answered && f.late.IsZero() && !granted.Before(f.first) {
		f.late = now.Add(f.per)
	}
	if f.open && now.After(f.early) {
		f.carry++
	}
}

// tell takes over what an answer said of this quota.
func (f *fixed) tell(t Told, granted, now time.Time, refused bool) {
	f.believe(t, now, refused)
	defer func() { f.ours = min(f.ours, f.used) }()
	if f.learned {
		f.per = max(f.per, t.Per, t.Reset, time.Second)
	}
	f.roll(now)
	if !f.open {
		f.open, f.first, f.early, f.late = true, granted, granted.Add(f.per), now.Add(f.per)
	}
	used := f.used
	if t.Remaining >= 0 {
		used = max(f.limit-t.Remaining, 0) + f.flying
	}
	early, late := granted.Add(t.Reset-time.Second), now.Add(t.Reset+time.Second)
	if t.Reset < 0 || t.Reset > f.per+time.Second {
		f.used = max(f.used, used)
		return
	}
	same := f.open && !f.late.IsZero() && !early.After(f.late) && !late.Before(f.early)
	if same {
		f.early, f.late, f.used = latest(f.early, early), earliest(f.late, late), max(f.used, used)
	}
	if !same || f.late.Before(f.early) {
		f.early, f.late, f.used, f.carry = early, late, used, 0
		f.booked = min(f.booked, used)
	}
	if f.first.IsZero() {
		f.first = granted
	}
}

func (f *fixed) left(now time.Time) Left {
	f.roll(now)
	l := Left{Quota: f.name, Learned: f.learned, Limit: f.limit, Left: f.limit, Kept: f.kept}
	if !f.open {
		return l
	}
	l.Left = max(0, f.limit-f.used)
	l.Kept = 0
	if now.Before(f.early.Add(-f.per / 10)) {
		l.Kept = min(l.Left, max(0, f.kept-f.booked))
	}
	l.Resets, _ = f.end()
	if f.limit == unsaid {
		l.Limit = 0
	}
	return l
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
