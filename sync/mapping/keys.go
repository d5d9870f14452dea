package mapping

import (
	"strings"

	"nightporter/sync/record"
)

// Keys returns the match keys of a record, in the order of the match rules. A rule of several fields
// gives one key made from all of them, and no key if one of them is not known. A list gives one key for
// each element.
//
// A phone is a key only if its country is certain. Either the phone was written with its country code,
// or it was read by the country that the record shows, or the record shows no country and it was read
// by the default region. native must be the values from which canonical was read: a phone that native
// does not show is not a key.
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

// joinKey joins one text of each field into one key. Different texts never give the same key. ok is false
// if a field does not have exactly one text.
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

// keyTexts returns the texts that the value of one field gives as keys.
func (m *Mapping) keyTexts(side record.Side, f *field, native record.Fields, v record.Value) []string {
	if !v.Observed() || v.Empty() {
		return nil
	}
	as := f.As
	if as == List || as == Set {
		as = f.Of
	}
	unsure := map[string]bool{}
	if as == Phone && f.sides[side].owns() && !native[f.sides[side].Path].Equal(v) { // if equal, it stands there in E.164
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

// keyText returns one value as the text of a key. E-mail addresses and names are in lower case, because
// people write the same one with different capitals.
func keyText(as string, v record.Value) string {
	switch as {
	case Email, Name:
		return strings.ToLower(v.Text())
	case Money:
		return v.Map()[amountKey].Text() + " " + v.Map()[currencyKey].Text()
	}
	return v.Text()
}
