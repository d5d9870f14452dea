package plan

import (
	"slices"

	"nightporter/sync/record"
)

// brought returns the fields in which our own write brought a word of a clash to side while the other words did
// not stand there yet. If they came there since, they met a word that is not the side's own. made is what was
// written to the link, the earliest first. key is the key of its digests.
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

// Met reports whether one side alone shows all the words of a clash. Then it matters who brought them there.
func (r Rules) Met(c Case) bool {
	return slices.ContainsFunc(r.Clashes, func(x Clash) bool {
		return x.meets(c.Sides[record.Left].Now) != x.meets(c.Sides[record.Right].Now)
	})
}

// WithJournal returns the case with Brought filled in from what was written to its link.
func (c Case) WithJournal(r Rules, made []record.Intent, key []byte) Case {
	for _, side := range record.Sides {
		c.Brought[side] = c.brought(r, side, made, key)
	}
	return c
}

// lastOf returns the last write of a field to a side, false where there is none.
func lastOf(made []record.Intent, side record.Side, field string) (last record.Intent, ok bool) {
	for _, in := range made {
		if in.Place.Side == side && slices.ContainsFunc(in.Fields, func(f record.FieldReason) bool { return f.Field == field }) {
			last, ok = in, true
		}
	}
	return last, ok
}

// stoodThen reports whether side showed the other words of a clash already when a field was written there. Then a
// person was asked before that write.
func (c *Case) stoodThen(r Rules, x Clash, side record.Side, field string, in record.Intent, key []byte) bool {
	was, _ := r.Mapping.Read(side, in.Change.Before)
	for name, words := range x {
		if name == field || slices.Contains(words, was[name].Text()) {
			continue
		}
		for _, p := range r.Mapping.Inputs(side, name) { // a digest tells only whether it is of what stands there now
			if before := in.Change.Before[p]; !before.Sealed() || !isKept(before, c.Sides[side].Native[p], key) {
				return false
			}
		}
	}
	return true
}

// isKept reports whether a value is the one that was kept, either as it is or as its digest.
func isKept(kept, v record.Value, key []byte) bool {
	return kept.Equal(v) || kept.Sealed() && record.Seal(key, v).Equal(kept)
}
