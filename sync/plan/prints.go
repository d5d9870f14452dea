package plan

import (
	"fmt"

	"nightporter/sync/record"
)

// Prints is, for each field by its name, what changes when anything changes in how it
// is mapped or in the rule by which it is merged.
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

// Remapped is the fields whose prints are not what they were, those that are new among
// them. Nothing is remapped where nothing was known before.
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
