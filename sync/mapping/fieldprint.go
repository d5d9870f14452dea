package mapping

import (
	"encoding/json"
	"slices"

	"nightporter/sync/record"
)

// FieldPrints returns a digest for each field, by the field's name. The digest changes if anything changes
// in how the field is read from either side (see ReadPrints), or if the Spec says anything new about how it
// is written there.
func (m *Mapping) FieldPrints() map[string]string {
	out := make(map[string]string, len(m.fields))
	for _, f := range m.fields {
		zone := ""
		if f.writesByExpression() {
			zone = m.spec.Zone.String()
		}
		b, err := json.Marshal(struct {
			Spec     FieldSpec
			Read     [2]string
			Never    []string
			Parts    map[string][]string
			Pieces   [2]int
			Currency [2]string
			Zone     string
		}{
			f.FieldSpec,
			[2]string{f.readPrint(record.Left), f.readPrint(record.Right)},
			f.never, f.parts,
			[2]int{len(f.sides[0].pieces), len(f.sides[1].pieces)},
			[2]string{f.sides[0].currency, f.sides[1].currency},
			zone,
		})
		if err != nil { // texts, numbers and lists of them always encode
			continue
		}
		out[f.Name] = record.DigestOf("field", b).String()[:16]
	}
	return out
}

// writesByExpression reports whether an expression makes what is written of the field, or of one of its
// entries: expressions know the house's zone.
func (f *field) writesByExpression() bool {
	return f.sides[record.Left].write != nil || f.sides[record.Right].write != nil ||
		slices.ContainsFunc(f.each, (*field).writesByExpression)
}
