package mapping

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"
)

const (
	cardLeast, cardMost = 13, 19 // digits of a payment card
	cardGap             = 3      // separators that may stand between two groups of digits
)

// CardMark is what stands in the place of a payment card.
const CardMark = "****"

// group is a run of digits without anything between.
type group struct {
	from, to int // bytes
	digits   string
}

// blankCards replaces digits that pass as a payment card: 13 to 19 of them, alone
// or in groups with separators between, that begin as such cards do and whose check
// digit is right. Whole groups are tried, so that a card is found beside an expiry date or another card. A
// number after a plus sign that can be called is a phone, and stays.
func blankCards(s string) string {
	if !manyDigits(s) {
		return s
	}
	groups := digitGroups(s)
	var b strings.Builder
	done := 0
	for i := 0; i < len(groups); i++ {
		last := cardEnd(s, groups, i)
		if last < 0 {
			continue
		}
		b.WriteString(s[done:groups[i].from])
		b.WriteString(CardMark)
		done, i = groups[last].to, last
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// manyDigits reports whether a text may have as many digits as a card. Most texts
// have not, and need no closer look.
func manyDigits(s string) bool {
	n := 0
	for i := range len(s) {
		if c := s[i]; c >= '0' && c <= '9' || c >= utf8.RuneSelf && utf8.RuneStart(c) {
			n++
		}
	}
	return n >= cardLeast
}

// cardEnd is the last group of the longest card that begins with group i, or -1.
func cardEnd(s string, groups []group, i int) int {
	if groups[i].digits[0] == '0' { // no card begins so, and 0000… would pass
		return -1
	}
	digits, end, listed := "", -1, false
	for j := i; j < len(groups) && len(digits) < cardMost; j++ {
		if j > i && !separators(s[groups[j-1].to:groups[j].from]) {
			break
		}
		listed = listed || j > i && strings.ContainsAny(s[groups[j-1].to:groups[j].from], listMarks)
		digits += groups[j].digits
		if listed && !cardShape(groups[i:j+1]) {
			continue
		}
		if isCard(digits) && !calls(s, groups[i].from, digits) {
			end = j
		}
	}
	return end
}

// digit is the value of a digit in whatever numerals it is written, -1 for what is none.
// Each set of decimal numerals is ten characters in a row; some ranges hold several.
func digit(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r < utf8.RuneSelf:
		return -1
	case r >= 0x2460 && r <= 0x2468: // ① to ⑨
		return int(r-0x2460) + 1
	case r >= 0x2080 && r <= 0x2089: // subscripts
		return int(r - 0x2080)
	case r >= 0x2074 && r <= 0x2079: // superscripts, of which three stand elsewhere
		return int(r - 0x2070)
	case r == 0x2070, r == 0x24ea:
		return 0
	}
	if i := strings.IndexRune("\u00b9\u00b2\u00b3", r); i >= 0 {
		return i/2 + 1
	}
	if i := slices.Index(hanDigits, r); i >= 0 {
		return i
	}
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

// hanDigits are those of Chinese and Japanese.
var hanDigits = []rune("〇一二三四五六七八九")

// digitGroups finds the runs of digits, in whatever numerals.
func digitGroups(s string) []group {
	var groups []group
	open := false
	for i, r := range s {
		d := digit(r)
		if d < 0 {
			open = false
			continue
		}
		if !open {
			groups = append(groups, group{from: i})
			open = true
		}
		g := &groups[len(groups)-1]
		if len(g.digits) <= cardMost { // one more says that it is no card, and a text may be digits by the million
			g.digits += strconv.Itoa(d)
		}
		g.to = i + utf8.RuneLen(r)
	}
	return groups
}

// listMarks stand between the groups of a card, and between numbers that are none: there
// the groups must be as long as a card's are.
const listMarks = ",;:'’|，、،٬٫。．"

// cardShape reports whether groups are as long as those that a card is printed in: four
// digits each, or four, six and the rest.
func cardShape(groups []group) bool {
	for i, g := range groups {
		n, last := len(g.digits), i == len(groups)-1
		switch {
		case len(groups) == 3 && i == 1 && n == 6, len(groups) == 3 && last && (n == 4 || n == 5):
		case n == 4, last && n < 4 && len(groups) > 3:
		default:
			return false
		}
	}
	return true
}

// separators reports whether a text is only what people put between the groups of
// a card's digits.
func separators(s string) bool {
	n := 0
	for _, r := range s {
		n++
		if !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) && !strings.ContainsRune("-‐‑‒–—−﹣－._/*·•＿／＊"+listMarks, r) {
			return false
		}
	}
	return n <= cardGap
}

// luhn checks the check digit.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// calls reports whether the digits follow a plus sign and are a phone number.
func calls(s string, from int, digits string) bool {
	if !strings.HasSuffix(s[:from], "+") {
		return false
	}
	p, err := phonenumbers.Parse("+"+digits, phonenumbers.UNKNOWN_REGION)
	return err == nil && phonenumbers.IsValidNumber(p)
}
