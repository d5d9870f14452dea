// Package phone reads telephone numbers as people write them, and returns them in E.164.
package phone

import (
	"errors"
	"regexp"
	"strings"
	"unicode"

	"github.com/nyaruka/phonenumbers"
)

// Why a text is not read as a number. The messages contain nothing of the text.
var (
	// ErrNoRegion says that a number is written without a country code, and that no country is known by
	// which to read it.
	ErrNoRegion = errors.New("a number without + and no country to read it by; name one under region")

	errTooLong      = errors.New("too long for one phone number")
	errText         = errors.New("there is text beside the number")
	errSeveral      = errors.New("it stands for several numbers")
	errNotInUse     = errors.New("no such number is in use in that country")
	errOtherCountry = errors.New("not a number of the country that the record shows")
	errNoNumber     = errors.New("not a phone number")
)

const longest = 60 // bytes of a text that is still one number

// Number is a telephone number as it was read.
type Number struct {
	E164      string
	Sure      bool // the country is certain: a person may be recognised by the number
	Extension bool // the number was written with an extension, which E164 leaves out
}

// From says which country a number may belong to if it is written without a country code.
type From struct {
	// Country returns the country that the record shows. alpha2 is "" if the record shows none, and also
	// if its country can't be read; shown tells these two apart. Country is only called when it is
	// needed. Nil: the record shows no country.
	Country func() (alpha2 string, shown bool)
	// Region is the country to read a number by if Country does not help; "" is none.
	Region string
}

func (f From) country() (alpha2 string, shown bool) {
	if f.Country == nil {
		return "", false
	}
	return f.Country()
}

// Reader reads numbers, and remembers what it read. It may be used by several
// goroutines.
type Reader struct {
	extension *regexp.Regexp
	memory    memory
}

// NewReader returns a reader that remembers nothing yet.
func NewReader() *Reader {
	// The expression finds the mark between a number and its extension, and the extension.
	return &Reader{extension: regexp.MustCompile(
		`(?i)(\d[\s.,;:)-]*?)[\s.,;:-]*(?:ext\.?|extn\.?|extension|int\.?|interno|x|#)[\s.:=]*\d{1,7}$`,
	)}
}

// Read reads one number. A number with a country code is read by that code. Any other number is read by
// the country that the record shows. If it is not a number of that country, it is read by the region.
// A number that is read by the region is not Sure if the record shows a country: six of nine foreign
// numbers in national form pass as Italian ones.
func (r *Reader) Read(s string, from From) (Number, error) {
	if len(s) > len("tel:") && strings.EqualFold(s[:4], "tel:") {
		s = strings.TrimSpace(s[4:])
	}
	s, extension := r.withoutExtension(s)
	num, err := r.read(s, from)
	num.Extension = extension
	num.Sure = num.Sure && !extension
	return num, err
}

func (r *Reader) read(s string, from From) (Number, error) {
	if err := notOneNumber(s); err != nil {
		return Number{}, err
	}
	if t, ok := strings.CutPrefix(s, "00"); ok {
		if num, ok := r.memory.get(dialled{"+" + t, phonenumbers.UNKNOWN_REGION}); ok {
			return num, nil
		}
	}
	if strings.HasPrefix(s, "+") || strings.HasPrefix(s, "＋") {
		num, ok := r.memory.get(dialled{s, phonenumbers.UNKNOWN_REGION})
		if !ok {
			return Number{}, errNotInUse
		}
		return num, nil
	}
	country, shown := from.country()
	if country != "" {
		if num, ok := r.memory.get(dialled{s, country}); ok {
			return num, nil
		}
	}
	if from.Region == "" {
		if country == "" {
			return Number{}, ErrNoRegion
		}
		return Number{}, errOtherCountry
	}
	num, ok := r.memory.get(dialled{s, from.Region})
	if !ok {
		return Number{}, errNoNumber
	}
	num.Sure = !shown
	return num, nil
}

// withoutExtension removes the mark and the digits of an extension, and reports whether there was one.
func (r *Reader) withoutExtension(s string) (string, bool) {
	if onlyDialled(s) { // every mark of an extension has a letter or a #
		return s, false
	}
	loc := r.extension.FindStringSubmatchIndex(s)
	if loc == nil {
		return s, false
	}
	return s[:loc[3]], true
}

// notOneNumber says why a text is certainly not one phone number. It returns nil if the text may be one.
// The phone library reads letters as the keys on which they stand, and skips text before the digits. In
// a guest's record, both are remarks.
func notOneNumber(s string) error {
	if len(s) > longest {
		return errTooLong
	}
	if strings.ContainsFunc(s, unicode.IsLetter) {
		return errText
	}
	if i := strings.LastIndexByte(s, '/'); i >= 0 && len(strings.TrimSpace(s[i+1:])) < 3 {
		return errSeveral
	}
	return nil
}

// InUse reports whether a number with a plus sign and a country code is in use.
func InUse(s string) bool {
	_, ok := parse(s, phonenumbers.UNKNOWN_REGION)
	return ok
}

// Region reports whether a text is the code of a country that has phone numbers, such as IT.
func Region(alpha2 string) bool { return phonenumbers.GetSupportedRegions()[alpha2] }

// Forms returns a number in E.164 as it is written for callers from abroad, and for callers in its own
// country. ok is false if e164 is not a number in international form.
func Forms(e164 string) (international, national string, ok bool) {
	p, err := phonenumbers.Parse(e164, phonenumbers.UNKNOWN_REGION)
	if err != nil {
		return "", "", false
	}
	return phonenumbers.Format(p, phonenumbers.INTERNATIONAL), phonenumbers.Format(p, phonenumbers.NATIONAL), true
}

// Repeated reports whether a text repeats one digit, with or without a country code before it. People
// type such a text when a form asks for a number.
func Repeated(s string) bool {
	s = strings.TrimSpace(s)
	// Parsing only changes the beginning of a number. So the last digits of a repeated number are equal
	// before parsing too, and most texts need not be parsed.
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

// onlyDialled reports whether a text holds only digits and what people write between them. Then it has no
// letters and no extension.
func onlyDialled(s string) bool { return strings.Trim(s, "0123456789 +-()./") == "" }

// endsAlike reports whether a text has at least three digits, and its last three are the same. That is so
// for every number that repeats one digit.
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
