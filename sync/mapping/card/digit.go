package card

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// numerals are digits that Unicode does not count as decimal digits: raised, lowered and
// circled ones. Each row is a range of runes. value is the value of the first rune.
var numerals = []struct {
	first, last rune
	value       int
}{
	{'⁰', '⁰', 0},
	{'¹', '¹', 1},
	{'²', '³', 2},
	{'⁴', '⁹', 4},
	{'₀', '₉', 0},
	{'⓪', '⓪', 0},
	{'①', '⑨', 1},
}

// han are the digits of Chinese and Japanese.
var han = []rune("〇一二三四五六七八九")

// digit returns the value of a digit in any numerals, -1 for other runes.
func digit(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r < utf8.RuneSelf:
		return -1
	}
	for _, row := range numerals {
		if r >= row.first && r <= row.last {
			return int(r-row.first) + row.value
		}
	}
	if i := slices.Index(han, r); i >= 0 {
		return i
	}
	return decimal(r)
}

// decimal returns the value of one of Unicode's decimal digits, -1 for other runes. Each set
// of decimal digits is ten runes in a row, and some ranges hold several sets.
func decimal(r rune) int {
	for _, set := range unicode.Nd.R16 {
		if n := int(r) - int(set.Lo); n >= 0 && int(r) <= int(set.Hi) {
			return n % 10
		}
	}
	for _, set := range unicode.Nd.R32 {
		if n := int(r) - int(set.Lo); n >= 0 && int(r) <= int(set.Hi) {
			return n % 10
		}
	}
	return -1
}
