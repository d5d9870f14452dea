package merge

import (
	"time"

	"nightporter/sync/record"
)

// Seen is what one side shows of one field.
type Seen struct {
	Now     record.Value
	Base    record.Stored
	Key     []byte
	Changed time.Time // of the whole record
}

// unmoved reports whether the side still shows what was settled. All empty values count as the
// same: a null that became an empty text was not edited.
func (s *Seen) unmoved() bool {
	if !s.Now.Empty() {
		return s.Base.Same(s.Key, s.Now)
	}
	for _, none := range []record.Value{record.Nothing(), record.OfText(""), record.OfList(), record.OfMap(nil)} {
		if s.Base.Same(s.Key, none) {
			return true
		}
	}
	return false
}

// move is what a side did with a field since it was settled: the rows and columns of the tables.
// The move of a group is the greatest move of its fields.
type move uint8

const (
	hidden  move = iota // not shown: nobody knows
	still               // shown, as it was
	cleared             // emptied
	set                 // changed to a value
)

// field is one field of a link.
type field struct {
	rule *Rule
	seen [2]Seen
}

func (f *field) now(s record.Side) record.Value { return f.seen[s].Now }

// settled reports whether each side has a base. If one base is lost, nobody can say which side
// moved, so it is first contact again.
func (f *field) settled() bool {
	return f.seen[record.Left].Base.Known() && f.seen[record.Right].Base.Known()
}

func (f *field) shown() bool {
	return f.now(record.Left).Observed() && f.now(record.Right).Observed()
}

// same is l ≈ r, of two values that are shown.
func (f *field) same() bool {
	return f.shown() && f.rule.same(f.now(record.Left), f.now(record.Right))
}

func (f *field) move(s record.Side) move {
	now := f.now(s)
	switch {
	case !now.Observed():
		return hidden

	// Settled: measured against the side's own base, never against the other side.
	case f.settled() && f.seen[s].unmoved():
		return still
	case f.settled() && now.Empty():
		return cleared
	case f.settled():
		return set

	// First contact: there is no earlier state, so an empty value is no edit. Neither is a
	// value that agrees, or can't be compared yet. Any other value is to travel.
	case now.Empty(), f.same(), !f.shown():
		return still
	}
	return set
}

// unit is what is decided as one value: a field, or the fields of a group.
type unit struct {
	fields []field
	moves  [2]move // without hidden fields, so it is never hidden itself
	hidden [2]bool // a field of the unit is not shown there
	first  bool    // some field is not settled, and no settled one moved: what differs is at first contact
	skew   time.Duration
}

func newUnit(fields []field, skew time.Duration) *unit {
	u := &unit{fields: fields, moves: [2]move{still, still}, skew: skew}
	moved, fresh := false, false
	for i := range fields {
		f := &fields[i]
		for _, s := range record.Sides {
			m := f.move(s)
			u.hidden[s] = u.hidden[s] || m == hidden
			u.moves[s] = max(u.moves[s], m)
			moved = moved || f.settled() && m > still
		}
		fresh = fresh || !f.settled()
	}
	u.first = fresh && !moved
	return u
}

// hides reports whether a field of the unit is not shown on a side.
func (u *unit) hides() bool { return u.hidden[record.Left] || u.hidden[record.Right] }

// rule returns the rule that decides for the whole unit.
func (u *unit) rule() *Rule { return u.fields[0].rule }

// single reports whether the unit is one field: some policies can't weigh a group.
func (u *unit) single() bool { return len(u.fields) == 1 }

// all reports whether something is true of every field, any whether it is of one.
func (u *unit) all(is func(*field) bool) bool {
	for i := range u.fields {
		if !is(&u.fields[i]) {
			return false
		}
	}
	return true
}

func (u *unit) any(is func(*field) bool) bool {
	return !u.all(func(f *field) bool { return !is(f) })
}

func (u *unit) same() bool { return u.all((*field).same) }

// empty reports whether every field of side s is empty.
func (u *unit) empty(s record.Side) bool {
	return u.all(func(f *field) bool { return f.now(s).Empty() })
}

// lossy reports whether a standing difference is expected.
func (u *unit) lossy() bool {
	return u.all(func(f *field) bool { return f.rule.Lossy || !f.shown() || f.same() })
}
