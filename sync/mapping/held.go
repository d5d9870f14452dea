package mapping

import (
	"maps"
	"slices"

	"nightporter/sync/mapping/card"
	"nightporter/sync/record"
)

// What is kept of a record tells which of its texts hold a payment card in the system (card.HeldMark). Canonical
// values don't: the two sides hold the same text, with digits on one side and with asterisks on the other.

// Shown returns native values as people and systems are shown them: with the same asterisks for a card that the
// system holds as for one that was blanked before. It returns native itself if there are none.
func Shown(native record.Fields) record.Fields {
	var out record.Fields
	for p, v := range native {
		if !HoldsCard(v) {
			continue
		}
		if out == nil {
			out = maps.Clone(native)
		}
		out[p] = mapTexts(v, card.Shown)
	}
	if out == nil {
		return native
	}
	return out
}

// OverCard returns a path at which a side holds a payment card, and at which another text with asterisks is to be
// written: the digits would be lost. It is "" if there is none. current is what the side holds, as it is kept.
func OverCard(written, current record.Fields) string {
	for _, p := range written.Names() {
		if now := current[p]; HoldsCard(now) && Traces(written[p]) && !written[p].Equal(mapTexts(now, card.Shown)) {
			return p
		}
	}
	return ""
}

// Traces reports whether a value may have been made from a text with a blanked card.
func Traces(v record.Value) bool { return anyText(v, card.Traced) }

// HoldsCard reports whether a value is kept of a text that holds a payment card.
func HoldsCard(v record.Value) bool { return anyText(v, card.Held) }

// anyText reports whether something is true of a text within a value.
func anyText(v record.Value, is func(string) bool) bool {
	switch v.Type() {
	case record.Text:
		return is(v.Text())
	case record.List:
		return slices.ContainsFunc(v.List(), func(e record.Value) bool { return anyText(e, is) })
	case record.Map:
		for _, e := range v.Map() {
			if anyText(e, is) {
				return true
			}
		}
	case record.Absent, record.Null, record.Number, record.Bool, record.Content:
	}
	return false
}

// mapTexts returns a value with each text within it replaced.
func mapTexts(v record.Value, to func(string) string) record.Value {
	switch v.Type() {
	case record.Text:
		return record.OfText(to(v.Text()))
	case record.List:
		es := make([]record.Value, len(v.List()))
		for i, e := range v.List() {
			es[i] = mapTexts(e, to)
		}
		return record.OfList(es...)
	case record.Map:
		es := make(map[string]record.Value, len(v.Map()))
		for k, e := range v.Map() {
			es[k] = mapTexts(e, to)
		}
		return record.OfMap(es)
	case record.Absent, record.Null, record.Number, record.Bool, record.Content:
	}
	return v
}
