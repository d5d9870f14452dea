package discover

import (
	"regexp"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// looked is how many different values of a field are looked at to tell its type.
const looked = 300

// mostly is the part of them that must be readable in a way for it to count.
const mostly = 0.9

// sorted are the ways in which a field's values can be read. sure ones are told by the
// values alone; each of the others fits, and so may something else.
type sorted struct{ sure, maybe []reading }

func (s sorted) all() []reading { return append(append([]reading{}, s.sure...), s.maybe...) }

// as is the ways that read a type.
func (s sorted) as(types ...string) []reading {
	var out []reading
	for _, r := range s.all() {
		for _, t := range types {
			if r.as == t {
				out = append(out, r)
			}
		}
	}
	return out
}

var (
	isoDay     = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	midnight   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[ T]00:00(:00(\.0+)?)?$`)
	midnightZ  = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[ T]00:00(:00(\.0+)?)?(Z|\+00:?00)$`)
	offsetTime = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)$`)
	wallTime   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$`)
	numeric    = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
	abroad     = regexp.MustCompile(`^(\+|00)[\d (]`)
	dialled    = regexp.MustCompile(`^[\d ()./+-]+$`)
)

// patterns are the spellings of a day other than ISO's.
var patterns = []string{
	"DD/MM/YYYY", "MM/DD/YYYY", "DD.MM.YYYY", "MM.DD.YYYY", "DD-MM-YYYY", "MM-DD-YYYY", "YYYY/MM/DD", "YYYY.MM.DD", "YYYYMMDD",
}

// infer tells in which ways values can be read. regions are the countries that numbers
// without one may be of.
func (rs *readers) infer(values []record.Value, regions []string) sorted {
	var s sorted
	vs := different(values)
	if len(vs) == 0 {
		return s
	}
	fits := func(shape *regexp.Regexp) bool {
		return share(vs, func(v record.Value) bool { return shape.MatchString(strings.TrimSpace(v.Text())) }) >= mostly
	}
	reads := func(as, format string) bool {
		r := reading{as: as, format: format}
		return share(vs, func(v record.Value) bool { _, ok := rs.read(r, v); return ok }) >= mostly
	}
	sure := func(as, format string) { s.sure = append(s.sure, reading{as: as, format: format}) }
	maybe := func(as, format string) { s.maybe = append(s.maybe, reading{as: as, format: format}) }
	switch {
	case share(vs, func(v record.Value) bool { return v.Type() == record.Bool }) == 1:
		sure(mapping.Bool, "")
		return s
	case reads(mapping.Email, ""):
		sure(mapping.Email, "")
		return s
	case fits(isoDay) && reads(mapping.Date, ""):
		sure(mapping.Date, "")
		return s
	case fits(midnight) && reads(mapping.Date, mapping.FormatLocal):
		sure(mapping.Date, mapping.FormatLocal)
		return s
	case fits(midnightZ) && reads(mapping.Date, mapping.FormatUTC):
		maybe(mapping.Date, mapping.FormatUTC)
		maybe(mapping.Instant, "")
		return s
	case fits(offsetTime) && reads(mapping.Instant, ""):
		if reads(mapping.Date, mapping.FormatInstant) {
			maybe(mapping.Date, mapping.FormatInstant)
			maybe(mapping.Instant, "")
			return s
		}
		sure(mapping.Instant, "")
		return s
	case fits(wallTime): // by whose clock, nobody says
		maybe(mapping.Instant, mapping.FormatLocal)
		maybe(mapping.Instant, mapping.FormatUTC)
		return s
	}
	if days := rs.days(vs); len(days) == 1 {
		s.sure = append(s.sure, days...)
		return s
	} else if len(days) > 1 {
		s.maybe = append(s.maybe, days...)
		return s
	}
	rs.phones(vs, regions, &s)
	if fits(numeric) {
		rs.numbers(vs, &s)
	}
	if len(s.sure) == 0 {
		if reads(mapping.Language, "") && rs.short(vs) {
			maybe(mapping.Language, "")
		}
		if reads(mapping.Country, "") {
			maybe(mapping.Country, "")
		}
		if reads(mapping.Text, "") {
			maybe(mapping.Text, "")
		}
	}
	return s
}

// days are the patterns that read nearly all values as days.
func (rs *readers) days(vs []record.Value) []reading {
	var out []reading
	for _, p := range patterns {
		r := reading{as: mapping.Date, format: p}
		n := share(vs, func(v record.Value) bool {
			text := strings.TrimSpace(v.Text())
			_, ok := rs.read(r, v)
			return ok && len(text) == len(p) && v.Type() == record.Text
		})
		if n >= 0.98 {
			out = append(out, r)
		}
	}
	return out
}

