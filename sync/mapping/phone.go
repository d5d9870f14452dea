package mapping

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/nyaruka/phonenumbers"

	"nightporter/sync/record"
)

const phoneMost = 60 // characters of a phone field that is still one number

// number is a phone number as it was read.
type number struct {
	text      string // E.164
	sure      bool   // good enough to recognise a person by
	extension bool   // it had one, left out of text
}

func readPhone(at spot, v record.Value) (record.Value, note) {
	s, n := scalar(v)
	if n.bad() {
		return record.Value{}, n
	}
	s = clean(s)
	if at.s.Format == FormatDigits && !strings.HasPrefix(s, "+") && !strings.HasPrefix(s, "00") {
		s = "+" + s
	}
	if repeated(s) {
		return record.Value{}, note{code: NotAValue}
	}
	num, n := at.parsePhone(s)
	if n.bad() {
		return record.Value{}, n
	}
	out := note{}
	if num.extension {
		out = note{code: HasExtension, text: "it has an extension, which is left out"}
	}
	if !num.sure {
		out.unsure = []string{num.text}
	}
	return record.OfText(num.text), out
}

// parsePhone reads a number. An international one says itself where it is from. A
// national one is read by the country that the record shows, and if it can't be
// one of that country, by the default region: good to show, but six of nine foreign
// numbers in national form pass as Italian ones, so never to match by.
func (at spot) parsePhone(s string) (number, note) {
	if len(s) > len("tel:") && strings.EqualFold(s[:4], "tel:") {
		s = strings.TrimSpace(s[4:])
	}
	s, extension := at.f.m.withoutExtension(s)
	num, n := at.parseDigits(s)
	num.extension = extension
	num.sure = num.sure && !extension
	return num, n
}

func (at spot) parseDigits(s string) (number, note) {
	if why := notOneNumber(s); why != "" {
		return number{}, note{code: BadPhone, text: why}
	}
	if num, ok := at.f.m.international(s); ok {
		return num, note{}
	}
	if strings.HasPrefix(s, "+") || strings.HasPrefix(s, "＋") {
		return number{}, note{code: BadPhone, text: "no such number is in use in that country"}
	}
	country, shown := at.country()
	if country != "" {
		if num, ok := at.f.m.national(s, country); ok {
			return num, note{}
		}
	}
	if at.s.region == "" {
		if country == "" {
			return number{}, note{code: NoRegion, text: "a number without + and no country to read it by; name one under region"}
		}
		return number{}, note{code: BadPhone, text: "not a number of the country that the record shows"}
	}
	num, ok := at.f.m.national(s, at.s.region)
	if !ok {
		return number{}, note{code: BadPhone, text: "not a phone number"}
	}
	num.sure = num.sure && !shown
	return num, note{}
}

// country is the country the record shows, "" for none or for one that can't be
// read; shown tells these two apart.
func (at spot) country() (alpha2 string, shown bool) {
	for _, p := range at.s.regions {
		v := at.native[p]
		if !v.Observed() || blank(v) {
			continue
		}
		return at.f.m.countryAt(at.s.which, p, v), true
	}
	return "", false
}

func (m *Mapping) international(s string) (number, bool) {
	if t, ok := strings.CutPrefix(s, "00"); ok {
		s = "+" + t
	}
	if !strings.HasPrefix(s, "+") && !strings.HasPrefix(s, "＋") {
		return number{}, false
	}
	return m.national(s, phonenumbers.UNKNOWN_REGION)
}

// national is the function of that name, remembered: a record is read several times
// until it is linked, and the number of its partner is most often the same.
func (m *Mapping) national(s, region string) (number, bool) {
	return m.phones.get(dialled{s, region})
}

// national reads s as it is dialled in a region. The number must be in use there
// or, if it is written with a country code, wherever that is.
func national(s, region string) (number, bool) {
	p, err := phonenumbers.Parse(s, region)
	if err != nil || !phonenumbers.IsValidNumber(p) {
		return number{}, false
	}
	return number{text: phonenumbers.Format(p, phonenumbers.E164), sure: true}, true
}

