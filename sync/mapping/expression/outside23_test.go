package expression

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"nightporter/sync/record"
)

// No expression makes more than its allowance, whatever it makes it of.
func TestOutside23NothingAllocatesWithoutABound(t *testing.T) {
	doubled := func(first, each string) string {
		s := "let a = " + first + "; "
		for i := range 22 {
			a, b := string(rune('a'+i)), string(rune('a'+i+1))
			s += "let " + b + " = " + strings.ReplaceAll(each, "x", a) + "; "
		}
		return s
	}
	text := record.OfText(strings.Repeat("a", 1000))
	for name, source := range map[string]string{
		"repeat":             `repeat(value, 100000)`,
		"repeat of a repeat": `repeat(repeat(value, 1000), 1000)`,
		"repeat by a pipe":   `value | repeat(100000)`,
		"a negative product": `repeat(value, 9223372036854775807)`,
		"replace":            `replace(value, "a", repeat(value, 100))`,
		"replace of nothing": `replace(value, "", repeat(value, 100))`,
		"join":               `join(map(1..100000, "x"), value)`,
		"join of one text":   `join(map(1..100000, value))`,
		"plus":               doubled("value", "x + x") + "w",
		"plus in a loop":     `reduce(1..100000, #acc + value, "")`,
		"kept in a list":     `len(map(1..100000, upper(value)))`,
		"list of lists":      doubled("[1]", "[x, x]") + "len(flatten(w))",
		"written as JSON":    doubled("[1]", "[x, x]") + "toJSON(w)",
		"the result":         doubled("[1]", "[x, x]") + "w",
		"concat":             doubled("[1]", "concat(x, x)") + "len(w)",
		"base64":             `map(1..100000, toBase64(value))`,
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Compile(source, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			out, err := e.Run(text, nil)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, errFails) {
				t.Errorf("got %d bytes, %v, want that the expression fails", len(out.Text()), err)
			}
			if made := after.TotalAlloc - before.TotalAlloc; made > 16*bytesMost {
				t.Errorf("it made %d MB", made>>20)
			}
		})
	}
}

// What an expression may do, it does as before.
func TestOutside23WhatIsBoundedStaysAsItWas(t *testing.T) {
	for source, want := range map[string]string{
		`upper(value) + " " + lower("X")`:           "ADA x",
		`repeat(value, 3)`:                          "AdaAdaAda",
		`value | replace("a", "o") | upper()`:       "ADO",
		`join(split("a,b,c", ","), "-")`:            "a-b-c",
		`string(1 + 2.5)`:                           "3.5",
		`string(1 + 2)`:                             "3",
		`join(map(sort([3, 1, 2]), string(#)), "")`: "123",
		`toJSON({"a": [1, 2]}) == "{\n  \"a\": [\n    1,\n    2\n  ]\n}" ? "y" : "n"`: "y",
		`fromBase64(toBase64(value))`:                                "Ada",
		`join(concat(["a"], ["b"]), "") + join(reverse(["c", "d"]))`: "abdc",
		`record["n"] + "!"`:                                          "7!",
		`len(split(value, "")) > 2 ? "long" : "short"`:               "long",
	} {
		e, err := Compile(source, time.UTC)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		out, err := e.Run(record.OfText("Ada"), record.Fields{"n": record.OfText("7")})
		if out.Text() != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", source, out.Text(), err, want)
		}
	}
	for _, source := range []string{`"a" + 1 == "b"`, `upper(1)`, `repeat("a", "b")`} {
		if _, err := Compile(source, time.UTC); err == nil {
			t.Errorf("%s is taken", source)
		}
	}
}
