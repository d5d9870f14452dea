// Package card finds the numbers of payment cards in texts, and blanks them.
//
// A payment card is 13 to 19 digits in any numerals, in one group or in several groups with
// separators between them. The digits begin with the number of an issuer of payment cards, there are
// as many of them as on that issuer's cards, and the check digit is right.
package card

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"nightporter/sync/mapping/phone"
)

const (
	least, most = 13, 19 // digits of a payment card
	gapMost     = 3      // separators that may stand between two groups of digits
)

// group is a run of digits with nothing between them.
type group struct {
	from, to int // bytes
	digits   string
}

// Blank returns s with Mark in the place of each payment card. It tries whole groups of digits, so that
// it finds a card beside an expiry date or another card. A number after a plus sign stays if it is a
// phone number in use. Blank of its own result changes nothing.
func Blank(s string) string { return blank(s, Mark) }

// BlankHeld is Blank with HeldMark. It is for a text that a system holds.
func BlankHeld(s string) string { return blank(s, HeldMark) }

func blank(s, mark string) string {
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
		b.WriteString(mark)
		done, i = groups[last].to, last
	}
	b.WriteString(s[done:])
	return b.String()
}

// BlankDigits returns s with HeldMark in the place of each group of digits. It is for a text that a system holds,
// and that may be only a part of a card: such a part does not show where the card begins.
func BlankDigits(s string) string {
	var b strings.Builder
	done := 0
	for _, g := range digitGroups(s) {
		b.WriteString(s[done:g.from])
		b.WriteString(HeldMark)
		done = g.to
	}
	b.WriteString(s[done:])
	return b.String()
}

// manyDigits reports whether a text may have as many digits as a card. Most texts
// have fewer, and need no closer look.
func manyDigits(s string) bool {
	n := 0
	for i := range len(s) {
		if c := s[i]; c >= '0' && c <= '9' || c >= utf8.RuneSelf && utf8.RuneStart(c) {
			n++
		}
	}
	return n >= least
}

// cardEnd returns the index of the last group of the longest card that begins with group i, or -1.
func cardEnd(s string, groups []group, i int) int {
	digits, end, listed := "", -1, false
	for j := i; j < len(groups) && len(digits) < most; j++ {
		if j > i {
			gap := s[groups[j-1].to:groups[j].from]
			if !separators(gap) {
				break
			}
			listed = listed || strings.ContainsAny(gap, listMarks)
		}
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

// digitGroups finds the runs of digits, in any numerals.
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
		// A group with one digit more than a card has is not a card. A text may hold a million digits, so
		// no further digits are kept.
		if len(g.digits) <= most {
			g.digits += strconv.Itoa(d)
		}
		g.to = i + utf8.RuneLen(r)
	}
	return groups
}

// listMarks may stand between the groups of a card, and also between numbers of a list. If one of them
// stands between groups, the groups must be as long as those printed on cards.
const listMarks = ",;:'’|，、،٬٫。．"

// cardShape reports whether the groups are as long as those printed on cards: four digits each, or four,
// six and the rest.
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

// separators reports whether a text holds only what people write between the groups of a card's digits.
func separators(s string) bool {
	n := 0
	for _, r := range s {
		n++
		if !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) && !strings.ContainsRune("-‐‑‒–—−﹣－._/*·•＿／＊"+listMarks, r) {
			return false
		}
	}
	return n <= gapMost
}

// isCard reports whether digits pass as a payment card: by their number, their issuer and the check digit.
func isCard(digits string) bool {
	return len(digits) >= least && len(digits) <= most && issued(digits) && luhn(digits)
}

// luhn reports whether the check digit is right, by the Luhn algorithm.
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
	return strings.HasSuffix(s[:from], "+") && phone.InUse("+"+digits)
}
