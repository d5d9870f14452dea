package mapping

import (
	"encoding/json"

	"nightporter/sync/record"
)

// ReadPrints returns two digests for each field, by the field's name: one for each side. A digest changes
// if anything changes in how the side reads the field: the Spec of the field, the values that the side's
// connector makes of what stands there, the zone, whether cards are blanked, or our own reading. It is ""
// for a side that does not have the field.
func (m *Mapping) ReadPrints() map[string][2]string {
	out := make(map[string][2]string, len(m.fields))
	for _, f := range m.fields {
		out[f.Name] = [2]string{f.readPrint(record.Left), f.readPrint(record.Right)}
	}
	return out
}

// readPrint returns the digest of how a side reads the field. A constant is read, too: every record of the
// side has it.
func (f *field) readPrint(side record.Side) string {
	if s := &f.sides[side]; len(s.inputs) == 0 && !s.constant.Observed() {
		return ""
	}
	b, err := json.Marshal(f.print(side))
	if err != nil { // texts, numbers and lists of them always encode
		return ""
	}
	return record.DigestOf("read", b).String()[:16]
}
