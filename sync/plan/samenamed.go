package plan

import (
	"maps"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// sameNamed lets a reference count as the same on both sides where one side shows already what would be written
// to it for whom the other side names. Example: a guest was entered anew, and his row across was joined to the
// new link. A booking there that names the row was settled while the row belonged to the old link.
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

// namesAlready reports whether a side shows all that would be written there for whom the other side names. That
// must include what tells who it is: an id, or a phone where the side keeps no id.
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
