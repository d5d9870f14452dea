package record

import "strings"

// sealMark begins a text that stands for a value that is kept only as a keyed digest. No system's text begins
// like this, as it is a control character.
const sealMark = "\x01digest:"

// Seal returns a text that stands for v. The text tells only whether another value, sealed under the same
// key, is the same. An Absent value, and a value that is sealed already, stays as it is.
func Seal(key []byte, v Value) Value {
	if !v.Observed() || v.Sealed() {
		return v
	}
	return OfText(sealMark + keyed(key, v))
}

// Sealed reports whether v stands for a value that is kept only as a digest.
func (v Value) Sealed() bool { return v.typ == Text && strings.HasPrefix(v.text, sealMark) }

// Seal returns f with each value sealed; nil stays nil.
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

// Seal returns k with its text sealed.
func (k Key) Seal(key []byte) Key {
	if !strings.HasPrefix(k.Text, sealMark) {
		k.Text = sealMark + keyed(key, OfList(OfText(k.Name), OfText(k.Text)))
	}
	return k
}
