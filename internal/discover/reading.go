package discover

import (
	"strings"
	"time"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// reading is one way to understand values.
type reading struct {
	as, format, region string

	unit, currency string // of money
	split          string // of a list that stands in one text
}

// readers understand values just as a run would. One that was made is kept.
type readers struct {
	zone *time.Location
	made map[reading]*mapping.Mapping
}

func newReaders(zone *time.Location) *readers {
	if zone == nil {
		zone = time.UTC
	}
	return &readers{zone: zone, made: map[reading]*mapping.Mapping{}}
}

const probe = "v"

// read is a value as one text, in the only spelling that it has for us. ok is false for
// what can't be read so.
func (rs *readers) read(r reading, v record.Value) (text string, ok bool) {
	m := rs.mapping(r)
	if m == nil || !v.Observed() || v.Empty() {
		return "", false
	}
	fields, problems := m.Read(record.Left, record.Fields{probe: v})
	for _, p := range problems {
		if !fields[probe].Observed() || p.Code == mapping.NotAValue {
			return "", false
		}
	}
	out := fields[probe]
	if !out.Observed() || out.Empty() {
		return "", false
	}
	switch {
	case r.as == mapping.Money:
		n, err := record.OfNumber(out.Map()["amount"].Text())
		return n.Text(), err == nil
	case r.as == mapping.Set || r.as == mapping.List:
		return out.Encode(), true
	case out.Type() == record.List || out.Type() == record.Map:
		return "", false
	}
	switch r.as {
	case mapping.Text, mapping.Name, mapping.Email:
		return strings.ToLower(strings.Join(strings.Fields(out.Text()), " ")), true
	}
	return out.Text(), true
}

func (rs *readers) mapping(r reading) *mapping.Mapping {
	if m, ok := rs.made[r]; ok {
		return m
	}
	spec := mapping.FieldSpec{Name: probe, As: r.as, Sides: [2]mapping.SideSpec{
		{Path: probe, Format: r.format, Unit: r.unit, Currency: r.currency, Split: r.split}, {None: true},
	}}
	if r.region != "" {
		spec.Region = []string{r.region}
	}
	m, err := mapping.Compile(mapping.Spec{Systems: [2]string{"left", "right"}, Zone: rs.zone, Fields: []mapping.FieldSpec{spec}})
	if err != nil {
		m = nil // a reading that makes no sense reads nothing
	}
	rs.made[r] = m
	return m
}