// withoutExtension takes the marks and digits of an extension off, and reports
// whether there were any.
func (m *Mapping) withoutExtension(s string) (string, bool) {
	if onlyDialled(s) { // every mark of an extension has a letter or a #
		return s, false
	}
	loc := m.extension.FindStringSubmatchIndex(s)
	if loc == nil {
		return s, false
	}
	return s[:loc[3]], true
}

// extensionMarks is what stands between a number and its extension.
func extensionMarks() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(\d[\s.,;:)-]*?)[\s.,;:-]*(?:ext\.?|extn\.?|extension|int\.?|interno|x|#)[\s.:=]*\d{1,7}$`)
}

// notOneNumber says why a text is certainly not one phone number, "" if it may be.
// The phone library reads letters as the keys they stand on and skips what stands
// before the digits; in a guest's record both are remarks.
func notOneNumber(s string) string {
	if len(s) > phoneMost {
		return "too long for one phone number"
	}
	if strings.ContainsFunc(s, unicode.IsLetter) {
		return "there is text beside the number"
	}
	if i := strings.LastIndexByte(s, '/'); i >= 0 && len(strings.TrimSpace(s[i+1:])) < 3 {
		return "it stands for several numbers"
	}
	return ""
}

// repeated reports whether a text is one digit again and again, with or without a
// country code: what people type when a form wants a number.
func repeated(s string) bool {
	s = strings.TrimSpace(s)
	// Prefixes are taken off and put on at the beginning: what is repeated to its end
	// was so before, and to find that out needs no reading of the number.
	if onlyDialled(s) && !endsAlike(s) {
		return false
	}
	if p, err := phonenumbers.Parse(s, phonenumbers.UNKNOWN_REGION); err == nil {
		return sameDigits(phonenumbers.GetNationalSignificantNumber(p))
	}
	var digits strings.Builder
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits.WriteRune(r)
		case unicode.IsLetter(r):
			return false
		}
	}
	return sameDigits(digits.String())
}

// onlyDialled reports whether a text is nothing but digits and what people put
// between them: it has no extension, no letters and no second number.
func onlyDialled(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == ' ', c == '+', c == '-', c == '(', c == ')', c == '.', c == '/':
		default:
			return false
		}
	}
	return true
}

// endsAlike reports whether the last three digits of a text are the same, as they are
// where all are.
func endsAlike(s string) bool {
	last, n := byte(0), 0
	for i := len(s) - 1; i >= 0 && n < 3; i-- {
		if c := s[i]; c >= '0' && c <= '9' {
			if n > 0 && c != last {
				return false
			}
			last = c
			n++
		}
	}
	return n == 3
}

func sameDigits(s string) bool {
	return len(s) >= 3 && strings.Trim(s, s[:1]) == ""
}

func writePhone(at spot, v record.Value) (record.Value, note) {
	e164 := v.Text()
	p, err := phonenumbers.Parse(e164, phonenumbers.UNKNOWN_REGION)
	if v.Type() != record.Text || err != nil {
		return record.Value{}, note{code: BadPhone, text: "not a phone number in international form"}
	}
	switch at.s.Format {
	case FormatDigits:
		return spell(spot{f: at.f, s: &side{SideSpec: SideSpec{Path: at.s.Path}}, native: at.native}, e164[1:], record.Text), note{}
	case FormatZeros:
		return record.OfText("00" + e164[1:]), note{}
	case FormatInternational:
		return record.OfText(phonenumbers.Format(p, phonenumbers.INTERNATIONAL)), note{}
	case FormatNational:
		s := phonenumbers.Format(p, phonenumbers.NATIONAL)
		if back, n := at.parsePhone(s); !n.bad() && back.sure && back.text == e164 {
			return record.OfText(s), note{}
		}
		return record.OfText(phonenumbers.Format(p, phonenumbers.INTERNATIONAL)), note{}
	}
	return record.OfText(e164), note{}
}
