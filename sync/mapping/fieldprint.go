package mapping

import (
	"encoding/json"

	"nightporter/sync/record"
)

// FieldPrints returns a digest for each field, by the field's name. The digest changes if the Spec says
// anything new about how the field is read from either side or written there.
func (m *Mapping) FieldPrints() map[string]string {
	out := make(map[string]string, len(m.fields))
	for _, f := range m.fields {
		b, err := json.Marshal(struct {
			Spec     FieldSpec
			Never    []string
			Parts    map[string][]string
			Pieces   [2]int
			Currency [2]string
			Zone     string
		}{
			f.FieldSpec, f.never, f.parts,
			[2]int{len(f.sides[0].pieces), len(f.sides[1].pieces)},
			[2]string{f.sides[0].currency, f.sides[1].currency},
			m.spec.Zone.String(),
		})
		if err != nil { // texts, numbers and lists of them always encode
			continue
		}
		out[f.Name] = record.DigestOf("field", b).String()[:16]
	}
	return out
}
