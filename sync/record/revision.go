package record

import "time"

// Revision is what a record's system says by itself of its revision: how it stood when the link
// was settled, and how it stands now. It tells of an edit of what no job maps.
type Revision struct {
	Settled Sign // when the link was settled; a write of ours, which is nobody's edit, takes it along
	Now     Sign // as it was shown last
	Unsaid  bool // our last write was not answered with it: the first read after it settled says it
}

// Moved reports whether the record was changed since the link was settled, by what its system
// says, whatever its fields show. Where that says nothing, nothing is known.
func (r Revision) Moved() bool { return !r.Unsaid && r.Settled.Against(r.Now) }

// Against reports whether both tell of different revisions. What one of them does not say is not
// compared.
func (s Sign) Against(t Sign) bool {
	return s.Version != "" && t.Version != "" && s.Version != t.Version ||
		!s.Changed.IsZero() && !t.Changed.IsZero() && s.Changed.UnixMilli() != t.Changed.UnixMilli()
}

// With is a sign with what another one says in its place.
func (s Sign) With(t Sign) Sign {
	if t.Version != "" {
		s.Version = t.Version
	}
	if !t.Changed.IsZero() {
		s.Changed = t.Changed
	}
	return s
}

// Settle has the record be settled as it was shown last.
func (r *Revision) Settle() { r.Settled, r.Unsaid = r.Now, false }

// Shown notes what a read showed. known is what is known of it where nothing was noted yet.
// The read was begun at a moment, and our last write settled at until: what was changed after that
// was not changed by us, whatever its answer said.
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
		r.Settled = r.Now.With(r.Settled) // what is said for the first time
	}
}

// Answered notes what the answer to a write of ours said. It hides no edit that was seen before
// and has not gone over; edited says that the record showed one that has. whole says that the
// answer showed what was written.
func (r *Revision) Answered(s Sign, edited, whole bool) {
	if r.Moved() && !edited {
		r.Now = r.Now.With(s)
		return
	}
	r.Settled, r.Now, r.Unsaid = s, s, s.None() || !whole
}
