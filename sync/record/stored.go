package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Stored is a value as the checkpoint store keeps it: the value itself, or only a
// keyed digest of it where a house does not want its guests' data in a second
// place. A digest can tell "still the same" from "changed", and nothing else.
type Stored struct {
	value  Value
	digest string
}

// Keep keeps a value as it is.
func Keep(v Value) Stored { return Stored{value: v} }

// KeepDigest keeps only an HMAC-SHA-256 of v under key. An Absent value stays Absent.
func KeepDigest(key []byte, v Value) Stored {
	if !v.Observed() {
		return Stored{}
	}
	return Stored{digest: keyed(key, v)}
}

func keyed(key []byte, v Value) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(v.Encode()))
	return hex.EncodeToString(m.Sum(nil)[:16])
}

// StoredOf is the inverse of Stored.Value: a sealed v gives its digest, any other v is kept as it is.
func StoredOf(v Value) Stored {
	if v.Sealed() {
		return Stored{digest: strings.TrimPrefix(v.text, sealMark)}
	}
	return Keep(v)
}

// Plain returns the value, and whether it was kept as it is; false if only a digest was kept.
func (s Stored) Plain() (Value, bool) { return s.value, s.digest == "" }

// Known reports whether anything was kept.
func (s Stored) Known() bool { return s.digest != "" || s.value.Observed() }

// Same reports whether v is the value that was kept. key is the one that a digest was made with; a value
// that was kept as it is needs none.
func (s Stored) Same(key []byte, v Value) bool {
	if s.digest == "" {
		return s.value.Equal(v)
	}
	return v.Observed() && hmac.Equal([]byte(s.digest), []byte(keyed(key, v)))
}

// Digested reports whether only a digest was kept.
func (s Stored) Digested() bool { return s.digest != "" }

// Value returns what was kept: the value, or a sealed text that stands for it if only a digest was kept.
func (s Stored) Value() Value {
	if s.digest != "" {
		return OfText(sealMark + s.digest)
	}
	return s.value
}

// MarshalJSON writes {"v": value} or {"d": "digest"}.
func (s Stored) MarshalJSON() ([]byte, error) {
	if s.digest != "" {
		return json.Marshal(map[string]string{"d": s.digest})
	}
	return appendDict(nil, map[string]Value{"v": s.value}, false)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Stored) UnmarshalJSON(b []byte) error {
	var w struct {
		V Value  `json:"v"`
		D string `json:"d"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("decode stored value: %w", err)
	}
	*s = Stored{value: w.V, digest: w.D}
	return nil
}

// Base is what a side was last seen to hold when its link was settled: native
// path to stored value.
type Base map[string]Stored

// BaseOf makes a base of the observed fields of f, each kept as it is.
func BaseOf(f Fields) Base {
	b := make(Base, len(f))
	for k, v := range f {
		if v.Observed() {
			b[k] = Keep(v)
		}
	}
	return b
}

// Fields returns the values that were kept as they are, and none that was kept as a digest.
func (b Base) Fields() Fields {
	f := make(Fields, len(b))
	for k, s := range b {
		if v, ok := s.Plain(); ok {
			f[k] = v
		}
	}
	return f
}
