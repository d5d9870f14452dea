package mapping

import (
	"maps"
	"slices"

	"nightporter/sync/mapping/card"
	"nightporter/sync/record"
)

// readReference reads the parts by which a record names another record. A part that was not shown or
// can't be read is left out. The value is Nothing only if every part was shown and is empty.
func readReference(at spot) (record.Value, note) {
	parts := map[string]record.Value{}
	var bad note
	absent := false
	for _, part := range slices.Sorted(maps.Keys(at.s.Parts)) {
		raw := at.native[at.s.Parts[part]]
		if !raw.Observed() {
			absent = true
			continue
		}
		if blank(raw) || at.s.Filler != "" && raw.Text() == at.s.Filler {
			continue
		}
		v, n := at.readPart(part, raw)
		switch {
		case n.code == NotAValue:
			absent = true
			continue
		case n.bad():
			bad = n
			absent = absent || !v.Observed()
		}
		if len(n.unsure) > 0 {
			part = PartUnsure
		}
		if v.Observed() && !v.Empty() {
			parts[part] = v
		}
	}
	switch {
	case len(parts) > 0:
		return record.OfMap(parts), bad
	case absent:
		return record.Value{}, bad
	}
	return record.Nothing(), bad
}

// readPart reads one part of a reference by the type of the part.
func (at spot) readPart(part string, raw record.Value) (record.Value, note) {
	bare := spot{f: at.f, s: &side{which: at.s.which, regions: at.s.regions, region: at.s.region}, native: at.native}
	var v record.Value
	var n note
	switch part {
	case PartPhone:
		v, n = readPhone(bare, raw)
	case PartEmail:
		v, n = readEmail(bare, raw)
	case PartName:
		v, n = readName(bare, raw)
	case PartID:
		var s string
		if s, n = scalar(raw); !n.bad() {
			v = record.OfText(clean(s))
		}
	default:
		v, n = readText(bare, raw)
	}
	if v.Observed() && matchesAny(at.f.parts[part], v.Text()) {
		return record.Value{}, note{code: NotAValue}
	}
	if part != PartID && at.f.m.spec.BlankCards && card.Only(v.Text()) {
		return record.Value{}, blankedNote
	}
	return v, n
}

// writeReference writes the parts of a reference. If the side has a path for a part that is not given,
// that path is cleared: what stands there named another record.
func writeReference(at spot, v record.Value) (record.Fields, note) {
	if v.Type() != record.Map {
		return nil, note{code: BadShape, text: "a reference is written by its parts"}
	}
	out := record.Fields{}
	for _, part := range slices.Sorted(maps.Keys(at.s.Parts)) {
		path := at.s.Parts[part]
		p := v.Map()[part]
		if part == PartPhone && !p.Observed() {
			p = v.Map()[PartUnsure]
		}
		if !p.Observed() || p.Empty() {
			if now := at.native[path]; now.Observed() && !blank(now) {
				out[path] = at.s.nothing()
			}
			continue
		}
		if n := tooLong(at, p); n.bad() {
			return nil, n
		}
		w := at.writePart(part, path, p)
		if part != PartID && at.f.m.spec.BlankCards && card.Only(w.Text()) {
			return nil, blankedNote
		}
		out[path] = w
	}
	if len(out) == 0 {
		return nil, note{code: BadShape, text: "the reference has none of the parts that this side keeps"}
	}
	return out, note{}
}

func (at spot) writePart(part, path string, p record.Value) record.Value {
	switch part {
	case PartID:
		s := &side{SideSpec: SideSpec{Path: path, Format: at.s.Format}}
		return spellWord(spot{f: at.f, s: s, native: at.native}, p.Text())
	case PartPhone, PartEmail:
		return record.OfText(p.Text())
	}
	return textOf(at, clean(p.Text()))
}
