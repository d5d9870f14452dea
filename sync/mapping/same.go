package mapping

import "nightporter/sync/record"

// Normal is the canonical value that a side would give back after v was written to
// it: a side that can't hold a distinction gives back what it can. native is what
// the side holds now, as far as it is known. It is Absent where v can't be written,
// and where the side does not keep the field.
func (m *Mapping) Normal(side record.Side, field string, v record.Value, native record.Fields) record.Value {
	f, ok := m.byName[field]
	if !ok || !v.Observed() {
		return record.Value{}
	}
	s := &f.sides[side]
	switch {
	case !s.owns():
		return s.constant
	case f.As == Reference && v.Type() == record.Text: // resolved: it names the same on every side
		return v
	case s.pieces != nil && !native[s.Path].Observed():
		// Without the other pieces nobody knows where the text would be cut.
		return v
	}
	w, n := m.writeField(side, f, v, native)
	if n.bad() {
		return record.Value{}
	}
	out, _ := m.readField(side, f, native.With(w))
	return out
}

// Same reports whether both sides' values of a field mean the same: they are
// equal, or one is what that side would give back of the other. Two values that
// were not shown are the same.
func (m *Mapping) Same(field string, left, right record.Value) bool {
	if left.Equal(right) {
		return true
	}
	return m.gives(record.Right, field, left, right) || m.gives(record.Left, field, right, left)
}

// gives reports whether the side gives back `back` when v is written to it. A
// constant is no answer: it gives back the same whatever is written.
func (m *Mapping) gives(side record.Side, field string, v, back record.Value) bool {
	f, ok := m.byName[field]
	if !ok || !back.Observed() || !f.sides[side].owns() {
		return false
	}
	return m.Normal(side, field, v, nil).Equal(back)
}
