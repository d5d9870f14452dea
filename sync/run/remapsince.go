package run

import (
	"maps"

	"nightporter/sync/plan"
)

// Unedited returns the fields with a changed mapping in which the case was not edited since a person was asked.
// Fields are left out, too, that are mapped again as was agreed to and in which both records were settled as such.
func (b *Book) Unedited(c plan.Case) map[string]bool {
	if len(c.Edited)+len(b.Mended) == 0 {
		return b.Remapped
	}
	out := maps.Clone(b.Remapped)
	maps.DeleteFunc(out, func(f string, _ bool) bool { return c.Edited[f] || b.Mended[f] && c.SettledIn(f) })
	return out
}
