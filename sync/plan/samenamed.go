package plan

import (
	"maps"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// sameNamed has both sides of a case name the same where one names already what would be written to it for
// whom the other names: a guest who was entered anew and joined is another link's, and the booking that
// names his row across was settled when he was the old one's.
func (c Case) sameNamed(r Rules) Case {
	for _, f := range r.Mapping.Fields() {
		if f.Refer == "" {
			continue
		}
		for _, side := range record.Sides {
			here, across := c.Sides[side].Now[f.Name], c.Sides[side.Other()].Now[f.Name]
			if !here.Observed() || !across.Observed() || here.Equal(across) || !c.namesAlready(r, side, f.Name) {
				continue
			}
			now := maps.Clone(c.Sides[side].Now)
			now[f.Name] = across
			c.Sides[side].Now = now
			break
		}
	}
	return c
}

// namesAlready reports whether a side shows all that would be written there for whom the other side names,
// and that tells whom: an id, or a phone where there is none.
func (c Case) namesAlready(r Rules, side record.Side, field string) bool {
	parts, native := c.Parts[side][field], c.Sides[side].Native
	written, problems := r.Mapping.Write(side, record.Fields{field: parts}, native)
	if !parts.Observed() || len(problems) > 0 || len(written.Differing(native)) > 0 {
		return false
	}
	for _, part := range []string{mapping.PartID, mapping.PartPhone} {
		if path := r.Mapping.PartPath(side, field, part); path != "" {
			return !written[path].Empty()
		}
	}
	return false
}
