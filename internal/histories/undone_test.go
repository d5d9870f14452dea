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

// claims notes what a system answered that it took, and did not.
func (o *oracle) claims(r *rec, ch record.Change, err error) {
	if err == nil && r != nil && o.w.odds(r.side, oddUndone) > 0 && undone(ch) {
		r.claimed = append(r.claimed, ch.Fields)
	}
}

// claimedLast reports whether a record's system said that it took a value, and nothing has shown
// otherwise since: the record was removed, and perhaps put back, or lists show that field late.
func (o *oracle) claimedLast(r *rec, f, v string) bool {
	unseen := r.dead || !r.back.IsZero() || f == "note" && o.w.lacks(r)
	return unseen && slices.ContainsFunc(r.claimed, func(c record.Fields) bool { return c[path(r.side, f)].Text() == v })
}
