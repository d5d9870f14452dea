package mapping

import "nightporter/sync/record"

// Normal returns the canonical value that a side would show after v was written to it. A side that can't
// keep a distinction shows less: two canonical words may have the same native word. native is what the
// side holds now, as far as it is known. The result is Absent if v can't be written or the side has no
// such field, and the constant if the side has a constant.
func (m *Mapping) Normal(side record.Side, field string, v record.Value, native record.Fields) record.Value {
	f, ok := m.byName[field]
	if !ok || !v.Observed() {
		return record.Value{}
	}
	s := &f.sides[side]
	native = Shown(native)
	switch {
	case !s.owns():
		return s.constant
	case f.As == Reference && v.Type() == record.Text: // resolved: it names the same entity on both sides
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

// Same reports whether the values of a field on both sides mean the same. They do if they are equal, or if
// one side would show its value after the other value was written to it. Two values that were not shown
// are the same.
func (m *Mapping) Same(field string, left, right record.Value) bool {
	if left.Equal(right) {
		return true
	}
	return m.gives(record.Right, field, left, right) || m.gives(record.Left, field, right, left)
}

// gives reports whether the side would show back after v was written to it. It is false for a constant: a
// constant stays the same whatever is written.
func (m *Mapping) gives(side record.Side, field string, v, back record.Value) bool {
	f, ok := m.byName[field]
	if !ok || !back.Observed() || !f.sides[side].owns() {
		return false
	}
	return m.Normal(side, field, v, nil).Equal(back)
}