// phones adds the ways to read values as phone numbers: surely so where they say which
// country they are of.
func (rs *readers) phones(vs []record.Value, regions []string, s *sorted) {
	if share(vs, func(v record.Value) bool { return dialled.MatchString(strings.TrimSpace(v.Text())) }) < mostly {
		return
	}
	readable := func(r reading) float64 {
		return share(vs, func(v record.Value) bool { _, ok := rs.read(r, v); return ok })
	}
	whole := readable(reading{as: mapping.Phone})
	if share(vs, func(v record.Value) bool { return abroad.MatchString(strings.TrimSpace(v.Text())) }) >= 0.5 && whole >= 0.5 {
		for _, region := range regions { // some of them are written as they are dialled at home
			if r := (reading{as: mapping.Phone, region: region}); whole < 1 && readable(r) > whole {
				s.sure = append(s.sure, r)
			}
		}
		s.sure = append(s.sure, reading{as: mapping.Phone})
		return
	}
	if r := (reading{as: mapping.Phone, format: mapping.FormatDigits}); readable(r) >= mostly {
		s.maybe = append(s.maybe, r)
	}
	for _, region := range regions {
		if r := (reading{as: mapping.Phone, region: region}); readable(r) >= 0.7 {
			s.maybe = append(s.maybe, r)
		}
	}
}

// numbers adds the ways to read digits.
func (rs *readers) numbers(vs []record.Value, s *sorted) {
	between := func(low, high string) bool {
		return share(vs, func(v record.Value) bool {
			whole, _, _ := strings.Cut(strings.TrimSpace(v.Text()), ".")
			return len(whole) == len(low) && whole >= low && whole <= high
		}) >= mostly
	}
	instant := func(format string) {
		if r := (reading{as: mapping.Instant, format: format}); share(vs, func(v record.Value) bool { _, ok := rs.read(r, v); return ok }) >= mostly {
			s.maybe = append(s.maybe, r)
		}
		if r := (reading{as: mapping.Date, format: format}); format != mapping.FormatFloat &&
			share(vs, func(v record.Value) bool { _, ok := rs.read(r, v); return ok }) >= mostly {
			s.maybe = append(s.maybe, r)
		}
	}
	if between("0946684800", "4102444800") || between("946684800", "999999999") || between("1000000000", "4102444800") {
		instant(mapping.FormatEpoch)
		if share(vs, func(v record.Value) bool { return strings.Contains(v.Text(), ".") }) > 0 {
			instant(mapping.FormatFloat)
		}
	}
	if between("1000000000000", "4102444800000") || between("946684800000", "999999999999") {
		instant(mapping.FormatMillis)
	}
	if share(vs, func(v record.Value) bool { t := v.Text(); return t == "0" || t == "1" }) == 1 {
		s.maybe = append(s.maybe, reading{as: mapping.Bool})
	}
	s.maybe = append(s.maybe, reading{as: mapping.Number})
}

// short reports whether all values are codes of two or three letters, perhaps with a
// country behind.
func (rs *readers) short(vs []record.Value) bool {
	return share(vs, func(v record.Value) bool { n := len(strings.TrimSpace(v.Text())); return n == 2 || n == 3 || n == 5 }) == 1
}

// different is the values that hold something, each once, looked of them at most.
func different(values []record.Value) []record.Value {
	seen := map[string]bool{}
	var out []record.Value
	for _, v := range values {
		if !holds(v) || seen[v.Text()] {
			continue
		}
		seen[v.Text()] = true
		if out = append(out, v); len(out) == looked {
			break
		}
	}
	return out
}

// holds reports whether a value is a single one, and not nothing.
func holds(v record.Value) bool {
	switch v.Type() {
	case record.Text:
		return strings.TrimSpace(v.Text()) != ""
	case record.Number, record.Bool:
		return true
	case record.Absent, record.Null, record.List, record.Map, record.Content:
	}
	return false
}

func share(vs []record.Value, is func(record.Value) bool) float64 {
	if len(vs) == 0 {
		return 0
	}
	n := 0
	for _, v := range vs {
		if is(v) {
			n++
		}
	}
	return float64(n) / float64(len(vs))
}

// regionOf is the country of a number in its international form, "" for none.
func regionOf(e164 string) string {
	p, err := phonenumbers.Parse(e164, phonenumbers.UNKNOWN_REGION)
	if err != nil {
		return ""
	}
	return phonenumbers.GetRegionCodeForNumber(p)
}
