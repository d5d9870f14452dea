package record

import "strings"

// Respells reports whether two texts differ in case and spaces alone. Systems spell what they
// are sent in their own way, so that a new spelling may leave there what stood before.
func (v Value) Respells(w Value) bool {
	if v.typ != Text || w.typ != Text {
		return false
	}
	a := strings.Join(strings.Fields(v.text), "")
	return a != "" && strings.EqualFold(a, strings.Join(strings.Fields(w.text), ""))
}

// Cuts reports whether a text is the beginning of another, however it is spelt: what a system made of it
// that takes no more.
func (v Value) Cuts(whole Value) bool {
	if v.typ != Text || whole.typ != Text {
		return false
	}
	a, b := strings.TrimSpace(v.text), strings.TrimSpace(whole.text)
	return a != "" && len(a) < len(b) && strings.EqualFold(a, b[:len(a)])
}
