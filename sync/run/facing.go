package run

import (
	"nightporter/sync/record"
)

// Facing is the records without a link that a plan looks at, by those of their keys that have a reference in them.
// The state does not hold such keys: whom a reference means may change while the record itself stays the same.
type Facing struct {
	Strangers [2][]Candidate
	by        [2]map[record.Key][]record.Ref // nil: not asked for yet
}

// Sharing returns the records of a side that have one of these keys. refers reports whether a rule has
// a reference in it: other keys are not looked up here.
func (f *Facing) Sharing(side record.Side, keys []record.Key, refers func(rule string) bool) (refs []record.Ref) {
	if f == nil {
		return nil
	}
	if f.by[side] == nil {
		f.by[side] = map[record.Key][]record.Ref{}
		for _, c := range f.Strangers[side] {
			for _, k := range c.Keys {
				if refers(k.Name) {
					f.by[side][k] = append(f.by[side][k], c.Ref)
				}
			}
		}
	}
	for _, k := range keys {
		refs = append(refs, f.by[side][k]...)
	}
	return refs
}
