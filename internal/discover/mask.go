package discover

import (
	"fmt"
	"strings"
	"unicode"

	"nightporter/sync/record"
)

// like is the shape of a field's first value, without the value: enough to see whether it
// is the field that one has in mind.
func like(c *column) string {
	for _, v := range c.values {
		if holds(v) {
			return Mask(v)
		}
	}
	return ""
}

// Mask is the shape of a value: a phone's country and its last two digits, the first letters
// of a mail address, and of everything else what sort of signs stand in it.
func Mask(v record.Value) string {
	text := strings.TrimSpace(v.Text())
	if v.Type() == record.Bool {
		return "a truth value"
	}
	if at := strings.LastIndexByte(text, '@'); at > 0 && !strings.ContainsAny(text, " \n") {
		return maskMail(text[:at], text[at+1:])
	}
	digits := strings.Count(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '9'
		}
		return r
	}, text), "9")
	if digits >= 8 && digits <= 16 && dialled.MatchString(text) && !isoDay.MatchString(text) && abroad.MatchString(text) {
		return maskPhone(text)
	}
	return shape(text)
}

func maskMail(local, domain string) string {
	head := func(s string) string {
		for _, r := range s {
			return string(r)
		}
		return ""
	}
	end := ""
	if dot := strings.LastIndexByte(domain, '.'); dot > 0 {
		end = domain[dot:]
	}
	return head(local) + "***@" + head(domain) + "***" + end
}

// maskPhone leaves the sign, two digits behind it, and the last two.
func maskPhone(text string) string {
	var digits []rune
	for _, r := range text {
		if r >= '0' && r <= '9' {
			digits = append(digits, r)
		}
	}
	start := "+"
	if strings.HasPrefix(text, "00") {
		start, digits = "00", digits[2:]
	}
	if len(digits) < 7 {
		return start + "***"
	}
	return start + string(digits[:2]) + " *** ***" + string(digits[len(digits)-2:])
}

// mostShape is how many signs of a shape are shown.
const mostShape = 24

// shape is a text with each letter as a or A and each digit as 9; of a long one its
// length alone.
func shape(text string) string {
	runes := []rune(text)
	if len(runes) > mostShape || strings.ContainsRune(text, '\n') {
		return fmt.Sprintf("a text of %d signs", len(runes))
	}
	for i, r := range runes {
		switch {
		case r >= '0' && r <= '9':
			runes[i] = '9'
		case unicode.IsUpper(r):
			runes[i] = 'A'
		case unicode.IsLetter(r):
			runes[i] = 'a'
		case r > unicode.MaxASCII, r == '#', r == '`':
			runes[i] = '?'
		}
	}
	return string(runes)
}
