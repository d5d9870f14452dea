package mapping

import (
	"strings"
	"unicode"

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
// or in groups with separators between, whose check digit is right. Whole groups
// are tried, so that a card is found beside an expiry date or another card. A
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
	const fullWidth = 0xef // the first byte of each full-width digit
	n := 0
	for i := range len(s) {
		if c := s[i]; c >= '0' && c <= '9' || c == fullWidth {
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
	digits, end := "", -1
	for j := i; j < len(groups) && len(digits) < cardMost; j++ {
		if j > i && !separators(s[groups[j-1].to:groups[j].from]) {
			break
		}
		digits += groups[j].digits
		if len(digits) >= cardLeast && len(digits) <= cardMost && luhn(digits) && !calls(s, groups[i].from, digits) {
			end = j
		}
	}
	return end
}

// digitGroups finds the runs of digits, ASCII or full-width.
func digitGroups(s string) []group {
	var groups []group
	open := false
	for i, r := range s {
		if r >= '０' && r <= '９' {
			r -= '０' - '0'
		}
		if r < '0' || r > '9' {
			open = false
			continue
		}
		if !open {
			groups = append(groups, group{from: i})
			open = true
		}
		g := &groups[len(groups)-1]
		if len(g.digits) <= cardMost { // one more says that it is no card, and a text may be digits by the million
			g.digits += string(r)
		}
		g.to = i + len(string(r))
		if s[i] >= 0x80 {
			g.to = i + len("０")
		}
	}
	return groups
}

// separators reports whether a text is only what people put between the groups of
// a card's digits.
func separators(s string) bool {
	n := 0
	for _, r := range s {
		n++
		if !unicode.IsSpace(r) && !strings.ContainsRune("-‐‑–—._/*", r) {
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
