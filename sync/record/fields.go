package record

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
)

// Fields maps a field's name, or a path in a system's own record, to its value. A name that is missing
// counts as Absent: reading a missing key gives an Absent value.
type Fields map[string]Value

// Names returns the names of the observed fields, sorted.
func (f Fields) Names() []string {
	names := make([]string, 0, len(f))
	for k, v := range f {
		if v.Observed() {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	return names
}

// Clone returns a copy that can be changed.
func (f Fields) Clone() Fields { return maps.Clone(f) }

// Only returns what f has at these paths. A path that f lacks is left out.
func (f Fields) Only(paths []string) Fields {
	out := Fields{}
	for _, p := range paths {
		if v, ok := f[p]; ok {
			out[p] = v
		}
	}
	return out
}

// Differing returns the fields of f that have does not show with the same value.
func (f Fields) Differing(have Fields) Fields {
	out := Fields{}
	for k, v := range f {
		if !have[k].Equal(v) {
			out[k] = v
		}
	}
	return out
}

// With returns a copy of f in which the observed values of g replace those of f. What g does not show
// keeps the value of f.
func (f Fields) With(g Fields) Fields {
	out := make(Fields, len(f)+len(g))
	maps.Copy(out, f)
	for k, v := range g {
		if v.Observed() {
			out[k] = v
		}
	}
	return out
}

// Equal reports whether both show the same fields with the same values.
func (f Fields) Equal(g Fields) bool {
	return f.covers(g) && g.covers(f)
}

// Agrees reports whether every field that g shows has the same value in f. Fields that g does not show
// make no difference.
func (f Fields) Agrees(g Fields) bool { return f.covers(g) }

func (f Fields) covers(g Fields) bool {
	for k, v := range g {
		if v.Observed() && !f[k].Equal(v) {
			return false
		}
	}
	return true
}

// MarshalJSON returns the canonical encoding: keys are sorted, and absent values left out.
func (f Fields) MarshalJSON() ([]byte, error) { return appendDict(nil, f, false) }

// Digest is the first 16 bytes of a SHA-256. String gives them in hexadecimal.
type Digest string

// DigestOf returns the digest of b. The salt is what the meaning of b depends on, such as the fingerprint
// of a mapping.
func DigestOf(salt string, b []byte) Digest {
	h := sha256.New()
	h.Write([]byte(salt))
	h.Write([]byte{0})
	h.Write(b)
	var sum [sha256.Size]byte
	return Digest(h.Sum(sum[:0])[:16])
}

// Digester makes the same digests as DigestOf, for one salt and without an allocation for each. Only one
// goroutine may use it.
type Digester struct {
	buf    []byte
	salted int
	sum    [sha256.Size]byte
}

// NewDigester returns a Digester for a salt.
func NewDigester(salt string) *Digester {
	buf := append([]byte(salt), 0)
	return &Digester{buf: buf, salted: len(buf)}
}

// Sum returns the digest of b. The slice is valid until the next call of Sum.
func (d *Digester) Sum(b []byte) []byte {
	d.buf = append(d.buf[:d.salted], b...)
	d.sum = sha256.Sum256(d.buf)
	return d.sum[:16]
}

// Digest returns the digest of the canonical encoding.
func (f Fields) Digest() Digest {
	b, err := f.MarshalJSON()
	if err != nil { // absent values are left out, and nothing else can fail
		return ""
	}
	return DigestOf("fields", b)
}

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString([]byte(d)) }
