package record

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOfNumber(t *testing.T) {
	tests := []struct{ in, want string }{
		{"0", "0"},
		{"-0", "0"},
		{"-0.000", "0"},
		{"+7", "7"},
		{"007", "7"},
		{"1.50", "1.5"},
		{"15e-1", "1.5"},
		{"1.5E0", "1.5"},
		{".5", "0.5"},
		{"5.", "5"},
		{"1e3", "1000"},
		{"1.25e1", "12.5"},
		{"-1.25e-3", "-0.00125"},
		{"12345678901234567890.12", "12345678901234567890.12"}, // more than a float keeps
		{"0e400", "0"},
	}
	for _, tt := range tests {
		got, err := OfNumber(tt.in)
		if err != nil || got.Text() != tt.want || got.Type() != Number {
			t.Errorf("OfNumber(%q): got %v %q, %v, want %q", tt.in, got.Type(), got.Text(), err, tt.want)
		}
	}
	for _, bad := range []string{"", ".", "-", "+-1", "--1", "1e", "1e401", "1e-401", "1e9999999999", "0x1f", "1,5", "NaN", "Inf", "1 ", "١"} {
		if got, err := OfNumber(bad); err == nil {
			t.Errorf("OfNumber(%q): got %q, want an error", bad, got.Text())
		}
	}
}

// However a number is spelt, it is one value: so one digest, and no false change.
func TestNumberSpellings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.StringMatching(`(0|[1-9][0-9]{0,20})`).Draw(t, "whole")
		frac := rapid.StringMatching(`[0-9]{0,12}`).Draw(t, "frac")
		sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		plain, err := OfNumber(sign + whole + "." + frac + "0")
		if err != nil {
			t.Fatal(err)
		}
		shifted := sign + "0." + whole + frac + "e" + OfInt(int64(len(whole))).Text()
		again, err := OfNumber(shifted)
		if err != nil || !again.Equal(plain) {
			t.Fatalf("%s: got %q, %v, want %q", shifted, again.Text(), err, plain.Text())
		}
		same, err := OfNumber(plain.Text())
		if err != nil || same.Text() != plain.Text() {
			t.Fatalf("read again: got %q, %v, want %q", same.Text(), err, plain.Text())
		}
	})
}

func TestInt(t *testing.T) {
	tests := []struct {
		in   string
		want int64
		ok   bool
	}{
		{"42", 42, true},
		{"-9223372036854775808", -9223372036854775808, true},
		{"9223372036854775808", 0, false},
		{"1.5", 0, false},
	}
	for _, tt := range tests {
		v, err := OfNumber(tt.in)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := v.Int()
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%s: got %d %v, want %d %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
	if _, ok := OfText("42").Int(); ok {
		t.Error("a text is taken for a whole number")
	}
}

func TestCompare(t *testing.T) {
	number := func(s string) Value {
		v, err := OfNumber(s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	tests := []struct {
		small, large Value
	}{
		{number("9"), number("10")},
		{number("-10"), number("-9")},
		{number("0.1"), number("0.11")},
		{number("99999999999999999998"), number("99999999999999999999")},
		{OfText("2026-01-31"), OfText("2026-02-01")},
		{OfText("zebra"), number("1")}, // by type
	}
	for _, tt := range tests {
		if Compare(tt.small, tt.large) >= 0 || Compare(tt.large, tt.small) <= 0 {
			t.Errorf("%v is not below %v", tt.small, tt.large)
		}
		if Compare(tt.small, tt.small) != 0 {
			t.Errorf("%v is not itself", tt.small)
		}
	}
}

// Absent is not empty: nobody knows what is there.
func TestAbsentNullEmpty(t *testing.T) {
	tests := []struct {
		name            string
		v               Value
		observed, empty bool
	}{
		{"absent", Value{}, false, false},
		{"null", Nothing(), true, true},
		{"empty text", OfText(""), true, true},
		{"empty list", OfList(), true, true},
		{"empty map", OfMap(nil), true, true},
		{"text", OfText(" "), true, false},
		{"false", OfBool(false), true, false},
		{"zero", OfInt(0), true, false},
		{"content", OfContent("", 0, ""), true, false},
	}
	for i, a := range tests {
		if a.v.Observed() != a.observed || a.v.Empty() != a.empty {
			t.Errorf("%s: got observed %v, empty %v, want %v, %v", a.name, a.v.Observed(), a.v.Empty(), a.observed, a.empty)
		}
		for j, b := range tests {
			if a.v.Equal(b.v) != (i == j) {
				t.Errorf("%s equals %s: got %v", a.name, b.name, a.v.Equal(b.v))
			}
		}
	}
}

func TestTextIsUTF8(t *testing.T) {
	if got := OfText("caf\xe9\x00x").Text(); got != "caf\uFFFD\x00x" {
		t.Errorf("got %q", got)
	}
}

// values draws any value that a system can show.
func values(depth int) *rapid.Generator[Value] {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "<&>", "\u2028", "\x00", "$content", "null"}))
	scalar := rapid.OneOf(
		rapid.Just(Nothing()),
		rapid.Map(text, OfText),
		rapid.Map(rapid.Bool(), OfBool),
		rapid.Map(rapid.Int64(), OfInt),
		rapid.Custom(func(t *rapid.T) Value {
			return OfContent(rapid.StringMatching(`[0-9a-f]{8}`).Draw(t, "digest"), rapid.Int64Range(0, 1<<40).Draw(t, "size"), "image/png")
		}),
	)
	if depth == 0 {
		return scalar
	}
	key := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"$content", "$$content", "$$$content", "v", "content"}))
	return rapid.OneOf(scalar,
		rapid.Map(rapid.SliceOfN(values(depth-1), 0, 3), func(vs []Value) Value { return OfList(vs...) }),
		rapid.Map(rapid.MapOfN(key, values(depth-1), 0, 3), OfMap),
	)
}

func TestEncodingRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "value")
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var got Value
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if !got.Equal(v) {
			t.Fatalf("%s: got %v, want %v", b, got, v)
		}
		if got.Encode() != v.Encode() {
			t.Fatalf("the same value has two encodings: %s and %s", got.Encode(), v.Encode())
		}
	})
}

// What a foreign system sends is never taken for a content of ours.
func TestForeignContentStaysAMap(t *testing.T) {
	got, err := FromJSON(map[string]any{"$content": map[string]any{"digest": "x"}})
	if err != nil || got.Type() != Map {
		t.Fatalf("got %v, %v, want a map", got.Type(), err)
	}
	var back Value
	if err := json.Unmarshal([]byte(got.Encode()), &back); err != nil || !back.Equal(got) {
		t.Errorf("read again: got %v %v, %v, want %v", back.Type(), back, err, got)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, bad := range []string{"", "{", `"a" "b"`, "[1,]", strings.Repeat("[", 70) + strings.Repeat("]", 70)} {
		var v Value
		if err := v.UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%.20s: got %v, want an error", bad, v)
		}
	}
	if _, err := FromJSON(struct{}{}); err == nil {
		t.Error("a struct is taken for JSON")
	}
	if b, err := (Value{}).MarshalJSON(); err == nil {
		t.Errorf("an absent value encodes as %s", b)
	}
}

func TestStringIsOneShortLine(t *testing.T) {
	got := OfText(strings.Repeat("è\n", 200)).String()
	if strings.ContainsRune(got, '\n') || len([]rune(got)) != 121 {
		t.Errorf("got %d runes: %s", len([]rune(got)), got)
	}
}
