package run

import "nightporter/sync/record"

// Rests is what the question about a record that is gone rests on: whoever goes by it, what may be it, entered
// anew, and what else that may be.
func (a *Absence) Rests() record.Rests {
	return record.Rests{Named: a.Named.All(), Anew: a.Anew, Beside: a.Beside}
}
