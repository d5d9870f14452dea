package undo

import (
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// edited returns the conflicts of a unit that was edited since the run wrote it.
func (u *Undoing) edited(r plan.Rules, x unit, image record.Fields) (out []Conflict) {
	for _, f := range x.reasons {
		c := u.conflict(r, f, image, x.pathsOf(r, u.Side, f.Field))
		c.Why = "it was edited since: it is left as it is" + u.by(x.paths)
		out = append(out, c)
	}
	return out
}

// Before returns the values from before the run, at the paths that the run wrote.
func (u *Undoing) Before() record.Fields {
	out := record.Fields{}
	for _, m := range slices.Backward(u.Made) {
		for p := range m.Change.Fields {
			out[p] = m.Change.Before[p]
		}
	}
	return out
}

// holds reports whether the record holds just these values at the paths: either natively, or as the fields are
// read.
func (u *Undoing) holds(r plan.Rules, fields, paths []string, want record.Fields) bool {
	return u.holdsNatively(paths, want) || len(fields) > 0 && u.readsAs(r, fields, paths, want)
}

// conflict returns the conflict of one field that was edited since. Its values are canonical. They are native for
// a reference, and where the field shows no canonical value now.
func (u *Undoing) conflict(r plan.Rules, f record.FieldReason, image record.Fields, paths []string) Conflict {
	c := Conflict{Side: u.Side, Ref: u.Ref, Field: f.Field, Before: f.Before, Written: f.After}
	now, _ := r.Mapping.Read(u.Side, u.Now)
	c.Now = now[f.Field]
	if !c.Written.Observed() {
		written, _ := r.Mapping.Read(u.Side, image)
		c.Written = written[f.Field]
	}
	if (r.IsReference(f.Field) || !c.Now.Observed()) && len(paths) > 0 {
		before := u.Before()
		c.Before, c.Written, c.Now = before[paths[0]], image[paths[0]], u.Now[paths[0]]
	}
	return c
}

// pathsOf returns the paths of a unit that belong to one of its fields.
func (x *unit) pathsOf(r plan.Rules, side record.Side, field string) []string {
	mine := r.Touched(side, field)
	return slices.DeleteFunc(slices.Clone(x.paths), func(p string) bool { return len(mine) > 0 && !slices.Contains(mine, p) })
}

// holdsNatively compares values as the system writes them. A path that is not shown holds nothing.
func (u *Undoing) holdsNatively(paths []string, want record.Fields) bool {
	return !slices.ContainsFunc(paths, func(p string) bool {
		now, w := u.Now[p], want[p]
		if w.Sealed() {
			now = record.Seal(u.Key, now)
		}
		return !now.Equal(w) && (now.Filled() || w.Filled())
	})
}

// readsAs compares fields as they are read: a phone that a system spells with spaces is the same phone. What
// is not shown, and a digest, can't be read. A text into which somebody entered a payment card since, where we had
// written asterisks, reads the same and is another one.
func (u *Undoing) readsAs(r plan.Rules, fields, paths []string, want record.Fields) bool {
	wanted := u.Now.Clone()
	for _, p := range paths {
		if !want[p].Observed() || !u.Now[p].Observed() || want[p].Sealed() {
			return false
		}
		if mapping.HoldsCard(u.Now[p]) && !mapping.HoldsCard(want[p]) {
			return false
		}
		wanted[p] = want[p]
	}
	is, _ := r.Mapping.Read(u.Side, u.Now)
	was, _ := r.Mapping.Read(u.Side, wanted)
	for _, f := range fields {
		if !is[f].Observed() || !was[f].Observed() || !is[f].Equal(was[f]) {
			return false
		}
	}
	return true
}
