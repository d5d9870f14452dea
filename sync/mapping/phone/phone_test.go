package phone

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/nyaruka/phonenumbers"
	"pgregory.net/rapid"
)

// What is told from a number's last digits is what reading the whole of it tells.
func TestRepeatedLaw(t *testing.T) {
	whole := func(s string) bool {
		s = strings.TrimSpace(s)
		if p, err := phonenumbers.Parse(s, phonenumbers.UNKNOWN_REGION); err == nil {
			return sameDigits(phonenumbers.GetNationalSignificantNumber(p))
		}
		return !strings.ContainsFunc(s, unicode.IsLetter) && sameDigits(strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, s))
	}
	codes := phonenumbers.GetSupportedCallingCodes()
	begins := []string{"", "+", "00", "+0", "0", "1", "(0)", "15"}
	for code := range codes {
		begins = append(begins, fmt.Sprintf("+%d", code), fmt.Sprintf("+%d 0", code), fmt.Sprintf("+%d (1)", code))
	}
	slices.Sort(begins)
	rapid.Check(t, func(t *rapid.T) {
		digit := rapid.SampledFrom(strings.Split("0123456789", "")).Draw(t, "digit")
		s := rapid.SampledFrom(begins).Draw(t, "begin") +
			rapid.StringMatching(`[0-9 +()./-]{0,4}`).Draw(t, "middle") + strings.Repeat(digit, rapid.IntRange(0, 9).Draw(t, "times")) +
			rapid.SampledFrom([]string{"", "", " ", "1", "#2", " x1", ".", ")"}).Draw(t, "end")
		if got, want := Repeated(s), whole(s); got != want {
			t.Fatalf("repeated(%q) = %v, want %v", s, got, want)
		}
	})
}

// A number that is known is the one that was read, and many do not stay.
func TestPhonesAreRemembered(t *testing.T) {
	var p memory
	for i := range 3 * most {
		p.keep(dialled{strconv.Itoa(i), "IT"}.digest(), 390550000000+uint64(i))
	}
	if n := len(p.young) + len(p.old); n > 2*most {
		t.Errorf("%d numbers are remembered, want %d at most", n, 2*most)
	}
	if _, ok := p.known(dialled{"0", "IT"}.digest()); ok {
		t.Error("the first number is remembered for ever")
	}
	for _, d := range []dialled{{"055 1234567", "IT"}, {"055 1234567", "GB"}, {"12", "IT"}, {"+1 201 555 0123", "ZZ"}, {"0664 123456", "AT"}} {
		text, is := d.read()
		want := Number{E164: text, Sure: is}
		for _, when := range []string{"read", "known"} {
			if _, ok := p.known(d.digest()); ok != (when == "known") {
				t.Errorf("%v: is it %s? %v", d, when, ok)
			}
			if got, ok := p.get(d); got != want || ok != is {
				t.Errorf("%v, %s: got %v %v, want %v %v", d, when, got, ok, want, is)
			}
		}
	}
}
