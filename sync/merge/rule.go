package merge

import "nightporter/sync/record"

// Policy says which value stays when both sides changed a field to different values.
type Policy string

// The policies. An empty or unknown one decides nothing: the field is held.
const (
	LeftWins  Policy = "left"
	RightWins Policy = "right"
	Newest    Policy = "newest"     // the side whose record changed last, where clocks can tell
	Union     Policy = "union"      // a set: what either side added or removed is added or removed on both
	Max       Policy = "max"        // the larger value
	Min       Policy = "min"        // the smaller value
	FillEmpty Policy = "fill_empty" // write into an empty field only, never over a value
	Rules     Policy = "rules"      // a status: Rule.Machine says which steps there are
	Consent   Policy = "consent"    // a revoke beats a grant, whichever side and whenever
	Person    Policy = "hold"       // only a person decides
)

// Overtaken is the policy of a question that is asked again: a person had answered, and an edit overtook the
// answer before it was carried out. No configuration has it.
const Overtaken = "overtaken"

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
// Fields of one Group are decided together. Policy, Initial, To, Enforce and Machine of the
// group's first field then hold for the whole group; Clear, Required, Same and Lossy are
// each field's own.
type Rule struct {
	Field string // canonical name
	Group string // "" for a field of its own

	Policy  Policy    // decides if both sides changed it
	Initial Policy    // decides on first contact; "": Policy, or the origin of a one-way field wins
	To      Direction // where it may be written
	Enforce bool      // an edit that may not travel is written over, not only shown
	Clear   Clear     // decides if one side emptied it
	// Required says that we never empty the field: a write that would empty it is held.
	Required bool
	// Once says that the field is written with a create and never after. A merge decides nothing about it.
	Once bool

	Machine *Machine // for Rules
	// Same reports l ≈ r: r is what the right side would make of l, or l is what the left
	// side would make of r. It is called only with two values that are not empty. Nil means
	// Equal. For Union the same elements in another order are the same as well.
	Same func(l, r record.Value) bool
	// Element returns an element's key, for Union. Nil: the key is the element's encoding.
	Element func(record.Value) string
	// Lossy says that the sides can't hold the same value: a lasting difference is expected.
	Lossy bool
}

// same reports l ≈ r. All empty values are the same, however they are spelt. An empty value
// is never the same as a filled one: a side that can't hold a value did not clear it.
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
