package run

import (
	"nightporter/sync/record"
)

// OwnKeys returns a record's match keys by rule. Rules with a reference in them are left out.
func (r *Run) OwnKeys(side record.Side, native record.Fields) map[string][]string {
	now, _ := r.Job.Mapping.Read(side, native)
	keys := map[string][]string{}
	for _, k := range r.Job.Mapping.Keys(side, native, now) {
		if !r.Refers(k.Name) {
			keys[k.Name] = append(keys[k.Name], k.Text)
		}
	}
	return keys
}
