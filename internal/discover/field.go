package discover

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// usual is the type of what a name stands for, "" where that is not told by a name.
func usual(concept string) string {
	switch concept {
	case givenName, familyName, fullName:
		return mapping.Name
	case phoneName, mobileName:
		return mapping.Phone
	case emailName:
		return mapping.Email
	case language:
		return mapping.Language
	case country:
		return mapping.Country
	case birthDate, arrival, departure:
		return mapping.Date
	case "adults", "children":
		return mapping.Number
	case "price", "deposit", "balance":
		return mapping.Money
	case "tags":
		return mapping.Set
	case notes, "address", "city", "postal_code", "company", "title":
		return mapping.Text
	}
	return ""
}

// field is a field of a job; without a name it is called by what it stands for.
func (p *proposer) field(j *Job, name string, a agreement, sure Confidence, why string) Field {
	as := a.as
	concept := a.l.concept
	if usual(concept) == "" {
		concept = a.r.concept
	}
	switch {
	case name != "":
	case usual(concept) != "" && (as == "" || fits(usual(concept), as)):
		name, as = concept, usual(concept)
	default:
		name = worded(a.r.Path)
	}
	f := Field{
		Name: j.free(name), As: as, Conflict: "hold", Confidence: sure, Evidence: why, Like: like(a.l),
		Sides: [2]Side{p.onSide(a.l, as, a.lr), p.onSide(a.r, as, a.rr)},
	}
	if f.Like == "" {
		f.Like = like(a.r)
	}
	f.Region = p.region(a.pairing)
	f.To = p.toward(a.l, a.r)
	return f
}

// region is what tells the country of numbers without one: the record's own country, where
// one side has it, before the one that its numbers are of. A guest from abroad may have
// left a number as it is dialled there.
func (p *proposer) region(a pairing) []string {
	var own, fixed []string
	for i, r := range []reading{a.lr, a.rr} {
		if r.region == "" {
			continue
		}
		if !slices.Contains(fixed, r.region) {
			fixed = append(fixed, r.region)
		}
		k := []*column{a.l, a.r}[i].kind
		if c := k.only(country); c != nil && len(c.ways.as(mapping.Country)) > 0 {
			own = append(own, p.sides[i].name+"."+c.Path)
		}
	}
	if len(fixed) > 1 { // one side's country would be tried for the other's numbers
		fixed = fixed[:1]
	}
	return append(own, fixed...)
}

// toward is the side that alone can be written, "" where both can.
func (p *proposer) toward(l, r *column) string {
	switch {
	case l.ReadOnly && !r.ReadOnly:
		return p.sides[1].name
	case r.ReadOnly && !l.ReadOnly:
		return p.sides[0].name
	}
	return ""
}

// order is how fields are written down: who it is first.
var order = []string{guest, givenName, familyName, fullName, phoneName, mobileName, emailName, arrival, departure, "start", "end", status}

// arrange puts the fields of a job in their order, and its keys: a phone tells people better
// than an address.
func (j *Job) arrange() {
	place := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(j.Fields, func(a, b Field) int { return place(a.Name) - place(b.Name) })
	slices.SortStableFunc(j.Match, func(a, b []string) int { return place(a[0]) - place(b[0]) })
}

// fits reports whether what was compared as one type may be kept as another.
func fits(want, compared string) bool {
	return want == compared || compared == mapping.Text && (want == mapping.Name || want == mapping.Text)
}

// onSide is where a side has a field, and how it is spelt there.
func (p *proposer) onSide(c *column, as string, r reading) Side {
	s := Side{Path: c.Path}
	switch {
	case as == mapping.Phone:
		s.Format = spelling(c)
	case r.as == as || r.as == "":
		s.Format = r.format
	}
	return s
}

// spelling is how most of the numbers of a field are written, "" for +390551234567.
func spelling(c *column) string {
	count := map[string]int{}
	n := 0
	for _, v := range c.values {
		if !holds(v) {
			continue
		}
		n++
		text := strings.TrimSpace(v.Text())
		bare := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) < 0
		switch {
		case strings.HasPrefix(text, "00"):
			count[mapping.FormatZeros]++
		case strings.HasPrefix(text, "+") && strings.ContainsRune(text, ' '):
			count[mapping.FormatInternational]++
		case strings.HasPrefix(text, "+"):
			count[""]++
		case bare && slices.ContainsFunc(c.ways.all(), func(r reading) bool { return r.format == mapping.FormatDigits }):
			count[mapping.FormatDigits]++
		default:
			count[mapping.FormatNational]++
		}
	}
	for _, f := range []string{mapping.FormatDigits, mapping.FormatZeros, mapping.FormatInternational, mapping.FormatNational} {
		if count[f]*2 > n {
			return f
		}
	}
	return ""
}

// free is a name that no field of the job has yet.
func (j *Job) free(name string) string {
	taken := func(n string) bool { return slices.ContainsFunc(j.Fields, func(f Field) bool { return f.Name == n }) }
	if !taken(name) {
		return name
	}
	for i := 2; ; i++ {
		if n := name + "_" + strconv.Itoa(i); !taken(n) {
			return n
		}
	}
}

// worded is a system's name as one of ours: letters, digits and single _.
func worded(path string) string {
	name := strings.Join(tokens(path), "_")
	name = strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '_' {
			return r
		}
		return -1
	}, name)
	name = strings.Trim(name, "_")
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		return "field_" + name
	}
	return name
}

// nested reports whether a field holds blocks or lists.
func (c *column) nested() bool {
	return slices.ContainsFunc(c.values, func(v record.Value) bool { return v.Type() == record.List || v.Type() == record.Map })
}
