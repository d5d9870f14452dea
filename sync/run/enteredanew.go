package run

import "nightporter/sync/record"

// Rests is what the question about a record that is gone rests on: what depends on the record that may go,
// which records may be the one that is gone, entered anew, and which records across those may be instead.
func (a *Absence) Rests() record.Rests {
	return record.Rests{Named: a.Named.All(), Anew: a.Anew, Beside: a.Beside}
}
