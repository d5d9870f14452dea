package mapping

import (
	"errors"
	"strings"

	"nightporter/sync/mapping/phone"
	"nightporter/sync/record"
)

func readPhone(at spot, v record.Value) (record.Value, note) {
	s, n := scalar(v)
	if n.bad() {
		return record.Value{}, n
	}
	s = clean(s)
	if at.s.Format == FormatDigits && !strings.HasPrefix(s, "+") && !strings.HasPrefix(s, "00") {
		s = "+" + s
	}
	if phone.Repeated(s) {
		return record.Value{}, note{code: NotAValue}
	}
	num, err := at.parsePhone(s)
	switch {
	case errors.Is(err, phone.ErrNoRegion):
		return record.Value{}, note{code: NoRegion, text: err.Error()}
	case err != nil:
		return record.Value{}, note{code: BadPhone, text: err.Error()}
	}
	out := note{}
	if num.Extension {
		out = note{code: HasExtension, text: "it has an extension, which is left out"}
	}
	if !num.Sure {
		out.unsure = []string{num.E164}
	}
	return record.OfText(num.E164), out
}

// parsePhone reads a number by the countries of the side.
func (at spot) parsePhone(s string) (phone.Number, error) {
	return at.f.m.phones.Read(s, phone.From{Country: at.country, Region: at.s.region})
}

// country returns the country that the record shows, see phone.From. The first path that is not empty
// counts.
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

func writePhone(at spot, v record.Value) (record.Value, note) {
	e164 := v.Text()
	international, national, ok := phone.Forms(e164)
	if v.Type() != record.Text || !ok {
		return record.Value{}, note{code: BadPhone, text: "not a phone number in international form"}
	}
	switch at.s.Format {
	case FormatDigits:
		return spellBare(at, e164[1:], record.Text), note{}
	case FormatZeros:
		return record.OfText("00" + e164[1:]), note{}
	case FormatInternational:
		return record.OfText(international), note{}
	case FormatNational:
		if back, err := at.parsePhone(national); err == nil && back.Sure && back.E164 == e164 {
			return record.OfText(national), note{}
		}
		return record.OfText(international), note{}
	}
	return record.OfText(e164), note{}
}
