package restkit

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostMessage bounds what is kept of a system's own words, in bytes.
const mostMessage = 2 << 10

// redactor blanks what may be a guest's in a text that a system wrote.
type redactor struct{ quoted, mail, digits *regexp.Regexp }

func newRedactor() redactor {
	return redactor{
		quoted: regexp.MustCompile("\"[^\"]*\"|“[^”]*”|«[^»]*»|`[^`]*`|(?:^|[^\\pL\\d])'[^'\n]*'"),
		mail:   regexp.MustCompile(`[^\s<>()"',;:=]+@[^\s<>()"',;]+`),
		digits: regexp.MustCompile(`\+?\d(?:[\s().\-/]{0,2}\d){4,}`),
	}
}

// text is s without mail addresses, long numbers, what stands in quotes, control
// characters, and the values of known, at most 2 KiB of it.
func (r redactor) text(s string, known []string) string {
	// First of all: what stands between two words or digits must not hide what they are.
	s = flat(s)
	known = slices.SortedFunc(slices.Values(known), func(a, b string) int { return len(b) - len(a) })
	for _, k := range known {
		if k = flat(k); utf8.RuneCountInString(k) >= 3 {
			s = replaceFold(s, k)
		}
	}
	s = r.quoted.ReplaceAllStringFunc(s, func(m string) string {
		if q := strings.IndexByte(m, '\''); q > 0 && m[0] != '"' && m[0] != '`' {
			return m[:q] + "'…'"
		}
		return "'…'"
	})
	s = r.mail.ReplaceAllString(s, "…")
	return clip(r.digits.ReplaceAllString(s, "…"))
}

// flat is s as words with one blank between them, without control characters.
func flat(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(c rune) bool {
		return c < ' ' || c == 0x7f || unicode.IsSpace(c)
	}), " ")
}

// replaceFold blanks k in s, whatever its case.
func replaceFold(s, k string) string {
	re, err := regexp.Compile("(?i)" + regexp.QuoteMeta(k))
	if err != nil {
		return "…"
	}
	return re.ReplaceAllString(s, "…")
}

func clip(s string) string {
	if len(s) <= mostMessage {
		return s
	}
	cut := mostMessage
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
