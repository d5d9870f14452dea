package pace

import "time"

// mostSilence is how long the word of an answer that was no refusal keeps requests
// back. What is longer is more often a wrong unit than a quota: one request is sent
// then, and its answer tells which.
const mostSilence = 15 * time.Minute

// Doubt is a quota of which answers tell what is not believed.
type Doubt struct {
	Quota  string    // the header's name, or the quota's
	Until  time.Time // nothing may be sent before, it says; zero where only an answer can tell
	Next   time.Time // when one request is sent all the same
	Belied bool      // one was, and was taken: the quota does not count any more
}

// word reports whether what keeps requests back is the word of an answer, and not
// the configuration or our own count.
func (f *fixed) word() bool { return f.learned || f.used >= f.limit && f.ours < f.limit }

// ready is when the next request may go, by what is believed of the quota.
func (f *fixed) ready(now time.Time, booking bool) time.Time {
	at := f.asTold(now, booking)
	switch {
	case at.IsZero() || !f.word():
		return at
	case f.belied:
		return now
	}
	return earliest(at, f.trial())
}

// trial is when one request is sent whatever the quota says.
func (f *fixed) trial() time.Time { return latest(f.heard, f.tried).Add(mostSilence) }

// tryOut notes a request that goes although the quota, as it was told, says no.
func (f *fixed) tryOut(now time.Time, booking bool) {
	if f.word() && f.asTold(now, booking).After(now) {
		f.tried = now
	}
}

// believe takes a quota at its word again where that is plausible, or where a refusal
// says so too.
func (f *fixed) believe(t Told, now time.Time, refused bool) {
	f.heard = now
	if t.Reset >= 0 && t.Reset <= mostSilence || refused && t.Remaining == 0 {
		f.belied = false
	}
}

// taken notes that a request was not refused: if it went although the quota said no, and
// the quota still says no for long, the quota is wrong.
func (f *fixed) taken(granted, now time.Time, booking bool) {
	at := f.asTold(now, booking)
	if f.word() && !f.tried.IsZero() && !granted.Before(f.tried) && at.After(now.Add(mostSilence)) {
		f.belied = true
	}
}

// doubt is what is not believed of the quota.
func (f *fixed) doubt(now time.Time) (Doubt, bool) {
	at := f.asTold(now, false)
	if !f.word() || at.IsZero() || !at.After(now) || !f.belied && !at.After(f.trial()) {
		return Doubt{}, false
	}
	end, _ := f.end()
	d := Doubt{Quota: f.name, Until: end, Belied: f.belied}
	if !f.belied {
		d.Next = latest(f.trial(), now)
	}
	return d, true
}

// quotas are those of which answers may tell.
func (l *Limiter) quotas(do func(*fixed)) {
	for _, w := range l.laws {
		if f, ok := w.(*fixed); ok {
			do(f)
		}
	}
	for _, f := range l.told {
		do(f)
	}
}
