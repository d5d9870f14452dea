package record

import "strings"

// Respells reports whether two texts are the same but for case and spaces; false for blank texts and other
// types. Systems spell what they are sent in their own way: after we sent only a new spelling, a system may
// still hold the old one.
func (v Value) Respells(w Value) bool {
	if v.typ != Text || w.typ != Text {
		return false
	}
	a := strings.Join(strings.Fields(v.text), "")
	return a != "" && strings.EqualFold(a, strings.Join(strings.Fields(w.text), ""))
}

// Cuts reports whether v is only the beginning of whole, in whatever case. A system that takes no longer text
// may have cut it so. False for an empty v and for other types.
func (v Value) Cuts(whole Value) bool {
	if v.typ != Text || whole.typ != Text {
		return false
	}
	a, b := strings.TrimSpace(v.text), strings.TrimSpace(whole.text)
	return a != "" && len(a) < len(b) && strings.EqualFold(a, b[:len(a)])
}
