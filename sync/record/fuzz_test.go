package record

import (
	"encoding/json"
	"math/big"
	"testing"
	"unicode/utf8"
)

// What is kept of a value is the value: whatever bytes are read back without an
// error are written and read again as the same value, in the same bytes.
func FuzzValue(f *testing.F) {
	for _, s := range []string{
		`null`, `"Anna Rossi"`, `""`, `true`, `-0.0`, `1.50`, `15e-1`, `1e400`, `[]`, `{}`, `[null,{"a":[1,"x"]}]`,
		`{"$content":{"digest":"d","size":1,"media":"m"}}`, `{"$$content":1}`, `{"$content":1,"a":2}`, `{"a":1,"a":2}`,
		`{"v":null}`, `{"d":"0123"}`, `{"a":"b","c":null}`, "\"\xff\"", `"\ud800"`, `" "`, ` 1 `, `1 2`, "\"\u2028\x7f\"",
		"\"\\u0001digest:00\"", `{"@guest":{"entity":"e"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var v Value
		if err := v.UnmarshalJSON(b); err != nil {
			return
		}
		if !v.Observed() {
			t.Fatalf("%q read as a value that was not shown", b)
		}
		again(t, v)
		var a any
		if err := json.Unmarshal(b, &a); err != nil {
			return
		}
		if foreign, err := FromJSON(numbers(a)); err == nil {
			again(t, foreign)
		}
	})
}

// numbers has what encoding/json reads as floats as the numbers that FromJSON wants.
func numbers(a any) any {
	switch a := a.(type) {
	case float64:
		return json.Number(big.NewFloat(a).Text('f', 3))
	case []any:
		for i := range a {
			a[i] = numbers(a[i])
		}
	case map[string]any:
		for k := range a {
			a[k] = numbers(a[k])
		}
	}
	return a
}

func again(t *testing.T, v Value) {
	t.Helper()
	text := v.Encode()
	if !utf8.ValidString(text) || !json.Valid([]byte(text)) {
		t.Fatalf("%v is written as %q", v, text)
	}
	var w Value
	if err := w.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatalf("%q can't be read back: %v", text, err)
	}
	if !w.Equal(v) || w.Encode() != text {
		t.Fatalf("%q is read back as %q", text, w.Encode())
	}
	kept := Keep(v)
	b, err := kept.MarshalJSON()
	var back Stored
	if err == nil {
		err = back.UnmarshalJSON(b)
	}
	if err != nil || !back.Same(nil, v) {
		t.Fatalf("%q kept as %q reads as %v (%v)", text, b, back, err)
	}
	key := []byte("a key")
	sealed := Seal(key, v)
	if !sealed.Sealed() || !Seal(key, sealed).Equal(sealed) {
		t.Fatalf("%q is sealed as %v", text, sealed)
	}
}

// The quick reading of fields and bases and that of encoding/json agree on every
// text, errors among them.
func FuzzFields(f *testing.F) {
	for _, s := range []string{
		`{}`, `null`, `{"a":"b"}`, `{"a":null,"b":"c"}`, `{"a":"b","a":"c"}`, `{"a":{"v":"b"}}`, `{"a":{"v":null}}`, `{"a":{"d":"00"}}`,
		`{"a":{"v":"b"},"a":{"v":"c"}}`, `{"a":{"v":"x","d":"y"}}`, `{"a":1.50}`, `{"a":"\u0062"}`, "{\"\xff\":\"\xfe\"}", `{"a":"b"} `, `{"a":"b",}`,
		`{"a":{"v":"b"}`, `{"a":[]}`, "{\"a\":\"\u2028\"}", "{\"a\":\"\x7f\"}", `{"a":nullx}`, `{"":""}`, `{"a":{"V":"b"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var quick Fields
		var slow map[string]Value
		errQuick, errSlow := quick.UnmarshalJSON(b), json.Unmarshal(b, &slow)
		if (errQuick == nil) != (errSlow == nil) {
			t.Fatalf("fields of %q: %v, by encoding/json %v", b, errQuick, errSlow)
		}
		if errQuick == nil {
			if !quick.Equal(Fields(slow)) || len(quick) != len(slow) || (quick == nil) != (slow == nil) {
				t.Fatalf("fields of %q: %v, by encoding/json %v", b, quick, slow)
			}
			text, err := quick.MarshalJSON()
			var back Fields
			if err == nil {
				err = back.UnmarshalJSON(text)
			}
			if err != nil || !back.Equal(quick) || back.Digest() != quick.Digest() {
				t.Fatalf("fields of %q: written as %q, read back as %v (%v)", b, text, back, err)
			}
		}
		var base Base
		var kept map[string]Stored
		errQuick, errSlow = base.UnmarshalJSON(b), json.Unmarshal(b, &kept)
		if (errQuick == nil) != (errSlow == nil) || errQuick == nil && len(base) != len(kept) {
			t.Fatalf("base of %q: %v (%v), by encoding/json %v (%v)", b, base, errQuick, kept, errSlow)
		}
		for k, s := range base {
			if s.digest != kept[k].digest || !s.value.Equal(kept[k].value) {
				t.Fatalf("base of %q: %s is %v, by encoding/json %v", b, k, s, kept[k])
			}
		}
	})
}

// A number is the same number, whole, in one form: what encoding/json takes for a
// number is read, and its size is what exact arithmetic says.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "1.50", "15e-1", "-1e3", "1e400", "1e-400", "1e401", "+5", ".5", "5.", "00012", "1e", "--1", "1e+2", "9999999999999999999999", "0x10", "1_0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := OfNumber(s)
		if err != nil {
			return
		}
		want, ok := new(big.Rat).SetString(s)
		got, okGot := new(big.Rat).SetString(v.Text())
		if !ok || !okGot || want.Cmp(got) != 0 {
			t.Fatalf("%q is read as %q", s, v.Text())
		}
		if !json.Valid([]byte(v.Text())) {
			t.Fatalf("%q is read as %q, which is no number in JSON", s, v.Text())
		}
		if w, err := OfNumber(v.Text()); err != nil || !w.Equal(v) {
			t.Fatalf("%q is read as %q, and that as %q (%v)", s, v.Text(), w.Text(), err)
		}
		if len(v.Text()) > len(s)+maxExponent+2 {
			t.Fatalf("%q unfolds to %d digits", s, len(v.Text()))
		}
		if Compare(v, v) != 0 || Compare(v, OfInt(0)) != want.Sign() {
			t.Fatalf("%q compares wrongly", s)
		}
	})
}
