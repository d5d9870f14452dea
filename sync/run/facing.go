package run

import (
	"nightporter/sync/record"
)

// Facing is the strangers of a plan, by those of their keys that name another record. The state does not hold
// such keys: whom they name may change without a word from the record itself.
type Facing struct {
	Strangers [2][]Candidate
	by        [2]map[record.Key][]record.Ref // nil: not asked for yet
}

// Sharing is the strangers of a side that have one of these keys.
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
