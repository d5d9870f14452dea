package histories

import (
	"slices"

	"nightporter/sync/record"
)

// undone is the updates that a system answers and does not do: always the same ones, however
// often they are sent.
func undone(ch record.Change) bool {
	d := ch.Fields.Digest().String()
	return d[len(d)-1] < '4'
}

// undoneUnseen reports whether nothing shows that a field of a record is not as its system said:
// lists hide it, and no version or time tells that it is to be read by its id.
func (w *world) undoneUnseen(r *rec, f string) bool {
	return f == "note" && w.odds(r.side, oddUndone) > 0 && w.odds(r.side, oddHides) > 0
}

// claims notes what a system answered that it took, though it may not have.
func (o *oracle) claims(r *rec, ch record.Change, err error) {
	if err == nil && r != nil && o.w.odds(r.side, oddUndone) > 0 {
		r.claimed = append(r.claimed, ch.Fields)
	}
}

// claimed reports whether a record's system said that it took a value: what it did not do is believed
// until a read that counts shows otherwise.
func (o *oracle) claimed(r *rec, f, v string) bool {
	return slices.ContainsFunc(r.claimed, func(c record.Fields) bool {
		took := c[path(r.side, f)].Text()
		return took == v || o.w.c.sides[r.side].lossy && lossy(took) == v
	})
}
