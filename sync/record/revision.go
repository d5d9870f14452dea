package record

import "time"

// Revision is what a record's system itself says of the record's revision: when the link was settled,
// and now. It reveals an edit of fields that no job maps.
type Revision struct {
	Settled Sign // when the link was settled; a write of ours moves it on, as that is nobody's edit
	Now     Sign // as it was last shown
	Unsaid  bool // the answer to our last write did not say it: the first read after SettleUntil does
}

// Moved reports whether the record was changed since the link was settled, by what its system says and
// whatever its fields show. False also where the system says nothing, and so nothing is known.
func (r Revision) Moved() bool { return !r.Unsaid && r.Settled.Against(r.Now) }

// Against reports whether s and t tell of different revisions. A part that one of them lacks is not
// compared.
func (s Sign) Against(t Sign) bool {
	return s.Version != "" && t.Version != "" && s.Version != t.Version ||
		!s.Changed.IsZero() && !t.Changed.IsZero() && s.Changed.UnixMilli() != t.Changed.UnixMilli()
}

// With returns s with the version and the time of t in place of its own, where t has them.
func (s Sign) With(t Sign) Sign {
	if t.Version != "" {
		s.Version = t.Version
	}
	if !t.Changed.IsZero() {
		s.Changed = t.Changed
	}
	return s
}

// Settle makes the sign that was last shown the settled one.
func (r *Revision) Settle() { r.Settled, r.Unsaid = r.Now, false }

// Shown notes the sign s that a read showed. known counts as the settled sign if none was noted yet. The
// read was begun at the moment at, and the settle time of our last write ended at until: a change after
// until is not ours, whatever the answer to our write said.
func (r *Revision) Shown(s, known Sign, at, until time.Time) {
	if r.Settled.None() && !r.Unsaid {
		r.Settled, r.Now = known, known
	}
	r.Now = r.Now.With(s)
	if r.Unsaid {
		if r.Settled, r.Unsaid = r.Now, s.None() || at.Before(until); s.Changed.After(until) {
			r.Settled, r.Unsaid = Sign{Changed: until}, false
		}
		return
	}
	if !r.Moved() {
		r.Settled = r.Now.With(r.Settled) // takes over what is said for the first time
	}
}

// Answered notes the sign s of the answer to a write of ours. It does not hide an edit that was seen
// before the write and was not carried over. edited says that the record showed an edit that was carried
// over; whole says that the answer showed what was written.
func (r *Revision) Answered(s Sign, edited, whole bool) {
	if r.Moved() && !edited {
		r.Now = r.Now.With(s)
		return
	}
	r.Settled, r.Now, r.Unsaid = s, s, s.None() || !whole
}
