package record

import (
	"encoding/json"
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// What is read the short way is what encoding/json reads, and what one refuses the
// other does.
func TestFlatLaw(t *testing.T) {
	text := rapid.SampledFrom([]string{`"a"`, `"Zoë"`, `""`, `"a\"b"`, `"a\u0041"`, "\"\xff\"", "\"\t\"", `"$content"`, `"a`, `a"`})
	scalar := rapid.OneOf(text, rapid.SampledFrom([]string{"null", "nul", "1", "true", "[]", `{"b":"c"}`, `{"$content":{"id":"x"}}`, "", " null"}))
	stored := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{`{"v":`, `{"d":`, `{"v": `, `{"x":`, `{`}).Draw(t, "open") + scalar.Draw(t, "value") +
			rapid.SampledFrom([]string{"}", "}", "}", "", `,"d":"e"}`}).Draw(t, "close")
	})
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.OneOf(scalar, stored)
		s := rapid.SampledFrom([]string{"{", "{", "{", "", " {", "["}).Draw(t, "begin")
		for i := range rapid.IntRange(0, 3).Draw(t, "fields") {
			if i > 0 {
				s += rapid.SampledFrom([]string{",", ",", ",", ", ", ""}).Draw(t, "comma")
			}
			s += text.Draw(t, "name") + rapid.SampledFrom([]string{":", ":", ":", " : ", ""}).Draw(t, "colon") + of.Draw(t, "value")
		}
		s += rapid.SampledFrom([]string{"}", "}", "}", "", "} ", "}}"}).Draw(t, "end")

		var fields Fields
		var long map[string]Value
		err, want := fields.UnmarshalJSON([]byte(s)), json.Unmarshal([]byte(s), &long)
		if (err == nil) != (want == nil) || err == nil && !maps.EqualFunc(fields, long, Value.Equal) {
			t.Fatalf("fields of %s: got %v %v, want %v %v", s, fields, err, long, want)
		}
		var base Base
		var kept map[string]Stored
		err, want = base.UnmarshalJSON([]byte(s)), json.Unmarshal([]byte(s), &kept)
		same := func(a, b Stored) bool {
			return a.digest == b.digest && a.value.Equal(b.value) && a.value.Type() == b.value.Type()
		}
		if (err == nil) != (want == nil) || err == nil && !maps.EqualFunc(base, kept, same) {
			t.Fatalf("base of %s: got %v %v, want %v %v", s, base, err, kept, want)
		}
	})
	f := Fields{"a": OfText("b")}
	if err := json.Unmarshal([]byte("null"), &f); err != nil || f != nil {
		t.Errorf("null: got %v %v, want nil", f, err)
	}
}
