package mapping

import (
	"strings"

	"nightporter/sync/record"
)

// Keys is the match keys of a record, the first rule's first. A rule of several
// fields gives one key of all of them, and none if one of them is not known; a
// list gives a key for each element.
//
// A phone is a key only if its country is certain: it was written internationally,
// or read by the country that the record shows, or read by the default region for
// a record that shows no country. native must be what canonical was read from; a
// phone that native does not show is no key.
func (m *Mapping) Keys(side record.Side, native, canonical record.Fields) []record.Key {
	var keys []record.Key
	for _, rule := range m.spec.Match {
		texts := make([][]string, len(rule))
		for i, name := range rule {
			texts[i] = m.keyTexts(side, m.byName[name], native, canonical[name])
		}
		name := strings.Join(rule, "+")
		if len(rule) == 1 {
			for _, t := range texts[0] {
				keys = append(keys, record.Key{Name: name, Text: t})
			}
			continue
		}
		if t, ok := joinKey(texts); ok {
			keys = append(keys, record.Key{Name: name, Text: t})
		}
	}
	return keys
}

// joinKey makes one text of several, such that different parts never give the same
// text.
func joinKey(texts [][]string) (string, bool) {
	esc := strings.NewReplacer(`\`, `\\`, "|", `\|`)
	parts := make([]string, len(texts))
	for i, t := range texts {
		if len(t) != 1 {
			return "", false
		}
		parts[i] = esc.Replace(t[0])
	}
	return strings.Join(parts, "|"), true
}

// keyTexts is the texts by which one field's value is recognised.
func (m *Mapping) keyTexts(side record.Side, f *field, native record.Fields, v record.Value) []string {
	if !v.Observed() || v.Empty() {
		return nil
	}
	as := f.As
	if as == List || as == Set {
		as = f.Of
	}
	unsure := map[string]bool{}
	if as == Phone && f.sides[side].owns() && !native[f.sides[side].Path].Equal(v) { // equal: it stands there internationally
		read, n := m.readField(side, f, native)
		if !read.Equal(v) {
			return nil
		}
		for _, t := range n.unsure {
			unsure[t] = true
		}
	}
	values := v.List()
	if v.Type() != record.List {
		values = []record.Value{v}
	}
	var out []string
	for _, e := range values {
		if t := keyText(as, e); t != "" && !unsure[t] {
			out = append(out, t)
		}
	}
	return out
}

// keyText is one value as a key. People write the same address and the same name
// in different cases.
func keyText(as string, v record.Value) string {
	switch as {
	case Email, Name:
		return strings.ToLower(v.Text())
	case Money:
		return v.Map()[amountKey].Text() + " " + v.Map()[currencyKey].Text()
	}
	return v.Text()
}
