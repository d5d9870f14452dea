package merge

import "nightporter/sync/record"

// Policy says which value stays when both sides changed a field to different values.
type Policy string

// The policies. An empty or unknown one decides nothing: the field is held.
const (
	LeftWins  Policy = "left"
	RightWins Policy = "right"
	Newest    Policy = "newest"     // the side whose record changed last, where clocks can tell
	Union     Policy = "union"      // a set: what either added is added, what either removed is removed
	Max       Policy = "max"        // the larger value
	Min       Policy = "min"        // the smaller value
	FillEmpty Policy = "fill_empty" // write into an empty field only, never over a value
	Rules     Policy = "rules"      // a status: Rule.Machine says which steps there are
	Consent   Policy = "consent"    // a revoke beats a grant, whichever side and whenever
	Person    Policy = "hold"       // nobody but a person
)

// Known reports whether p is one of the policies.
func (p Policy) Known() bool {
	switch p {
	case LeftWins, RightWins, Newest, Union, Max, Min, FillEmpty, Rules, Consent, Person:
		return true
	}
	return false
}

// wins is the policy by which a side wins.
func wins(s record.Side) Policy {
	if s == record.Left {
		return LeftWins
	}
	return RightWins
}

// Clear says what becomes of a field that one side emptied while the other left it
// alone.
type Clear string

// The ways to treat an emptied field. The zero value is Propagate.
const (
	Propagate   Clear = "propagate" // empty it on the other side too
	IgnoreClear Clear = "ignore"    // each side keeps what it has
	HoldClear   Clear = "hold"      // a person decides
)

// Direction says to which sides a field may be written.
type Direction uint8

// The directions.
const (
	Both Direction = iota
	ToLeft
	ToRight
)

// receiver is the side that a one-way field is written to.
func (d Direction) receiver() record.Side {
	if d == ToLeft {
		return record.Left
	}
	return record.Right
}

// allows reports whether the field may be written to side s.
func (d Direction) allows(s record.Side) bool { return d == Both || d.receiver() == s }

// Rule says how one field is kept in step. It is not changed by a merge.
//
// Fields of one Group are decided together; Policy, Initial, To, Enforce and Machine
// are then those of the group's first field, Clear, Required, Same and Lossy each
// field's own.
type Rule struct {
	Field string // canonical name
	Group string // "" for a field of its own

	Policy  Policy    // when both sides changed it
	Initial Policy    // on first contact; "" is Policy, or the origin of a one-way field
	To      Direction // where it may be written
	Enforce bool      // an edit that may not travel is written back, not only shown
	Clear   Clear     // when one side emptied it
	// Required says that it is never emptied by us: whatever would do so is held.
	Required bool
	// Once says that it is given with a create and never after: nothing is decided about it.
	Once bool

	Machine *Machine // for Rules
	// Same says l ≈ r: r is what the right side would make of l, or l what the left
	// would make of r. It is asked only of two values that are not empty. Nil means
	// Equal; for Union also the same elements in another order.
	Same func(l, r record.Value) bool
	// Element is an element's key, for Union. Nil is its encoding.
	Element func(record.Value) string
	// Lossy says that the sides can't hold the same: a standing difference is expected.
	Lossy bool
}

// same is l ≈ r. Nothing is nothing however it is spelt, and never the same as
// something: a side that can't hold a value did not clear it.
func (r *Rule) same(l, w record.Value) bool {
	switch {
	case l.Empty() || w.Empty():
		return l.Empty() && w.Empty()
	case l.Equal(w):
		return true
	case r.Same != nil && r.Same(l, w):
		return true
	}
	return r.Policy == Union && r.sameElements(l, w)
}
