package undo

import (
	"fmt"
	"maps"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// An undo puts a reference back as the person it stood for. The id by which a record named them then may lead to nobody
// by now, or to somebody else. So where it is known whom it stood for, the reference is written as they are named now.

// Meant is whom a reference stood for: the entity, and how the side names it now.
type Meant struct {
	Entity record.Value
	Parts  record.Value
	Why    string // why nobody knows whom it stood for, or how to name them; "" where that is known
}

// translated returns native values of a record with its references as they are written now. lost says, by field,
// why a reference can't be written.
func (u *Undoing) translated(r plan.Rules, native record.Fields, named map[string]Meant) (out record.Fields, lost map[string]string) {
	out, lost = maps.Clone(native), map[string]string{}
	for field, x := range named {
		if x.Why != "" {
			lost[field] = x.Why
			continue
		}
		written, problems := r.Mapping.Write(u.Side, record.Fields{field: x.Parts}, u.Now)
		if len(problems) > 0 {
			lost[field] = fmt.Sprintf("its %s can't be written: %s", field, problems[0].Text)
			continue
		}
		for _, p := range r.Mapping.Outputs(u.Side, field) {
			if _, is := native[p]; !is {
				continue
			}
			if v := written[p]; v.Observed() {
				out[p] = v
			} else {
				out[p] = u.Now[p]
			}
		}
	}
	return out, lost
}

// refers notes in a base whom the references stand for.
func refers(base record.Fields, named map[string]Meant) {
	for field, x := range named {
		if x.Entity.Observed() {
			base[plan.RefPath(field)] = x.Entity
		}
	}
}
