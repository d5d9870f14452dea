package plan

import (
	"fmt"

	"nightporter/sync/record"
)

// Prints returns a digest for each field, by its name. The digest changes when anything changes in how the field
// is mapped, or in the rule by which it is merged.
func (r Rules) Prints() map[string]string {
	out := r.Mapping.FieldPrints()
	for _, m := range r.Merge {
		machine := ""
		if m.Machine != nil {
			machine = fmt.Sprintf("%+v", *m.Machine)
		}
		text := fmt.Sprintf("%s|%s|%s|%s|%d|%t|%s|%t|%t|%s", out[m.Field], m.Group, m.Policy, m.Initial, m.To, m.Enforce,
			m.Clear, m.Required, m.Lossy, machine)
		out[m.Field] = record.DigestOf("rule", []byte(text)).String()[:16]
	}
	return out
}

// Remapped returns the fields with other prints than before, and the fields that are new. It returns none where
// nothing was known before.
func Remapped(was, now map[string]string) map[string]bool {
	out := map[string]bool{}
	if was == nil {
		return out
	}
	for f, p := range now {
		if was[f] != p {
			out[f] = true
		}
	}
	return out
}
