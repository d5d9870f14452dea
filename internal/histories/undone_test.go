package histories

import "nightporter/sync/record"

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
