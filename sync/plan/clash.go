package plan

import (
	"slices"

	"nightporter/sync/record"
)

// brought is the fields whose word of a clash our own write brought to side, when its other
// words did not stand there yet: what came there since met a word that is not its own. made is
// what was written to the link, the earliest first, and key what its values are kept under.
func (c *Case) brought(r Rules, side record.Side, made []record.Intent, key []byte) map[string]bool {
	out := map[string]bool{}
	for _, x := range r.Clashes {
		if !x.meets(c.Sides[side].Now) {
			continue
		}
		for field := range x {
			if in, ok := lastOf(made, side, field); ok && !c.stoodThen(r, x, side, field, in, key) {
				after := in.Fields[slices.IndexFunc(in.Fields, func(f record.FieldReason) bool { return f.Field == field })].After
				out[field] = out[field] || isKept(after, c.Sides[side].Now[field], key)
			}
		}
	}
	return out
}

// Met reports whether only one side shows all the words of a clash, so that it counts who
// brought them there.
func (r Rules) Met(c Case) bool {
	return slices.ContainsFunc(r.Clashes, func(x Clash) bool {
		return x.meets(c.Sides[record.Left].Now) != x.meets(c.Sides[record.Right].Now)
	})
}

// WithJournal is a case that knows which words of clashes our own writes brought.
func (c Case) WithJournal(r Rules, made []record.Intent, key []byte) Case {
	for _, side := range record.Sides {
		c.Brought[side] = c.brought(r, side, made, key)
	}
	return c
}

// lastOf is the last write of a field to a side.
func lastOf(made []record.Intent, side record.Side, field string) (last record.Intent, ok bool) {
	for _, in := range made {
		if in.Place.Side == side && slices.ContainsFunc(in.Fields, func(f record.FieldReason) bool { return f.Field == field }) {
			last, ok = in, true
		}
	}
	return last, ok
}

// stoodThen reports whether the other words of a clash stood on side when a field was written
// there: then somebody was asked.
func (c *Case) stoodThen(r Rules, x Clash, side record.Side, field string, in record.Intent, key []byte) bool {
	was, _ := r.Mapping.Read(side, in.Change.Before)
	for name, words := range x {
		if name == field || slices.Contains(words, was[name].Text()) {
			continue
		}
		for _, p := range r.Mapping.Inputs(side, name) { // where digests alone are kept
			if before := in.Change.Before[p]; !before.Sealed() || !isKept(before, c.Sides[side].Native[p], key) {
				return false
			}
		}
	}
	return true
}

// isKept reports whether a value is one that was kept, plain or as its digest.
func isKept(kept, v record.Value, key []byte) bool {
	return kept.Equal(v) || kept.Sealed() && record.Seal(key, v).Equal(kept)
}
