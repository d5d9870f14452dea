package mapping

import (
	"encoding/json"

	"nightporter/sync/record"
)

// ReadPrints returns two digests for each field, by the field's name: one for each side. A digest changes
// if the Spec of the field says anything new about how the side reads the field. It is "" for a side
// that does not have the field.
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
