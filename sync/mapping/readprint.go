package mapping

import (
	"encoding/json"

	"nightporter/sync/record"
)

// ReadPrints is, for each field by its name, what changes when anything changes in how a side
// reads it, "" for a side that does not have it.
func (m *Mapping) ReadPrints() map[string][2]string {
	out := make(map[string][2]string, len(m.fields))
	for _, f := range m.fields {
		var prints [2]string
		for _, side := range record.Sides {
			if len(f.sides[side].inputs) == 0 {
				continue
			}
			b, err := json.Marshal(f.print(side))
			if err != nil { // texts, numbers and lists of them always encode
				continue
			}
			prints[side] = record.DigestOf("read", b).String()[:16]
		}
		out[f.Name] = prints
	}
	return out
}
