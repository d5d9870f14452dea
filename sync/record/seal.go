package record

import "strings"

// sealMark begins a text that stands for a value of which only a keyed digest is
// kept. No system's text begins so: it is a control character.
const sealMark = "\x01digest:"

// Seal is a text that stands for v and tells nothing but whether another value,
// sealed under the same key, is the same. An Absent value, and what is sealed
// already, stays as it is.
func Seal(key []byte, v Value) Value {
	if !v.Observed() || v.Sealed() {
		return v
	}
	return OfText(sealMark + keyed(key, v))
}

// Sealed reports whether v stands for a value of which only a digest is kept.
func (v Value) Sealed() bool { return v.typ == Text && strings.HasPrefix(v.text, sealMark) }

// Seal is f with each of its values sealed; nil stays nil.
func (f Fields) Seal(key []byte) Fields {
	if f == nil {
		return nil
	}
	out := make(Fields, len(f))
	for p, v := range f {
		out[p] = Seal(key, v)
	}
	return out
}

// Seal is k with its text sealed.
func (k Key) Seal(key []byte) Key {
	if !strings.HasPrefix(k.Text, sealMark) {
		k.Text = sealMark + keyed(key, OfList(OfText(k.Name), OfText(k.Text)))
	}
	return k
}
