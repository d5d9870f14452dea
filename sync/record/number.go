package record

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// OfInt is a whole number.
func OfInt(i int64) Value { return Value{typ: Number, text: strconv.FormatInt(i, 10)} }

// maxExponent bounds the digits that a number in exponent form may unfold to.
const maxExponent = 400

// OfNumber reads a decimal number, as JSON or SQL writes it, and keeps it as
// plain decimal digits without trailing zeros: "1.50", "15e-1" and "1.5" are the
// same. It never goes through a float.
func OfNumber(s string) (Value, error) {
	mantissa, exp := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil || n > maxExponent || n < -maxExponent {
			return Value{}, fmt.Errorf("read number %q: exponent out of range", short(s))
		}
		mantissa, exp = s[:i], n
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	sign := ""
	if t, ok := strings.CutPrefix(whole, "-"); ok {
		sign, whole = "-", t
	} else {
		whole = strings.TrimPrefix(whole, "+")
	}
	if whole+frac == "" || strings.Trim(whole+frac, "0123456789") != "" {
		return Value{}, fmt.Errorf("read number %q: not a decimal number", short(s))
	}
	whole, frac = shift(whole, frac, exp)
	whole, frac = strings.TrimLeft(whole, "0"), strings.TrimRight(frac, "0")
	if whole == "" {
		whole = "0"
	}
	text := whole
	if frac != "" {
		text += "." + frac
	}
	if text != "0" {
		text = sign + text
	}
	return Value{typ: Number, text: text}, nil
}

// shift moves the decimal point by exp places.
func shift(whole, frac string, exp int) (string, string) {
	for ; exp > 0; exp-- {
		if frac == "" {
			frac = "0"
		}
		whole, frac = whole+frac[:1], frac[1:]
	}
	for ; exp < 0; exp++ {
		if whole == "" {
			whole = "0"
		}
		whole, frac = whole[:len(whole)-1], whole[len(whole)-1:]+frac
	}
	return whole, frac
}

// Int returns the whole number that v holds; ok is false if v is not a whole number that fits 64 bits.
func (v Value) Int() (n int64, ok bool) {
	if v.typ != Number {
		return 0, false
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	return n, err == nil
}

// Compare orders two values: numbers by size, other values by their text, and values of different types
// by type. It is meant for finding the larger value.
func Compare(v, w Value) int {
	if v.typ != w.typ {
		return int(v.typ) - int(w.typ)
	}
	if v.typ == Number {
		a, okA := new(big.Rat).SetString(v.text)
		b, okB := new(big.Rat).SetString(w.text)
		if okA && okB {
			return a.Cmp(b)
		}
	}
	return strings.Compare(v.text, w.text)
}
